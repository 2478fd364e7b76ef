//! Writes the text of a small dump in any of the variants, from plain lists.
//!
//! The sections are kept as rows, so that a test can permute, drop or double them.

/// The variants that a text can be written in, with what decides sizes and gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    A,
    B1,
    B2,
    C1,
    C2Ascend,
    C2Gpu,
    C3Ascend,
    C3Gpu,
    C3Cpu,
}

impl Style {
    pub const ALL: [Self; 9] = [
        Self::A,
        Self::B1,
        Self::B2,
        Self::C1,
        Self::C2Ascend,
        Self::C2Gpu,
        Self::C3Ascend,
        Self::C3Gpu,
        Self::C3Cpu,
    ];

    pub fn is_b(self) -> bool {
        matches!(self, Self::B1 | Self::B2)
    }

    pub fn is_c(self) -> bool {
        self != Self::A && !self.is_b()
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B1 => "B1",
            Self::B2 => "B2",
            Self::C1 => "C1",
            Self::C2Ascend | Self::C2Gpu => "C2",
            Self::C3Ascend | Self::C3Gpu | Self::C3Cpu => "C3",
        }
    }

    pub fn device(self) -> &'static str {
        match self {
            Self::C2Gpu | Self::C3Gpu => "GPU",
            Self::C3Cpu => "CPU",
            _ => "Ascend",
        }
    }

    /// Whether lists carry 512 hidden bytes on either side and are shown too high.
    pub fn shifts(self) -> bool {
        matches!(self, Self::B1 | Self::B2 | Self::C1 | Self::C2Ascend)
    }

    /// Whether a single tensor makes a contiguous list.
    pub fn lists_one(self) -> bool {
        self == Self::A || self.shifts()
    }

    pub fn full_names(self) -> bool {
        self.word() == "C3"
    }
}

#[derive(Clone, Debug)]
pub struct Param {
    pub id: u64,
    pub size: u64,
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct Tensor {
    pub id: u64,
    pub aligned: u64,
    pub original: u64,
    /// As shown.
    pub offset: u64,
    pub kind: String,
    /// 0 none, 1 all, 2 start, 3 end.
    pub lifelong: u8,
    pub first: u64,
    pub last: u64,
    pub source: String,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    pub id: u64,
    pub name: String,
    pub communication: bool,
    /// Printed items: `%3T`, `%1P`.
    pub inputs: Vec<String>,
    pub outputs: Vec<u64>,
    pub workspaces: Vec<u64>,
    pub stream: u64,
}

/// A dump as lists.
#[derive(Clone, Debug)]
pub struct Mini {
    pub style: Style,
    pub params: Vec<Param>,
    pub tensors: Vec<Tensor>,
    /// First node, second node; ids count from 0.
    pub controls: Vec<(u64, u64)>,
    pub nodes: Vec<Node>,
    pub unions: Vec<Vec<u64>>,
    pub contiguous: Vec<Vec<u64>>,
    pub processed: Vec<Vec<u64>>,
    pub groups: Vec<Vec<u64>>,
    pub blocks: Vec<(u64, u64)>,
    /// Sender, receiver.
    pub events: Vec<(String, String)>,
    pub total: u64,
}

/// One section: header, title row, rows.
#[derive(Clone, Debug)]
pub struct Section {
    pub header: &'static str,
    pub titles: Vec<&'static str>,
    pub rows: Vec<String>,
}

const BASE: u64 = 0x1088_0000_0000;
const LIFELONG: [&str; 4] = [
    "LifeLongNone",
    "LifeLongGraphAll",
    "LifeLongGraphStart",
    "LifeLongGraphEnd",
];

impl Mini {
    pub fn new(style: Style) -> Self {
        Self {
            style,
            params: vec![],
            tensors: vec![],
            controls: vec![],
            nodes: vec![],
            unions: vec![],
            contiguous: vec![],
            processed: vec![],
            groups: vec![],
            blocks: vec![],
            events: vec![],
            total: 0,
        }
    }

    fn name_of(&self, node: u64) -> &str {
        self.nodes
            .iter()
            .find(|n| n.id == node)
            .map_or("", |n| &n.name)
    }

    fn params_section(&self) -> Section {
        let b = self.style.is_b();
        let row = |p: &Param| {
            let addr = if b {
                format!("&{:#x}\t", 0x108f_7000_0000 + p.id * 65536)
            } else {
                String::new()
            };
            format!("%{}P\t#{}S\t{addr}{}\t0", p.id, p.size, p.name)
        };
        let titles = if b {
            vec![
                "index:",
                "size:",
                "start_addr:",
                "source node name:",
                "node out index:",
            ]
        } else {
            vec!["index:", "size:", "source node name:", "node out index:"]
        };
        Section {
            header: "All Parameters:",
            titles,
            rows: self.params.iter().map(row).collect(),
        }
    }

    fn tensors_section(&self) -> Section {
        let titles = match self.style {
            Style::A => vec![
                "index:",
                "size:",
                "real_size:",
                "offset:",
                "addr:",
                "type:",
                "lifelong:",
            ],
            Style::B1 | Style::B2 => vec![
                "index:",
                "size:",
                "real_size:",
                "offset:",
                "addr:",
                "type:",
                "lifelong:",
                "life_start:",
                "life_end:",
                "source node name:",
            ],
            _ => vec![
                "index:",
                "aligned_size:",
                "original_size:",
                "offset:",
                "type:",
                "lifelong:",
                "life_start:",
                "life_end:",
                "source node name:",
            ],
        };
        let row = |t: &Tensor| {
            let mut row = format!(
                "%{}T\t#{}S\t#{}S\t&{}\t",
                t.id, t.aligned, t.original, t.offset
            );
            if self.style.is_c() {
                row += &format!("{}\t{}", t.kind, LIFELONG[usize::from(t.lifelong)]);
            } else {
                row += &format!(
                    "&{:#x}\t{}\t{}",
                    BASE + t.offset,
                    t.kind,
                    u8::from(t.lifelong == 1)
                );
            }
            if self.style != Style::A {
                row += &format!("\t{}\t{}\t{}", t.first, t.last, t.source);
            }
            row
        };
        let suffix = if self.style == Style::C1 { "T" } else { "CT" };
        let control = |(i, &(a, b)): (usize, &(u64, u64))| {
            format!(
                "%{i}{suffix}\t#0S\t#0S\t&0\tControl\tLifeLongNone\t{a}\t{b}\t{}",
                self.name_of(a)
            )
        };
        let rows = self
            .tensors
            .iter()
            .map(row)
            .chain(self.controls.iter().enumerate().map(control))
            .collect();
        Section {
            header: "All Tensors:",
            titles,
            rows,
        }
    }

    fn nodes_section(&self) -> Section {
        let items = |list: &[u64]| list.iter().map(|t| format!("%{t}T, ")).collect::<String>();
        let row = |n: &Node| {
            let inputs: String = n.inputs.iter().map(|i| format!("{i}, ")).collect();
            let control = |of: fn(&(u64, u64)) -> u64| {
                let ids = self
                    .controls
                    .iter()
                    .enumerate()
                    .filter(|(_, c)| of(c) == n.id);
                ids.map(|(i, _)| format!("%{i}CT, ")).collect::<String>()
            };
            let mut row = format!(
                "${}\t{}\t{}\tinputs[{inputs}]\toutputs[{}]\tworkspace[{}]\t",
                n.id,
                n.name,
                u8::from(n.communication),
                items(&n.outputs),
                items(&n.workspaces)
            );
            if self.style.is_c() {
                row += &format!(
                    "ctrl_inputs[{}]\tctrl_outputs[{}]\t",
                    control(|c| c.1),
                    control(|c| c.0)
                );
            }
            row + &format!("streamID[@{}]", n.stream)
        };
        Section {
            header: "All Nodes:",
            titles: vec![],
            rows: self.nodes.iter().map(row).collect(),
        }
    }

    /// The sections in the order of the variant.
    pub fn sections(&self) -> Vec<Section> {
        let list = |word: &str, lists: &[Vec<u64>]| -> Vec<String> {
            let ids = |l: &Vec<u64>| l.iter().map(|t| format!("%{t}T ")).collect::<String>();
            lists
                .iter()
                .map(|l| format!("{word}: [{}]", ids(l)))
                .collect()
        };
        let small = |header, rows| Section {
            header,
            titles: vec![],
            rows,
        };
        let groups = self
            .groups
            .iter()
            .map(|g| g.iter().map(|s| format!("stm{s} ")).collect())
            .collect();
        let mut out = vec![self.tensors_section(), self.nodes_section()];
        if self.style != Style::A {
            out.insert(0, self.params_section());
        }
        if self.style.is_c() {
            out.push(small(
                "All Union Tensors Info:",
                list("union tensors", &self.unions),
            ));
            out.push(small(
                "All Original Contiguous Tensors Info:",
                list("contiguous tensors", &self.contiguous),
            ));
            out.push(small(
                "All Processed Contiguous Tensors Info:",
                list("contiguous tensors", &self.processed),
            ));
        }
        out.push(small("All Stream Groups:", groups));
        if self.style.is_c() {
            let rows = self
                .blocks
                .iter()
                .map(|(a, n)| format!("{a}\t{n}"))
                .collect();
            out.push(Section {
                header: "All Merged Blocks:",
                titles: vec!["start_offset:", "size:"],
                rows,
            });
        } else if self.style == Style::A || !self.unions.is_empty() {
            let pair = |l: &Vec<u64>| l.iter().map(|t| format!("%{t}T ")).collect::<String>();
            let rows = self
                .unions
                .iter()
                .map(|l| format!("refnode input-output:{}", pair(l)))
                .collect();
            out.push(small("All Ref Node Info:", rows));
        }
        let event =
            |(i, (a, b)): (usize, &(String, String))| format!("event_id:{i} send:{a} recv:{b}");
        out.last_mut()
            .unwrap()
            .rows
            .extend(self.events.iter().enumerate().map(event));
        out
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.text_of(&self.sections())
    }

    /// The text of changed sections.
    pub fn text_of(&self, sections: &[Section]) -> String {
        let mut out = String::new();
        for section in sections {
            if !out.is_empty() {
                out += "\n\n";
            }
            out += section.header;
            out += "\n\n";
            if !section.titles.is_empty() {
                out += &section.titles.join("\t");
                out.push('\n');
            }
            for row in &section.rows {
                out += row;
                out.push('\n');
            }
        }
        if self.style.is_c() {
            out += &format!("\nTotal Memory Size after reused:{}\n", self.total);
        }
        out
    }
}
