//! Reads `task_info_graph_N.ir`: records of a name, a line of numbers and up to three lists of
//! addresses, each record ended by an empty line.

use super::diagnostic::{column_of, excerpt, quoted, Arg, Code, Diagnostics, What};
use super::reader::LineCount;
use super::token::{pointer, whole_number};
use crate::model::{AddressLists, TaskInfo};

/// Reads the lines of a task info file.
#[derive(Debug, Default)]
pub(crate) struct TaskInfoReader {
    info: TaskInfo,
    lines: LineCount,
    diagnostics: Diagnostics,
    /// Between a record's name and the empty line behind it.
    open: bool,
    /// The open record's line of numbers was read.
    numbered: bool,
    /// Lists of the open record that were read.
    listed: [bool; 3],
}

const LISTS: [&[u8]; 3] = [b"input address:", b"output address:", b"workspace address:"];

impl TaskInfoReader {
    /// One line without its `\n`.
    pub(crate) fn line(&mut self, line: &[u8]) {
        self.lines.total += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            self.lines.blank += 1;
            self.end_record();
            return;
        }
        let read = if let Some(name) = line.strip_prefix(b"op_name:") {
            self.begin_record(name)
        } else if !self.open {
            Err((Code::UnknownLine, 0, line.len(), vec![title()]))
        } else if line.starts_with(b"task_index:") {
            self.numbers(line)
        } else {
            let list = LISTS.iter().position(|lead| line.starts_with(lead));
            match list {
                Some(which) => self.list(which, line),
                None => Err((Code::UnknownLine, 0, line.len(), vec![title()])),
            }
        };
        match read {
            Ok(()) => self.lines.records += 1,
            Err((code, at, width, mut args)) => {
                self.lines.unread += 1;
                let found = line.get(at..at + width).unwrap_or(line);
                args.push(Arg::Text(quoted(found, 60)));
                let excerpt = self
                    .diagnostics
                    .has_room(code)
                    .then(|| excerpt(line, at, width));
                let column = column_of(line, at);
                self.diagnostics
                    .add(code, self.lines.total, column, args, excerpt);
            }
        }
    }

    fn begin_record(&mut self, name: &[u8]) -> Read {
        self.end_record();
        let plain = name.strip_suffix(b"-NonTask");
        let Some(id) = self.info.names.push(plain.unwrap_or(name)) else {
            return Err((Code::TooManyRows, 0, name.len(), vec![title()]));
        };
        self.info.name.push(id);
        self.info.non_task.push(plain.is_some());
        self.info.tasks.push(0);
        self.info.stream.push(0);
        self.info.line.push(self.lines.total);
        (self.open, self.numbered, self.listed) = (true, false, [false; 3]);
        Ok(())
    }

    fn end_record(&mut self) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        if !self.numbered && self.diagnostics.errors == 0 {
            let line = self.info.line.last().copied().unwrap_or(0);
            let name = quoted(self.info.name_of(self.info.len().saturating_sub(1)), 60);
            let args = vec![Arg::What(What::TaskNumbers), Arg::Text(name)];
            self.diagnostics
                .add(Code::UnreadableField, line, 1, args, None);
        }
        for list in [
            &mut self.info.inputs,
            &mut self.info.outputs,
            &mut self.info.workspaces,
        ] {
            list.end_row();
        }
    }

    /// `task_index:0<TAB>task_num:1<TAB>task0_stream_id:0<TAB>…`; what else stands there is left.
    fn numbers(&mut self, line: &[u8]) -> Read {
        self.numbered = true;
        let mut at = 0;
        for field in line.split(|b| *b == b'\t') {
            let colon = field.iter().position(|b| *b == b':').unwrap_or(field.len());
            let (key, value) = field.split_at(colon);
            let value = value.get(1..).unwrap_or(&[]).trim_ascii();
            let column = match key {
                b"task_num" => Some(&mut self.info.tasks),
                b"task0_stream_id" => Some(&mut self.info.stream),
                _ => None,
            };
            if let Some(column) = column {
                let number = whole_number(value).ok().flatten();
                match (
                    number.and_then(|n| u32::try_from(n).ok()),
                    column.last_mut(),
                ) {
                    (Some(n), Some(place)) => *place = n,
                    _ => {
                        let args = vec![Arg::What(What::TaskNumbers)];
                        return Err((Code::UnreadableField, at, field.len(), args));
                    }
                }
            }
            at += field.len() + 1;
        }
        Ok(())
    }

    /// `0x108800000000(15360)<TAB>…`
    fn list(&mut self, which: usize, line: &[u8]) -> Read {
        let lead = LISTS.get(which).map_or(0, |l| l.len());
        let seen = self
            .listed
            .get_mut(which)
            .map(|s| std::mem::replace(s, true));
        if seen != Some(false) {
            return Err((Code::UnknownLine, 0, line.len(), vec![title()]));
        }
        let lists: &mut AddressLists = match which {
            0 => &mut self.info.inputs,
            1 => &mut self.info.outputs,
            _ => &mut self.info.workspaces,
        };
        let mut at = lead;
        for entry in line.get(lead..).unwrap_or(&[]).split(|b| *b == b'\t') {
            let text = entry.trim_ascii();
            if !text.is_empty() {
                let Some((address, size)) = address_of(text) else {
                    lists.abandon_row();
                    let args = vec![Arg::What(What::TaskAddress)];
                    return Err((Code::UnreadableField, at, entry.len(), args));
                };
                lists.push_item(address, size);
            }
            at += entry.len() + 1;
        }
        Ok(())
    }

    /// The records and what is wrong with them.
    pub(crate) fn finish(mut self) -> (TaskInfo, Diagnostics, LineCount) {
        self.end_record();
        self.diagnostics.sort();
        (self.info, self.diagnostics, self.lines)
    }
}

fn title() -> Arg {
    Arg::Text("op_name:".to_owned())
}

/// A line was taken, or: code, place in the line, width, arguments before the found text.
type Read = Result<(), (Code, usize, usize, Vec<Arg>)>;

/// `PTR(UINT)`; the pointer may itself be `(nil)`.
fn address_of(text: &[u8]) -> Option<(u64, u64)> {
    let inner = text.strip_suffix(b")")?;
    let open = inner.iter().rposition(|b| *b == b'(')?;
    let (address, size) = inner.split_at(open);
    let size = whole_number(size.get(1..)?).ok().flatten()?;
    Some((pointer(address)?, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (TaskInfo, Diagnostics, LineCount) {
        let mut reader = TaskInfoReader::default();
        text.split_terminator('\n')
            .for_each(|l| reader.line(l.as_bytes()));
        reader.finish()
    }

    #[test]
    fn records_with_and_without_lists() {
        let text = "op_name:Default/a (b)/MatMul-op0\r\ntask_index:0\ttask_num:2\ttask0_stream_id:7\ttask0_type:0\ttask0_dump_flag:1\r\ninput address:0x10(5)\t(nil)(0)\t\r\noutput address:0(4)\t\r\n\r\nop_name:Split-op1-NonTask\ntask_index:1\ttask_num:0\ttask0_stream_id:0\n\nop_name:x\ntask_index:2\ttask_num:1\ttask0_stream_id:0\nworkspace address:0xFF(9)";
        let (info, found, lines) = read(text);
        assert_eq!((found.errors, info.len(), lines.unread), (0, 3, 0));
        assert_eq!(info.inputs.get(0).collect::<Vec<_>>(), [(16, 5), (0, 0)]);
        assert_eq!(info.outputs.get(0).collect::<Vec<_>>(), [(0, 4)]);
        assert_eq!(info.workspaces.get(2).collect::<Vec<_>>(), [(255, 9)]);
        assert_eq!((info.tasks[0], info.stream[0]), (2, 7));
        assert!(info.is_non_task(1) && info.name_of(1) == b"Split-op1");
        assert_eq!(info.addresses().count(), 2);
        assert_eq!(lines.total, lines.blank + lines.records);
    }

    #[test]
    fn damage_has_a_place() {
        for (text, code, line, column) in [
            (
                "op_name:a\ntask_index:0\ttask_num:x\n",
                Code::UnreadableField,
                2,
                14,
            ),
            (
                "op_name:a\ntask_index:0\ninput address:0x1(2)\t0x3[4]\t\n",
                Code::UnreadableField,
                3,
                22,
            ),
            (
                "op_name:a\ntask_index:0\nnonsense\n",
                Code::UnknownLine,
                3,
                1,
            ),
            (
                "op_name:a\ntask_index:0\n\ninput address:0x1(2)\t\n",
                Code::UnknownLine,
                4,
                1,
            ),
            ("op_name:a\n", Code::UnreadableField, 1, 1),
        ] {
            let (_, found, _) = read(text);
            assert_eq!(found.errors, 1, "{text}");
            let d = &found.list[0];
            assert_eq!((d.code, d.line, d.column), (code, line, column), "{text}");
        }
    }
}
