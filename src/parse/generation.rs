//! Which variant a dump is written in, for which device, whether it is final, and whether its
//! communication lists are shown 512 bytes too high: all told by content.

use crate::model::{Device, Generation, IndexSet, Lists, Nodes, TensorKind, Tensors};

/// What the decisions rest on.
pub(crate) struct Evidence<'a> {
    /// The tensor table has life columns.
    pub(crate) has_life: bool,
    /// The tensor table has addresses.
    pub(crate) has_addr: bool,
    /// Number of control tensors.
    pub(crate) control: u32,
    /// Control tensors are printed with the suffix `T`.
    pub(crate) plain_control: bool,
    /// Event lines were seen.
    pub(crate) events: bool,
    /// Some node name holds a `/` that is not its end.
    pub(crate) full_names: bool,
    pub(crate) nodes: &'a Nodes,
    pub(crate) tensors: &'a Tensors,
    /// Union group of each tensor; empty without groups.
    pub(crate) union_of: &'a [u32],
    /// Contiguous lists as collected.
    pub(crate) contiguous: &'a Lists,
}

/// What was decided.
pub(crate) struct Verdict {
    pub(crate) generation: Generation,
    pub(crate) device: Option<Device>,
    /// Kernels run in stream order.
    pub(crate) ordered: bool,
    /// First members of contiguous lists, shown 512 bytes too high.
    pub(crate) shifted: IndexSet,
}

pub(crate) fn decide(e: &Evidence<'_>, is_stage: bool) -> Verdict {
    if !e.has_life {
        return Verdict {
            generation: Generation::A,
            device: Some(Device::Ascend),
            ordered: true,
            shifted: IndexSet::default(),
        };
    }
    let votes = Votes::of(e);
    if e.has_addr {
        let events = e.events || e.tensors.kind.contains(&TensorKind::EVENT_VIRTUAL_OUTPUT);
        let generation = if events {
            Generation::B2
        } else {
            Generation::B1
        };
        let shift = !is_stage && votes.shift >= votes.plain;
        return Verdict {
            generation,
            device: Some(Device::Ascend),
            ordered: true,
            shifted: shifted(e, shift),
        };
    }
    let own_streams = streams_are_node_numbers(e.nodes);
    let device = device(e, own_streams);
    let generation = c_generation(e, own_streams, device, &votes);
    let may_shift =
        !is_stage && generation < Generation::C3 && matches!(device, None | Some(Device::Ascend));
    let single = e.contiguous.iter().any(|list| list.len() == 1);
    let shift = may_shift
        && (votes.shift > votes.plain || (votes.shift == 0 && votes.plain == 0 && single));
    let ordered =
        e.control > 0 || matches!(device, Some(Device::Ascend | Device::Gpu)) || !own_streams;
    Verdict {
        generation,
        device,
        ordered,
        shifted: shifted(e, shift),
    }
}

/// How the first two members of the lists lie: shown back to back, or the first 512 too high.
struct Votes {
    shift: u32,
    plain: u32,
}

impl Votes {
    fn of(e: &Evidence<'_>) -> Self {
        let mut votes = Self { shift: 0, plain: 0 };
        for list in e.contiguous.iter() {
            let mut placed = list
                .iter()
                .copied()
                .filter(|&t| e.tensors.aligned_at(t) > 0);
            let (Some(first), Some(second)) = (placed.next(), placed.next()) else {
                continue;
            };
            // Only the list's very first member is shifted.
            if list.first() != Some(&first) {
                continue;
            }
            let end = e
                .tensors
                .shown_offset(first)
                .saturating_add(e.tensors.aligned_at(first));
            let next = e.tensors.shown_offset(second);
            votes.plain += u32::from(next == end);
            votes.shift += u32::from(next.checked_add(crate::model::GAP) == Some(end));
        }
        votes
    }
}

fn shifted(e: &Evidence<'_>, shift: bool) -> IndexSet {
    let lists = e.contiguous.iter().filter(|_| shift);
    let firsts = lists.filter_map(|list| list.first().copied());
    IndexSet::of(
        e.tensors.len(),
        firsts.filter(|&t| e.tensors.shown_offset(t) >= crate::model::GAP),
    )
}

fn streams_are_node_numbers(nodes: &Nodes) -> bool {
    (0..nodes.len()).all(|n| nodes.stream_of(n) == nodes.step(n))
}

/// Ascend rounds a size up with 32 bytes to spare; where that makes a difference, the majority
/// of the tensors whose size nothing else changed tells.
fn device(e: &Evidence<'_>, own_streams: bool) -> Option<Device> {
    let listed = IndexSet::of(e.tensors.len(), e.contiguous.items().iter().copied());
    let (mut ascend, mut rest) = (0u32, 0u32);
    let sizes = e.tensors.aligned_size.iter().zip(&e.tensors.original_size);
    for (t, (&aligned, &original)) in sizes.enumerate() {
        // A size of 0 is rounded as 1: no difference there.
        if aligned == 0 || original == 0 {
            continue;
        }
        let in_union = e.union_of.get(t).is_some_and(|g| *g != crate::model::NONE);
        if in_union || listed.contains(t as u32) {
            continue;
        }
        let spare = original.saturating_add(543) / 512;
        let plain = original.saturating_add(511) / 512;
        if spare != plain {
            ascend += u32::from(aligned == spare.saturating_mul(512));
            rest += u32::from(aligned == plain.saturating_mul(512));
        }
    }
    let real_streams = e.control > 0 || !own_streams;
    match ascend.cmp(&rest) {
        std::cmp::Ordering::Greater => Some(Device::Ascend),
        std::cmp::Ordering::Less if real_streams => Some(Device::Gpu),
        std::cmp::Ordering::Less => Some(Device::Cpu),
        // No size tells. A stream of its own for each of several nodes is only seen on CPU.
        std::cmp::Ordering::Equal if !real_streams && e.nodes.len() > 1 => Some(Device::Cpu),
        std::cmp::Ordering::Equal => None,
    }
}

fn c_generation(
    e: &Evidence<'_>,
    own_streams: bool,
    device: Option<Device>,
    votes: &Votes,
) -> Generation {
    if e.control > 0 && e.plain_control {
        return Generation::C1;
    }
    // The only node of a graph has stream 0 = its number everywhere; a list of a single tensor
    // was not made from 2.3 on.
    let single = e.contiguous.iter().any(|list| list.len() == 1);
    let streams_tell = e.control == 0 && own_streams && !(e.nodes.len() == 1 && single);
    if e.nodes.is_empty() || e.full_names || streams_tell {
        return Generation::C3;
    }
    // Short names. On Ascend the lists can still show that this is 2.3 or later, whose names may
    // all lack a scope: no gap there, and no list of a single tensor.
    if device == Some(Device::Ascend) && !single && votes.plain > votes.shift {
        return Generation::C3;
    }
    Generation::C2
}

/// Whether the solver had not run yet: a C dump that has bytes to place but a total of 0.
pub(crate) fn is_c_stage(tensors: &Tensors, total: Option<u64>) -> bool {
    let has_bytes = tensors.aligned_size.iter().any(|a| *a > 0);
    match total {
        Some(total) => total == 0 && has_bytes,
        None => has_bytes && tensors.offset.iter().all(|o| *o == 0),
    }
}
