//! Columns as printed: what was read, before references are followed.

use std::collections::HashMap;

use super::diagnostic::{column_of, excerpt, Excerpt};
use super::sections::Section;
use crate::model::{Event, Lifelong, Lists, NameId, Names, NodeFlags, TensorKind, WordTable, NONE};
use crate::units::ByteRange;

/// Printed ids in row order; costs nothing while they count up from 0.
#[derive(Debug, Default)]
pub(crate) struct IdColumn {
    len: u32,
    explicit: Option<Vec<u64>>,
}

impl IdColumn {
    #[inline(always)]
    pub(crate) fn push(&mut self, id: u64) {
        match &mut self.explicit {
            Some(ids) => ids.push(id),
            None if id == u64::from(self.len) => {}
            None => {
                let mut ids: Vec<u64> = (0..u64::from(self.len)).collect();
                ids.push(id);
                self.explicit = Some(ids);
            }
        }
        self.len = self.len.saturating_add(1);
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The ids, `None` when they are `0 .. len`.
    pub(crate) fn into_explicit(self) -> Option<Vec<u64>> {
        self.explicit
    }

    /// A way from ids to rows; of rows with the same id the first counts.
    pub(crate) fn lookup(&self) -> Lookup {
        match &self.explicit {
            None => Lookup::Dense(self.len),
            Some(ids) => {
                let mut map = HashMap::with_capacity(ids.len());
                for (row, id) in ids.iter().enumerate() {
                    map.entry(*id).or_insert(row as u32);
                }
                Lookup::Map(map)
            }
        }
    }
}

/// From printed ids to rows.
#[derive(Debug)]
pub(crate) enum Lookup {
    Dense(u32),
    Map(HashMap<u64, u32>),
}

impl Default for Lookup {
    fn default() -> Self {
        Self::Dense(0)
    }
}

impl Lookup {
    #[inline(always)]
    pub(crate) fn row(&self, id: u64) -> Option<u32> {
        match self {
            Self::Dense(len) => (id < u64::from(*len)).then_some(id as u32),
            Self::Map(map) => map.get(&id).copied(),
        }
    }
}

/// Line numbers of consecutive rows: an entry only where the numbering jumps.
#[derive(Debug, Default)]
pub(crate) struct LineMap {
    runs: Vec<(u32, u64)>,
    rows: u32,
    next: u64,
}

impl LineMap {
    #[inline]
    pub(crate) fn push(&mut self, line: u64) {
        if line != self.next || self.runs.is_empty() {
            self.runs.push((self.rows, line));
        }
        self.rows = self.rows.saturating_add(1);
        self.next = line + 1;
    }

    /// The line of a row, 0 when unknown.
    pub(crate) fn line_of(&self, row: u32) -> u64 {
        let run = self.runs.partition_point(|(first, _)| *first <= row);
        match run.checked_sub(1).and_then(|i| self.runs.get(i)) {
            Some((first, line)) => line + u64::from(row - first),
            None => 0,
        }
    }
}

/// Tensor and parameter references as they stand in lists: 31 bits and the parameter bit of
/// [`crate::model::InputRef`]; ids that do not fit are kept in a side table.
#[derive(Debug, Default)]
pub(crate) struct RefTable {
    wide: Vec<u64>,
}

const PARAMETER: u32 = 1 << 31;
/// Codes from here on (below the parameter bit) are places in the side table.
const WIDE: u32 = 0x7000_0000;

impl RefTable {
    #[inline(always)]
    pub(crate) fn encode(&mut self, id: u64, parameter: bool) -> u32 {
        let bit = if parameter { PARAMETER } else { 0 };
        if id < u64::from(WIDE) {
            return id as u32 | bit;
        }
        // More than 2^28 such ids cannot be told apart; the last place stands for all of them.
        let place = self.wide.len().min((PARAMETER - WIDE - 1) as usize);
        if place == self.wide.len() {
            self.wide.push(id);
        }
        (WIDE + place as u32) | bit
    }

    /// The id, and whether it is a parameter's.
    #[inline]
    pub(crate) fn decode(&self, code: u32) -> (u64, bool) {
        let (value, parameter) = (code & !PARAMETER, code & PARAMETER != 0);
        let id = match value.checked_sub(WIDE) {
            None => u64::from(value),
            Some(place) => self.wide.get(place as usize).copied().unwrap_or(u64::MAX),
        };
        (id, parameter)
    }
}

#[derive(Debug, Default)]
pub(crate) struct RawParameters {
    pub(crate) ids: IdColumn,
    pub(crate) size: Vec<u64>,
    pub(crate) start_addr: Vec<u64>,
    pub(crate) name: Vec<NameId>,
    pub(crate) out_index: Vec<u32>,
    pub(crate) lines: LineMap,
}

#[derive(Debug, Default)]
pub(crate) struct RawTensors {
    pub(crate) ids: IdColumn,
    pub(crate) aligned: Vec<u64>,
    pub(crate) original: Vec<u64>,
    pub(crate) offset: Vec<u64>,
    pub(crate) kind: Vec<TensorKind>,
    pub(crate) lifelong: Vec<Lifelong>,
    pub(crate) first: Vec<u32>,
    pub(crate) last: Vec<u32>,
    pub(crate) lines: LineMap,
    /// Lifelong words nobody knows: row and word.
    pub(crate) odd_lifelong: Vec<(u32, String)>,
}

#[derive(Debug, Default)]
pub(crate) struct RawControl {
    pub(crate) ids: IdColumn,
    pub(crate) before: Vec<u32>,
    pub(crate) after: Vec<u32>,
    /// Printed with the suffix `T` (C1).
    pub(crate) plain_suffix: bool,
}

#[derive(Debug, Default)]
pub(crate) struct RawNodes {
    pub(crate) ids: IdColumn,
    pub(crate) name: Vec<NameId>,
    pub(crate) stream: Vec<u32>,
    pub(crate) flags: Vec<NodeFlags>,
    pub(crate) inputs: Lists,
    pub(crate) outputs: Lists,
    pub(crate) workspaces: Lists,
    pub(crate) lines: LineMap,
    /// A name with a `/` that is not its last character: full scope paths.
    pub(crate) full_names: bool,
}

/// Something odd that only the whole file can judge.
#[derive(Debug)]
pub(crate) struct Suspect {
    pub(crate) what: SuspectKind,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) excerpt: Option<Box<Excerpt>>,
}

#[derive(Debug)]
pub(crate) enum SuspectKind {
    /// A reference to a tensor not listed so far.
    TensorRef(u64),
    /// A reference to a parameter not listed so far.
    ParameterRef(u64),
    /// A control tensor in a node's list that its row does not confirm.
    ControlRef { id: u64, node: u32, into: bool },
    /// A tensor row whose offset or size is no multiple of 512.
    Misaligned { row: u32 },
    /// A tensor row whose address is not where the first one puts the base.
    Address { row: u32, found: u64, expected: u64 },
    /// A node called otherwise in another table: step and the other name.
    Name {
        step: u32,
        here: String,
        there: String,
    },
}

/// How many suspects keep their line for a message.
const MOST_EXCERPTS: usize = 200;

/// Everything one copy of a dump says, by section.
#[derive(Debug, Default)]
pub(crate) struct RawDump {
    pub(crate) names: Names,
    /// First name seen for a step, by step.
    name_at_step: Vec<u32>,
    /// The same for steps that jump far ahead.
    name_at_far_step: HashMap<u32, NameId>,
    pub(crate) refs: RefTable,
    pub(crate) parameters: RawParameters,
    pub(crate) tensors: RawTensors,
    pub(crate) kind_words: WordTable,
    pub(crate) control: RawControl,
    pub(crate) nodes: RawNodes,
    pub(crate) unions: Lists,
    pub(crate) contiguous: Lists,
    pub(crate) contiguous_processed: Lists,
    pub(crate) groups: Lists,
    pub(crate) blocks: Vec<ByteRange>,
    pub(crate) events: Vec<Event>,
    /// Value, line and column of the stated total.
    pub(crate) total: Option<(u64, u64, u64)>,
    /// Base that the first placed tensor with an address tells.
    pub(crate) base: Option<u64>,
    pub(crate) suspects: Vec<Suspect>,
    /// How often each section's header came.
    pub(crate) seen: [u32; Section::ALL.len()],
    /// The columns of the tensor table were read: only then the variant is known.
    pub(crate) has_columns: bool,
    /// The tensor table has life columns (all but A).
    pub(crate) has_life: bool,
    /// The tensor table has addresses (A, B).
    pub(crate) has_addr: bool,
    pub(crate) tensor_lookup: Lookup,
    pub(crate) parameter_lookup: Lookup,
    pub(crate) control_lookup: Lookup,
}

impl RawDump {
    pub(crate) fn suspect(
        &mut self,
        what: SuspectKind,
        line_no: u64,
        line: &[u8],
        at: usize,
        width: usize,
    ) {
        let shown = self.suspects.len() < MOST_EXCERPTS;
        self.suspects.push(Suspect {
            what,
            line: line_no,
            column: column_of(line, at),
            excerpt: shown.then(|| Box::new(excerpt(line, at, width))),
        });
    }

    /// The name kept for the node at `step`, if it is this very one.
    #[inline(always)]
    pub(crate) fn known_name(&self, step: u32, name: &[u8]) -> Option<NameId> {
        let id = *self.name_at_step.get(step as usize)?;
        (id != NONE && self.names.is(NameId(id), name)).then_some(NameId(id))
    }

    /// Keeps the name of the node at `step`; the second value is the name another table gave it,
    /// if that is a different one. `None` when there is no room for names left.
    pub(crate) fn note_name(&mut self, step: u32, name: &[u8]) -> Option<(NameId, bool)> {
        let known = match self.name_at_step.get(step as usize) {
            Some(&id) if id != NONE => Some(NameId(id)),
            Some(_) => None,
            None => self.name_at_far_step.get(&step).copied(),
        };
        if let Some(id) = known {
            return Some((
                id,
                self.names.get(id).trim_ascii_end() != name.trim_ascii_end(),
            ));
        }
        let id = self.names.push(name)?;
        // A step far behind everything read so far would make the table huge for one row.
        let rows = self.tensors.ids.len() as usize + self.nodes.ids.len() as usize;
        let near = (1 << 20) + rows.saturating_mul(16);
        if (step as usize) < near {
            // Steps come one after the other, nearly always.
            if self.name_at_step.len() == step as usize {
                self.name_at_step.push(id.0);
                return Some((id, false));
            }
            if self.name_at_step.len() < step as usize {
                self.name_at_step.resize(step as usize + 1, NONE);
            }
            if let Some(place) = self.name_at_step.get_mut(step as usize) {
                *place = id.0;
            }
        } else {
            self.name_at_far_step.insert(step, id);
        }
        Some((id, false))
    }

    /// Room for the rows that a text of `bytes` bytes has in this section, by the shortest rows of
    /// real dumps; what is not used costs address space only.
    pub(crate) fn reserve(&mut self, section: Section, bytes: usize) {
        match section {
            Section::Tensors => {
                let (rows, control) = (bytes / 200, bytes / 320);
                let t = &mut self.tensors;
                t.aligned.reserve(rows);
                t.original.reserve(rows);
                t.offset.reserve(rows);
                t.kind.reserve(rows);
                t.lifelong.reserve(rows);
                t.first.reserve(rows);
                t.last.reserve(rows);
                self.control.before.reserve(control);
                self.control.after.reserve(control);
                self.names.reserve(bytes / 350, bytes / 20);
                self.name_at_step.reserve(bytes / 350);
            }
            Section::Nodes => {
                let rows = bytes / 350;
                let n = &mut self.nodes;
                n.name.reserve(rows);
                n.stream.reserve(rows);
                n.flags.reserve(rows);
                n.inputs.reserve(rows, bytes / 120);
                n.outputs.reserve(rows, bytes / 200);
                n.workspaces.reserve(rows, 0);
            }
            _ => {}
        }
    }

    /// Forgets a section: its header came again, and the last occurrence counts.
    pub(crate) fn forget(&mut self, section: Section) {
        match section {
            Section::Parameters => self.parameters = RawParameters::default(),
            Section::Tensors => {
                self.tensors = RawTensors::default();
                self.control = RawControl::default();
                self.base = None;
                self.suspects.clear();
                self.name_at_step.clear();
                self.name_at_far_step.clear();
            }
            Section::Nodes => {
                self.nodes = RawNodes::default();
                self.suspects.retain(|s| {
                    matches!(
                        s.what,
                        SuspectKind::Misaligned { .. } | SuspectKind::Address { .. }
                    )
                });
            }
            Section::Unions | Section::RefNodes => self.unions.clear(),
            Section::Contiguous => self.contiguous.clear(),
            Section::Processed => self.contiguous_processed.clear(),
            Section::Groups => {
                self.groups.clear();
                self.events.clear();
            }
            Section::Blocks => self.blocks.clear(),
            Section::Total => self.total = None,
        }
    }

    /// Called when the node section begins: from here on references can be looked up.
    pub(crate) fn make_lookups(&mut self) {
        self.tensor_lookup = self.tensors.ids.lookup();
        self.parameter_lookup = self.parameters.ids.lookup();
        self.control_lookup = self.control.ids.lookup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_any_width_come_back() {
        let mut refs = RefTable::default();
        for (id, parameter) in [
            (0, false),
            (7, true),
            (0x6fff_ffff, true),
            (0x7000_0000, false),
            (u64::MAX, true),
        ] {
            let code = refs.encode(id, parameter);
            assert_eq!(refs.decode(code), (id, parameter));
        }
    }

    #[test]
    fn lines_of_rows_survive_jumps() {
        let mut lines = LineMap::default();
        for line in [5, 6, 9, 10, 2] {
            lines.push(line);
        }
        assert_eq!(
            (0..5).map(|r| lines.line_of(r)).collect::<Vec<_>>(),
            [5, 6, 9, 10, 2]
        );
        assert_eq!(LineMap::default().line_of(3), 0);
    }

    #[test]
    fn id_columns_turn_explicit_at_the_first_jump() {
        let mut ids = IdColumn::default();
        ids.push(0);
        ids.push(1);
        assert!(ids.explicit.is_none());
        ids.push(9);
        ids.push(1);
        let lookup = ids.lookup();
        assert_eq!(
            (lookup.row(9), lookup.row(1), lookup.row(2)),
            (Some(2), Some(1), None)
        );
        assert_eq!(ids.into_explicit(), Some(vec![0, 1, 9, 1]));
    }
}
