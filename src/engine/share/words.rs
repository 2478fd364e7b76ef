//! Everything that a link holds in words: for the preview, and as Markdown for an issue.
//!
//! Markdown hosts (GitHub, Gitee, GitCode) turn markup, mentions, numbers of issues and addresses
//! into what they are not, so a name of the dump stands in a code span, where none of them looks.
//! What would end the span, or the cell of a table around it, is written as a visible escape.

use super::{Broken, Name, NameMode, Named, Shared};
use crate::report::figure::{bytes, grouped, percent};
use crate::report::findings::title;
use crate::report::text::page::Word;
use crate::report::text::share::Share;
use crate::report::text::{fill, Lang};

/// What is said, and what of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub label: String,
    /// The words or the number.
    pub value: String,
}

impl Broken {
    /// The sentence for people.
    pub fn text(self, lang: Lang) -> &'static str {
        let word = match self {
            Self::TooLong => Share::TooLong,
            Self::Damaged => Share::Damaged,
            Self::TooLarge => Share::TooLarge,
            Self::Newer => Share::Newer,
            Self::Impossible => Share::Impossible,
        };
        word.text(lang)
    }
}

impl NameMode {
    /// What it does, for people.
    pub fn text(self, lang: Lang) -> &'static str {
        let word = match self {
            Self::Full => Share::NamesFull,
            Self::Operators => Share::NamesOperators,
            Self::Hidden => Share::NamesHidden,
        };
        word.text(lang)
    }
}

impl Name {
    /// Its layer, or what stands for it.
    pub fn layer_text(&self, lang: Lang) -> String {
        match self.depth {
            0 => self.layer.clone(),
            depth => fill(Share::Depth.text(lang), &[&depth.to_string()]),
        }
    }

    fn whole(&self, lang: Lang) -> String {
        let layer = self.layer_text(lang);
        match layer.is_empty() {
            true => self.operator.clone(),
            false => [&self.operator, " · ", &layer].concat(),
        }
    }
}

/// The release that writes a format; the format's own name where it is unknown.
pub fn release(generation: &str, lang: Lang) -> String {
    let word = match generation {
        "A" => Word::GenerationA,
        "B1" => Word::GenerationB1,
        "B2" => Word::GenerationB2,
        "C1" => Word::GenerationC1,
        "C2" => Word::GenerationC2,
        "C3" => Word::GenerationC3,
        _ => return fill(Word::ChipGeneration.text(lang), &[generation]),
    };
    word.text(lang).to_owned()
}

/// A verdict in words; an unknown one as it is.
fn verdict(word: &str, lang: Lang) -> String {
    match word {
        "safe" => Share::Safe.text(lang).to_owned(),
        "hazards" => Share::Hazards.text(lang).to_owned(),
        "undecided" => Share::Undecided.text(lang).to_owned(),
        _ => word.to_owned(),
    }
}

fn size(n: u64) -> String {
    [&bytes(n), " (", &grouped(n), " B)"].concat()
}

fn signed(n: i64) -> String {
    match n < 0 {
        true => ["−", &size(n.unsigned_abs())].concat(),
        false => size(n.unsigned_abs()),
    }
}

struct Lines {
    lang: Lang,
    lines: Vec<Line>,
}

impl Lines {
    fn add(&mut self, label: &str, value: String) {
        self.lines.push(Line {
            label: label.to_owned(),
            value,
        });
    }

    fn word(&mut self, label: Word, value: String) {
        self.add(label.text(self.lang), value);
    }

    fn share(&mut self, label: Share, value: String) {
        self.add(label.text(self.lang), value);
    }
}

/// Device and format.
fn format(s: &Shared, lang: Lang) -> String {
    let device = s.device.iter().cloned();
    let parts: Vec<String> = device.chain([release(&s.generation, lang)]).collect();
    parts.join(" · ")
}

/// The numbers that matter most.
fn facts(s: &Shared, lang: Lang) -> Vec<Line> {
    let mut out = Lines {
        lang,
        lines: Vec::new(),
    };
    if let Some(lines) = s.unread_lines {
        out.share(Share::Unread, grouped(lines));
    }
    out.word(Word::TabNodes, grouped(s.counts[0]));
    out.word(Word::TabTensors, grouped(s.counts[1]));
    out.word(Word::TabParameters, grouped(s.counts[3]));
    if let Some(gap) = s.gap() {
        out.word(Word::Planned, size(s.planned_total));
        out.word(Word::Gap, signed(gap));
    }
    out.word(Word::Bound, size(s.peak_alive));
    out.word(Word::Peak, size(s.in_use()));
    out.word(Word::Static, size(s.static_memory));
    out.word(Word::NumTotalTensor, size(s.total_tensor_size));
    if let Some(ratio) = s.reuse_ratio() {
        out.word(Word::Reuse, percent(ratio));
    }
    if let Some(capacity) = s.capacity {
        out.word(Word::CapacityLabel, size(capacity));
    }
    out.word(Word::NumFile, size(s.file_bytes));
    out.lines
}

/// What a finding is about: tensors, bytes, the node.
fn about(finding: &Named, lang: Lang) -> String {
    let tensors = finding.tensors.iter();
    let mut parts: Vec<String> = tensors
        .map(|t| ["%", &t.to_string(), "T"].concat())
        .collect();
    if finding.bytes > 0 {
        parts.push(size(finding.bytes));
    }
    parts.push(finding.node.whole(lang));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// A kind in words, with the stable word by which tables and filters know it; one that is none of
/// ours as it is.
fn kind(word: &str, lang: Lang) -> String {
    match title(word, lang) {
        Some(title) => [title, " (", word, ")"].concat(),
        None => word.to_owned(),
    }
}

/// The verdict, the findings by kind, and the first of them.
pub fn findings(s: &Shared, lang: Lang) -> Vec<Line> {
    let mut out = Lines {
        lang,
        lines: Vec::new(),
    };
    if let Some(word) = &s.verdict {
        out.share(Share::Verdict, verdict(word, lang));
    }
    for (word, n) in &s.findings {
        let value = [kind(word, lang), grouped(*n)].join(": ");
        out.share(Share::Findings, value);
    }
    for finding in &s.named {
        let value = [kind(&finding.kind, lang), about(finding, lang)].join(": ");
        out.share(Share::First, value);
    }
    out.lines
}

/// Everything a link holds: two summaries that differ have different lines.
pub fn preview(s: &Shared, lang: Lang) -> Vec<Line> {
    let mut out = Lines {
        lang,
        lines: facts(s, lang),
    };
    out.share(Share::Format, format(s, lang));
    let mut counts = s.counts.iter();
    for word in [
        Word::TabNodes,
        Word::TabTensors,
        Word::CountControl,
        Word::TabParameters,
        Word::CountStreams,
        Word::CountUnions,
        Word::CountContiguous,
        Word::CountContiguousProcessed,
        Word::CountGroups,
        Word::CountBlocks,
        Word::CountZero,
    ] {
        let n = counts.next().copied().unwrap_or(0);
        if !matches!(
            word,
            Word::TabNodes | Word::TabTensors | Word::TabParameters
        ) {
            out.word(word, grouped(n));
        }
    }
    if !s.is_plan() {
        out.share(Share::Kind, s.kind.clone());
        out.word(Word::Planned, size(s.planned_total));
    }
    let ordered = match s.ordered {
        true => Share::Yes,
        false => Share::No,
    };
    out.share(Share::Order, ordered.text(lang).to_owned());
    out.word(Word::NumWaste, signed(s.waste.0));
    out.word(Word::NumWastePeak, signed(s.waste.1));
    if let Some(end) = s.max_end {
        out.word(Word::NumMaxEnd, size(end));
    }
    out.share(Share::Steps, grouped(s.steps.into()));
    if let Some(step) = s.peak_step {
        let name = s.peak_node.whole(lang);
        let place = ["$", &step.to_string(), " ", &name].concat();
        out.word(Word::Peak, place);
    }
    for (i, top) in (1..).zip(&s.top) {
        let label = [Share::Top.text(lang), " ", &grouped(i)].concat();
        let key = ["%", &top.tensor.to_string(), "T · "].concat();
        let life = [
            " · $",
            &top.life.0.to_string(),
            " … $",
            &top.life.1.to_string(),
            " · ",
        ]
        .concat();
        let value = [&key, &size(top.bytes), &life, &top.node.whole(lang)];
        out.add(&label, value.map(String::as_str).concat());
    }
    out.lines.extend(findings(s, lang));
    if let Some(hash) = s.fingerprint() {
        out.share(Share::Fingerprint, hash);
    }
    out.share(Share::Names, s.names.text(lang).to_owned());
    let mut height = 0i32;
    let points = s.curve.iter().map(|step| {
        height += i32::from(*step);
        height.to_string()
    });
    let points: Vec<String> = points.collect();
    out.share(Share::Curve, points.join(" "));
    if !s.view.is_empty() {
        out.share(Share::View, s.view.clone());
    }
    out.share(Share::Program, s.program.clone());
    out.lines
}

/// A name as a code span.
fn code(name: &str) -> String {
    if name.is_empty() {
        return "–".to_owned();
    }
    let inner = name.replace('`', "\\u{60}").replace('|', "\\u{7c}");
    ["`", &inner, "`"].concat()
}

fn row(out: &mut String, cells: &[&str]) {
    for cell in cells {
        out.push_str("| ");
        out.push_str(cell);
        out.push(' ');
    }
    out.push_str("|\n");
}

/// Facts, the largest at the peak, findings and the link, for an issue.
pub fn markdown(s: &Shared, link: &str, lang: Lang) -> String {
    let t = |word: Share| word.text(lang);
    let w = |word: Word| word.text(lang);
    let mut out = [
        "### ",
        t(Share::Heading),
        " ",
        &code(&format(s, lang)),
        "\n\n| | |\n| --- | --- |\n",
    ]
    .concat();
    for line in facts(s, lang) {
        row(&mut out, &[&line.label, &line.value]);
    }
    if let Some(step) = s.peak_step {
        let at = ["$", &step.to_string(), " ", &s.peak_node.operator].concat();
        out.push_str(&["\n**", t(Share::Top), "** ", &code(&at), "\n\n"].concat());
        let head = [w(Word::ColTensor), w(Word::ColBytes), t(Share::Life)];
        let tail = [w(Word::ColOperator), t(Share::Layer)];
        row(&mut out, &[head.as_slice(), &tail].concat());
        out.push_str("| --- | ---: | --- | --- | --- |\n");
        for top in &s.top {
            let key = code(&["%", &top.tensor.to_string(), "T"].concat());
            let (first, last) = (top.life.0.to_string(), top.life.1.to_string());
            let life = code(&["$", &first, " … $", &last].concat());
            let layer = code(&top.node.layer_text(lang));
            let cells = [
                &key,
                &bytes(top.bytes),
                &life,
                &code(&top.node.operator),
                &layer,
            ];
            row(&mut out, &cells.map(String::as_str));
        }
    }
    if let Some(word) = &s.verdict {
        out.push_str(
            &[
                "\n**",
                t(Share::Findings),
                "** ",
                &code(&verdict(word, lang)),
                "\n",
            ]
            .concat(),
        );
        for (i, (word, n)) in s.findings.iter().enumerate() {
            let gap = if i == 0 { "\n" } else { "" };
            out.push_str(&[gap, "- ", &code(word)].concat());
            if let Some(title) = title(word, lang) {
                out.push_str(&[" (", title, ")"].concat());
            }
            out.push_str(&[": ", &grouped(*n), "\n"].concat());
        }
        for finding in &s.named {
            let what = code(&about(finding, lang));
            out.push_str(&["- ", &code(&finding.kind), " ", &what, "\n"].concat());
        }
    }
    if let Some(hash) = s.fingerprint() {
        out.push_str(&["\nSHA-256 ", &code(&hash), "\n"].concat());
    }
    let program = code(&["somascope ", &s.program].concat());
    out.push_str(&["\n[", t(Share::Summary), " · ", &program, "](", link, ")\n"].concat());
    out
}
