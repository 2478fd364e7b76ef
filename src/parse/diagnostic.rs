//! Errors and warnings as data: a code, a position, fields. Words come later, in `report::text`.

use super::kind::FileKind;
use crate::model::acts;
use crate::sorting;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No plan: a row or a section could not be read.
    Error,
    /// A plan exists; something in it contradicts itself.
    Warning,
}

impl Severity {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $severity:ident $word:literal),+ $(,)?) => {
        /// What is wrong. The words are stable: the page and the command line show the same.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The stable word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// How bad it is.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity),+ }
            }
        }
    };
}

codes! {
    /// The first lines are no dump. Args: what was found.
    NotADump = Error "not_a_dump",
    /// A file of the same run that is something else than a plan. Args: what it is.
    NotThePlan = Error "not_the_plan",
    /// Nothing but white space.
    EmptyFile = Error "empty_file",
    /// The compressed file breaks off or is damaged.
    GzDamaged = Error "gz_damaged",
    /// A field is not what its column holds. Args: what was expected, what was found.
    UnreadableField = Error "unreadable_field",
    /// A row has too few or too many fields. Args: expected, section, found.
    FieldCount = Error "field_count",
    /// The file ends inside a row. Args: expected, section, found.
    RowCut = Error "row_cut",
    /// A line that fits nothing where it stands. Args: section, what was found.
    UnknownLine = Error "unknown_line",
    /// A row comes before the line that names the columns. Args: section.
    NoHeader = Error "no_header",
    /// A needed column is missing. Args: column, section.
    MissingColumn = Error "missing_column",
    /// A section that every dump of this variant has is missing. Args: section.
    MissingSection = Error "missing_section",
    /// The last copy in a file written twice breaks off. Args: section.
    LastCopyCut = Error "last_copy_cut",
    /// A lifetime that ends before it begins. Args: tensor id, life_start, life_end.
    ReversedLife = Error "reversed_life",
    /// A number beyond what the format allows. Args: what, what was found.
    NumberTooLarge = Error "number_too_large",
    /// Sizes that add up to 2^63 bytes or more.
    SumTooLarge = Error "sum_too_large",
    /// More rows than can be numbered. Args: section.
    TooManyRows = Error "too_many_rows",

    /// A section nobody knows; it was skipped. Args: its header.
    UnknownSection = Warning "unknown_section",
    /// A node or list names something that is not listed. Args: the reference, what is listed.
    UnknownReference = Warning "unknown_reference",
    /// An id appears twice; the first row counts. Args: the id.
    DuplicateId = Warning "duplicate_id",
    /// The stated total is not the highest end. Args: stated, tensor id, its end, its line.
    TotalDiffers = Warning "total_differs",
    /// An offset or size that is no multiple of 512. Args: tensor id, offset, aligned size.
    Misaligned = Warning "misaligned",
    /// A lifetime reaches behind the last node. Args: tensor id, life_end, last step.
    LifeBeyondGraph = Warning "life_beyond_graph",
    /// A tensor that no node lists. Args: tensor id.
    NoSource = Warning "no_source",
    /// A tensor that two nodes list as their own. Args: tensor id, first node, second node.
    WrittenTwice = Warning "written_twice",
    /// A tensor row names another source node than the node table. Args: step, the two names.
    NameDiffers = Warning "name_differs",
    /// A control tensor row and the node lists disagree. Args: control id, node.
    ControlDiffers = Warning "control_differs",
    /// Node numbers with holes. Args: first missing number.
    MissingNode = Warning "missing_node",
    /// A lifelong word nobody knows; taken for LifeLongNone. Args: the word.
    UnknownLifelong = Warning "unknown_lifelong",
    /// An address that is not base + offset. Args: tensor id, found, expected.
    AddressDiffers = Warning "address_differs",
    /// Guard tensors that belong to no communication list. Args: tensor id.
    GapWithoutList = Warning "gap_without_list",
}

/// What was expected in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// `%12T`.
    TensorId,
    /// `%12P`.
    ParameterId,
    /// `#2560S`, aligned.
    AlignedSize,
    /// `#2560S`, original.
    OriginalSize,
    /// `#2560S`, of a parameter.
    ParameterSize,
    /// `&4096`.
    Offset,
    /// `&0x108800000000`.
    Address,
    /// A type word.
    TypeWord,
    /// `0`, `1` or a LifeLong word.
    LifelongWord,
    /// A node number.
    LifeStart,
    /// A node number.
    LifeEnd,
    /// A decimal output number.
    OutIndex,
    /// `$12`.
    NodeId,
    /// `0` or `1`.
    NodeType,
    /// `inputs[...]`.
    InputList,
    /// `outputs[...]`.
    OutputList,
    /// `workspace[...]`.
    WorkspaceList,
    /// `ctrl_inputs[...]`.
    ControlInputList,
    /// `ctrl_outputs[...]`.
    ControlOutputList,
    /// `streamID[@0]`.
    StreamId,
    /// `union tensors: [%1T %2T ]`.
    UnionList,
    /// `contiguous tensors: [%1T %2T ]`.
    ContiguousList,
    /// `stm0 stm3`.
    GroupList,
    /// `4096<TAB>512`.
    Block,
    /// `refnode input-output:%1T %2T`.
    RefList,
    /// `event_id:0 send:A recv:B`.
    EventLine,
    /// `Total Memory Size after reused:123`.
    Total,
    /// `task_index:0 task_num:1 task0_stream_id:0`.
    TaskNumbers,
    /// `0x108800000000(15360)`.
    TaskAddress,
}

/// A field of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Text of the file, cut and made visible.
    Text(String),
    /// A number.
    Number(u64),
    /// What was expected.
    What(What),
    /// What a file is.
    Kind(FileKind),
}

/// The line of the file and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line, or the part around the place; tabs as single spaces, controls made visible.
    pub text: String,
    /// Characters of `text` before the mark.
    pub mark: usize,
    /// Characters under the mark, at least 1.
    pub width: usize,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub code: Code,
    /// 1-based line; 0 when it belongs to no line.
    pub line: u64,
    /// 1-based column, counted in characters (a tab is one); 0 when it belongs to no column.
    pub column: u64,
    /// Fields, as the code says.
    pub args: Vec<Arg>,
    /// The line, where it was at hand.
    pub excerpt: Option<Excerpt>,
}

/// All that is wrong with a file: exact counts, and the first of each severity.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// Number of errors.
    pub errors: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// The first [`Diagnostics::MOST_ERRORS`] errors and [`Diagnostics::MOST_WARNINGS`] warnings,
    /// by line.
    pub list: Vec<Diagnostic>,
    listed_errors: usize,
    listed_warnings: usize,
}

impl Diagnostics {
    /// Most errors that are listed.
    pub const MOST_ERRORS: usize = 20;
    /// Most warnings that are listed.
    pub const MOST_WARNINGS: usize = 100;

    /// Whether another one of that severity would be listed, so that its fields are worth making.
    pub fn has_room(&self, code: Code) -> bool {
        match code.severity() {
            Severity::Error => self.listed_errors < Self::MOST_ERRORS,
            Severity::Warning => self.listed_warnings < Self::MOST_WARNINGS,
        }
    }

    /// Counts one, and lists it while there is room.
    pub fn add(
        &mut self,
        code: Code,
        line: u64,
        column: u64,
        args: Vec<Arg>,
        excerpt: Option<Excerpt>,
    ) {
        let room = self.has_room(code);
        match code.severity() {
            Severity::Error => {
                self.errors += 1;
                self.listed_errors += usize::from(room);
            }
            Severity::Warning => {
                self.warnings += 1;
                self.listed_warnings += usize::from(room);
            }
        }
        if room {
            self.list.push(Diagnostic {
                code,
                line,
                column,
                args,
                excerpt,
            });
        }
    }

    /// Sorts the list by place; called once at the end.
    pub(crate) fn sort(&mut self) {
        sorting::sort_by(&mut self.list, |a, b| {
            (a.line, a.column).cmp(&(b.line, b.column))
        });
    }
}

/// Text of the file for a message: at most `most` characters, controls escaped.
pub(crate) fn quoted(bytes: &[u8], most: usize) -> String {
    let head = bytes
        .get(..most.saturating_mul(4).saturating_add(4))
        .unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == most {
            out.push('…');
            return out;
        }
        push_visible(&mut out, c);
    }
    if head.len() < bytes.len() {
        out.push('…');
    }
    out
}

fn push_visible(out: &mut String, c: char) {
    if c == '\t' {
        out.push(' ');
    } else if acts(c) {
        out.extend(c.escape_unicode());
    } else {
        out.push(c);
    }
}

/// 1-based column of byte `at` in `line`, counted in characters.
pub(crate) fn column_of(line: &[u8], at: usize) -> u64 {
    let head = line.get(..at).unwrap_or(line);
    head.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u64 + 1
}

/// The part of `line` around the `width` bytes from `at` on.
pub(crate) fn excerpt(line: &[u8], at: usize, width: usize) -> Excerpt {
    const BEFORE: usize = 60;
    const LONGEST: usize = 110;
    let at = at.min(line.len());
    let mut from = at.saturating_sub(BEFORE);
    while from > 0 && line.get(from).is_some_and(|b| b & 0xc0 == 0x80) {
        from -= 1;
    }
    let mut text = String::new();
    if from > 0 {
        text.push('…');
    }
    let visible = |bytes: &[u8], out: &mut String| {
        for c in String::from_utf8_lossy(bytes).chars() {
            push_visible(out, c);
        }
    };
    visible(line.get(from..at).unwrap_or(&[]), &mut text);
    let mark = text.chars().count();
    let rest = line.get(at..).unwrap_or(&[]);
    let shown = rest.get(..LONGEST - BEFORE.min(at - from)).unwrap_or(rest);
    let under = shown.get(..width).unwrap_or(shown);
    let mut marked = String::new();
    visible(under, &mut marked);
    let width = marked.chars().count().max(1);
    text.push_str(&marked);
    visible(shown.get(under.len()..).unwrap_or(&[]), &mut text);
    if shown.len() < rest.len() {
        text.push('…');
    }
    Excerpt { text, mark, width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_a_tab_is_one() {
        assert_eq!(column_of("a\t网x".as_bytes(), 0), 1);
        assert_eq!(column_of("a\t网x".as_bytes(), 2), 3);
        assert_eq!(column_of("a\t网x".as_bytes(), 5), 4);
        assert_eq!(column_of(b"ab", 99), 3);
    }

    #[test]
    fn excerpts_mark_the_place() {
        let e = excerpt(b"%2T\t#1S\t#22\tx", 8, 3);
        assert_eq!((e.text.as_str(), e.mark, e.width), ("%2T #1S #22 x", 8, 3));
        let long = [b'x'; 500];
        let e = excerpt(&long, 400, 2);
        assert!(e.text.starts_with('…') && e.text.ends_with('…') && e.text.chars().count() < 130);
        assert_eq!(quoted(b"a\x1b[0m", 60), "a\\u{1b}[0m");
        assert_eq!(quoted(&long, 3), "xxx…");
    }

    #[test]
    fn counts_stay_exact_when_the_list_is_full() {
        let mut all = Diagnostics::default();
        for line in 0..50 {
            all.add(Code::RowCut, line, 1, vec![], None);
        }
        assert_eq!((all.errors, all.list.len()), (50, 20));
    }
}
