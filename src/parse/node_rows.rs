//! Rows of the node table.
//!
//! As for tensors there is a fast path for the exact form MindSpore writes, and a careful one
//! that accepts every form seen or allowed and can say what is wrong.

use super::diagnostic::What;
use super::raw::{RawDump, SuspectKind};
use super::rows::{fields, RowFault, MOST_ROWS};
use super::token::{whole_number, Cursor};
use crate::model::{NodeFlags, NONE};

/// Which list of a node an item stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Inputs,
    Outputs,
    Workspaces,
    ControlInputs,
    ControlOutputs,
}

/// The suffix of an item: `%1T`, `%1P`, `%1CT`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Tensor,
    Parameter,
    Control,
}

/// Reads one row of `All Nodes`.
pub(crate) fn node_row(dump: &mut RawDump, line_no: u64, line: &[u8]) -> Result<(), RowFault> {
    if dump.nodes.ids.len() >= MOST_ROWS {
        return Err(RowFault::TooMany);
    }
    let suspects = dump.suspects.len();
    let (id, name, kind, stream) = match fast_node(dump, line_no, line) {
        Some(head) => head,
        None => {
            abandon(dump, suspects);
            careful_node(dump, line_no, line).inspect_err(|_| abandon(dump, suspects))?
        }
    };
    let noted = match dump.known_name(id, name) {
        Some(known) => Some((known, false)),
        None => dump.note_name(id, name),
    };
    let Some((known, differs)) = noted else {
        abandon(dump, suspects);
        return Err(RowFault::TooMany);
    };
    let name_id = if differs {
        let here = super::diagnostic::quoted(name, 60);
        let there = super::diagnostic::quoted(dump.names.get(known), 60);
        let at = line.iter().position(|b| *b == b'\t').map_or(0, |t| t + 1);
        dump.suspect(
            SuspectKind::Name {
                step: id,
                here,
                there,
            },
            line_no,
            line,
            at,
            name.len(),
        );
        match dump.names.push(name) {
            Some(own) => own,
            None => return Err(RowFault::TooMany),
        }
    } else {
        known
    };
    let n = &mut dump.nodes;
    n.ids.push(u64::from(id));
    n.name.push(name_id);
    n.stream.push(stream);
    n.flags.push(flags_of(name, kind));
    n.inputs.end_row();
    n.outputs.end_row();
    n.workspaces.end_row();
    n.lines.push(line_no);
    n.full_names = n.full_names || memchr::memchr(b'/', name).is_some_and(|i| i + 1 < name.len());
    Ok(())
}

fn abandon(dump: &mut RawDump, suspects: usize) {
    dump.nodes.inputs.abandon_row();
    dump.nodes.outputs.abandon_row();
    dump.nodes.workspaces.abandon_row();
    dump.suspects.truncate(suspects);
}

fn flags_of(name: &[u8], kind: u64) -> NodeFlags {
    let mut flags = NodeFlags::default();
    if kind == 1 {
        flags.set(NodeFlags::COMMUNICATION);
    }
    if is_clean(name) {
        flags.set(NodeFlags::CLEAN);
    }
    flags
}

/// `AtomicAddrClean` (up to 2.0) or `MemSet` (from 2.1), with or without `-opN`, as the last
/// part of the name.
fn is_clean(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let head = name.get(..name.len() - digits).unwrap_or(name);
    let stem = if digits > 0 {
        head.strip_suffix(b"-op").unwrap_or(name)
    } else {
        name
    };
    [&b"AtomicAddrClean"[..], b"MemSet"].iter().any(|op| {
        stem.strip_suffix(*op)
            .is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
    })
}

/// `$0 name 0 inputs[%0T, %1P, ] outputs[] workspace[] [ctrl_inputs[] ctrl_outputs[]] streamID[@0]`.
#[inline]
fn fast_node<'a>(
    dump: &mut RawDump,
    line_no: u64,
    line: &'a [u8],
) -> Option<(u32, &'a [u8], u64, u32)> {
    let mut c = Cursor::new(line);
    c.byte(b'$')?;
    let id = c.number32()?;
    c.byte(b'\t')?;
    let name = c.long_word()?;
    let kind = c.number()?;
    if kind > 1 {
        return None;
    }
    let mut items = Items {
        dump,
        line_no,
        line,
        node: id,
    };
    c.literal(b"\tinputs[")?;
    items.fast_list(&mut c, Place::Inputs)?;
    c.literal(b"\toutputs[")?;
    items.fast_list(&mut c, Place::Outputs)?;
    c.literal(b"\tworkspace[")?;
    items.fast_list(&mut c, Place::Workspaces)?;
    if c.rest.starts_with(b"\tctrl_inputs[") {
        c.literal(b"\tctrl_inputs[")?;
        items.fast_list(&mut c, Place::ControlInputs)?;
        c.literal(b"\tctrl_outputs[")?;
        items.fast_list(&mut c, Place::ControlOutputs)?;
    }
    c.literal(b"\tstreamID[@")?;
    let stream = c.number32()?;
    c.byte(b']')?;
    c.rest
        .trim_ascii_end()
        .is_empty()
        .then_some((id, name, kind, stream))
}

/// Where the items of a node's lists go.
struct Items<'d, 'a> {
    dump: &'d mut RawDump,
    line_no: u64,
    line: &'a [u8],
    node: u32,
}

impl Items<'_, '_> {
    #[inline]
    fn fast_list(&mut self, c: &mut Cursor<'_>, place: Place) -> Option<()> {
        while c.byte(b']').is_none() {
            let left = c.rest.len();
            c.byte(b'%')?;
            let id = c.number()?;
            let kind = match c.rest.first() {
                Some(b'T') => ItemKind::Tensor,
                Some(b'P') => ItemKind::Parameter,
                Some(b'C') => {
                    c.byte(b'C')?;
                    ItemKind::Control
                }
                _ => return None,
            };
            c.rest = c.rest.get(1..)?;
            c.literal(b", ")?;
            self.take(
                place,
                kind,
                id,
                self.line.len() - left,
                left - c.rest.len() - 2,
            )?;
        }
        Some(())
    }

    /// Keeps one item; `None` when it does not belong in this list.
    #[inline(always)]
    fn take(
        &mut self,
        place: Place,
        kind: ItemKind,
        id: u64,
        at: usize,
        width: usize,
    ) -> Option<()> {
        let control_list = matches!(place, Place::ControlInputs | Place::ControlOutputs);
        if control_list {
            // In C1 the table prints control tensors with `T`, the node lines with `CT`.
            if kind == ItemKind::Parameter {
                return None;
            }
            self.check_control(id, place == Place::ControlInputs, at, width);
            return Some(());
        }
        let parameter = match (kind, place) {
            (ItemKind::Control, _) => return None,
            (ItemKind::Parameter, Place::Inputs) => true,
            (ItemKind::Parameter, _) => return None,
            (ItemKind::Tensor, _) => false,
        };
        let lookup = if parameter {
            &self.dump.parameter_lookup
        } else {
            &self.dump.tensor_lookup
        };
        if lookup.row(id).is_none() {
            let what = if parameter {
                SuspectKind::ParameterRef(id)
            } else {
                SuspectKind::TensorRef(id)
            };
            self.dump.suspect(what, self.line_no, self.line, at, width);
        }
        let code = self.dump.refs.encode(id, parameter);
        let nodes = &mut self.dump.nodes;
        match place {
            Place::Inputs => nodes.inputs.push_item(code),
            Place::Outputs => nodes.outputs.push_item(code),
            _ => nodes.workspaces.push_item(code),
        }
        Some(())
    }

    /// The row of a control tensor names the two nodes; a list that says otherwise is suspect.
    #[inline]
    fn check_control(&mut self, id: u64, into: bool, at: usize, width: usize) {
        let control = &self.dump.control;
        let ends = if into {
            &control.after
        } else {
            &control.before
        };
        let row = self.dump.control_lookup.row(id);
        let agrees = row
            .and_then(|r| ends.get(r as usize))
            .is_some_and(|n| *n == self.node);
        if !agrees {
            let what = SuspectKind::ControlRef {
                id,
                node: self.node,
                into,
            };
            self.dump.suspect(what, self.line_no, self.line, at, width);
        }
    }
}

fn careful_node<'a>(
    dump: &mut RawDump,
    line_no: u64,
    line: &'a [u8],
) -> Result<(u32, &'a [u8], u64, u32), RowFault> {
    // With and without the two control lists.
    let found = fields(line, 7);
    let with_control = found.len() > 7;
    let expected = if with_control { 9 } else { 7 };
    if found.len() != expected {
        let expected = if line.windows(12).any(|w| w == b"\tctrl_inputs") {
            9
        } else {
            7
        };
        return Err(RowFault::FieldCount(expected, found.len()));
    }
    let field = |i: usize| found.get(i).copied().unwrap_or((line.len(), &[]));
    let fault = |what, (at, text): (usize, &[u8])| RowFault::Field(what, at, text.len().max(1));

    let first = field(0);
    let digits = first
        .1
        .trim_ascii()
        .strip_prefix(b"$")
        .ok_or_else(|| fault(What::NodeId, first))?;
    let id = match whole_number(digits).map(|n| n.map(u32::try_from)) {
        Ok(Some(Ok(id))) if id != NONE => id,
        Ok(None) => return Err(fault(What::NodeId, first)),
        _ => return Err(RowFault::TooLarge(What::NodeId, first.0, first.1.len())),
    };
    let name = field(1).1;
    let kind = match whole_number(field(2).1.trim_ascii()) {
        Ok(Some(kind)) => kind,
        _ => return Err(fault(What::NodeType, field(2))),
    };
    let mut items = Items {
        dump,
        line_no,
        line,
        node: id,
    };
    items
        .careful_list(field(3), b"inputs", Place::Inputs)
        .map_err(|()| fault(What::InputList, field(3)))?;
    items
        .careful_list(field(4), b"outputs", Place::Outputs)
        .map_err(|()| fault(What::OutputList, field(4)))?;
    items
        .careful_list(field(5), b"workspace", Place::Workspaces)
        .map_err(|()| fault(What::WorkspaceList, field(5)))?;
    if with_control {
        let into = items.careful_list(field(6), b"ctrl_inputs", Place::ControlInputs);
        into.map_err(|()| fault(What::ControlInputList, field(6)))?;
        let out = items.careful_list(field(7), b"ctrl_outputs", Place::ControlOutputs);
        out.map_err(|()| fault(What::ControlOutputList, field(7)))?;
    }
    let last = field(expected - 1);
    let stream = stream_of(last.1.trim_ascii()).ok_or_else(|| fault(What::StreamId, last))?;
    Ok((id, name, kind, stream))
}

/// `streamID[@12]`; a negative number is no stream.
fn stream_of(field: &[u8]) -> Option<u32> {
    let inner = field
        .strip_prefix(b"streamID[")?
        .strip_suffix(b"]")?
        .trim_ascii();
    let inner = inner.strip_prefix(b"@").unwrap_or(inner);
    if let Some(negative) = inner.strip_prefix(b"-") {
        return whole_number(negative).ok().flatten().map(|_| NONE);
    }
    whole_number(inner)
        .ok()
        .flatten()
        .and_then(|n| u32::try_from(n).ok())
}

impl Items<'_, '_> {
    /// A list field in any of its forms: `inputs[%1T, %2P, ]`, `inputs[%1T,%2P]`, `inputs[]`.
    fn careful_list(
        &mut self,
        (at, text): (usize, &[u8]),
        lead: &[u8],
        place: Place,
    ) -> Result<(), ()> {
        let text = text.trim_ascii_end();
        let inner = text
            .strip_prefix(lead)
            .and_then(|t| t.strip_prefix(b"["))
            .and_then(|t| t.strip_suffix(b"]"));
        let inner = inner.ok_or(())?;
        let mut from = at + lead.len() + 1;
        for item in inner.split(|b| matches!(b, b',' | b' ')) {
            if !item.is_empty() {
                let (kind, id) = item_of(item).ok_or(())?;
                self.take(place, kind, id, from, item.len()).ok_or(())?;
            }
            from += item.len() + 1;
        }
        Ok(())
    }
}

/// `%12T`, `%12P` or `%12CT`.
fn item_of(item: &[u8]) -> Option<(ItemKind, u64)> {
    let inner = item.strip_prefix(b"%")?;
    let suffixes = [
        (&b"CT"[..], ItemKind::Control),
        (b"T", ItemKind::Tensor),
        (b"P", ItemKind::Parameter),
    ];
    let (kind, digits) = suffixes
        .into_iter()
        .find_map(|(s, kind)| Some((kind, inner.strip_suffix(s)?)))?;
    Some((kind, whole_number(digits).ok().flatten()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<RawDump, RowFault> {
        let mut dump = RawDump::default();
        node_row(&mut dump, 1, line.as_bytes()).map(|()| dump)
    }

    fn inputs(dump: &RawDump) -> Vec<(u64, bool)> {
        dump.nodes
            .inputs
            .get(0)
            .iter()
            .map(|c| dump.refs.decode(*c))
            .collect()
    }

    #[test]
    fn every_form_of_a_list_reads_the_same() {
        for text in [
            "$3\ta[b], c\t0\tinputs[%4T, %2P, ]\toutputs[%5T, ]\tworkspace[]\tctrl_inputs[%0CT, ]\tctrl_outputs[]\tstreamID[@7]",
            "$3\ta[b], c\t0\tinputs[%4T,%2P]\toutputs[%5T]\tworkspace[ ]\tctrl_inputs[%0CT,]\tctrl_outputs[]\tstreamID[@7]",
            "$3\ta[b], c\t0\tinputs[%4T %2P ]\toutputs[%5T ]\tworkspace[]\tstreamID[@7] \t",
        ] {
            let dump = read(text).unwrap();
            assert_eq!(inputs(&dump), [(4, false), (2, true)], "{text}");
            assert_eq!((dump.nodes.outputs.get(0).len(), dump.nodes.stream[0]), (1, 7));
            assert_eq!(dump.names.get(dump.nodes.name[0]), b"a[b], c");
        }
    }

    #[test]
    fn faults_point_at_their_field_and_leave_nothing_behind() {
        let fault = |line| read(line).err().unwrap();
        assert_eq!(
            fault("$3\tname\t0\tinputs[%4T, %2P"),
            RowFault::FieldCount(7, 4)
        );
        let text = "$3\tname\t0\tinputs[%4T, ]\toutputs[%5P, ]\tworkspace[]\tstreamID[@7]";
        assert_eq!(fault(text), RowFault::Field(What::OutputList, 24, 14));
        let mut dump = RawDump::default();
        assert!(node_row(&mut dump, 1, text.as_bytes()).is_err());
        assert!(dump.nodes.inputs.items().is_empty() && dump.suspects.is_empty());
        let text = "$x\tname\t0\tinputs[]\toutputs[]\tworkspace[]\tstreamID[@7]";
        assert_eq!(fault(text), RowFault::Field(What::NodeId, 0, 2));
        let text = "$4\tname\t0\tinputs[]\toutputs[]\tworkspace[]\tstreamID[7";
        assert!(matches!(fault(text), RowFault::Field(What::StreamId, ..)));
    }

    #[test]
    fn clean_nodes_are_told_by_the_last_part() {
        for (name, clean) in [
            ("MemSet-op12", true),
            ("Default/x/MemSet", true),
            ("AtomicAddrClean-op1", true),
            ("MemSetX-op1", false),
            ("NotMemSet-op1", false),
            ("MemSet-opX", false),
            ("MemSet/Add-op1", false),
            ("", false),
        ] {
            assert_eq!(is_clean(name.as_bytes()), clean, "{name}");
        }
    }
}
