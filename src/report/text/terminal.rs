//! Words of the command line.

use std::io;

use super::graphs::Column;
use super::{catalogue, fill, Lang};

catalogue! {
    /// Labels of the short summary.
    pub enum Line {
        File { en: "file", zh: "文件" }
        Generation { en: "generation", zh: "代际" }
        Incomplete { en: "INCOMPLETE, unread lines", zh: "不完整，未读行数" }
        Nodes { en: "nodes", zh: "节点" }
        Tensors { en: "tensors", zh: "张量" }
        Parameters { en: "parameters", zh: "参数" }
        PlannedTotal { en: "planned total", zh: "规划总量" }
        PeakInUse { en: "peak in use", zh: "峰值占用" }
        LowerBound { en: "lower bound", zh: "理论下界" }
        Static { en: "static memory", zh: "静态内存" }
        Gap { en: "gap", zh: "差距" }
        WithoutReuse { en: "without reuse", zh: "不复用总量" }
        ReuseRatio { en: "reuse ratio", zh: "复用率" }
        Waste { en: "alignment waste", zh: "对齐浪费" }
        Verdict { en: "verdict", zh: "判定" }
    }
}

catalogue! {
    /// Sentences of the command line.
    pub enum Say {
        CannotRead { en: "{0}: cannot be read: {1}", zh: "{0}：无法读取：{1}" }
        CannotWrite { en: "cannot write the result: {0}", zh: "无法写出结果：{0}" }
        AndMore { en: "… and {0} more", zh: "……另有 {0} 条" }
        Safe { en: "safe: no two tensors that are needed at the same time share bytes", zh: "安全：没有同时需要的两个张量共用内存" }
        Hazards { en: "{0} pairs of tensors share bytes although both may be needed at once; first %{1}T and %{2}T ({3} bytes, nodes ${4} and ${5})", zh: "{0} 对张量可能同时需要却共用内存；第一对为 %{1}T 与 %{2}T（{3} 字节，节点 ${4} 与 ${5}）" }
        NotTaskInfo { en: "{0}: expected task info, found the {1} of a graph", zh: "{0}：应为任务信息，实际是某个图的{1}" }
        NoPlanInFolder { en: "{0}: no memory plan in this folder", zh: "{0}：该目录中没有内存规划" }
        Foreign { en: "{0} exists and was not written by this program; nothing was written (--force replaces it)", zh: "{0} 已存在且并非由本程序写出；未写任何文件（--force 可覆盖）" }
        CannotWriteFile { en: "{0}: cannot be written: {1}", zh: "{0}：无法写出：{1}" }
        Reading { en: "reading {0}: {1} of {2}", zh: "正在读取 {0}：{1} / {2}" }
        Writing { en: "writing file {0} of {1}: {2}", zh: "正在写出第 {0}/{1} 个文件：{2}" }
        Graphs { en: "{0} of {1} graphs done", zh: "已完成 {0}/{1} 个图" }
        Stopped { en: "stopped: nothing half-written is left", zh: "已中止：未留下写了一半的文件" }
        NoSuchFile { en: "no such file or folder", zh: "文件或目录不存在" }
        NotAllowed { en: "not allowed", zh: "没有权限" }
        IsFolder { en: "it is a folder", zh: "它是目录" }
        NotFolder { en: "part of the path is no folder", zh: "路径中有一部分不是目录" }
        DiskFull { en: "no space is left", zh: "磁盘空间不足" }
        Written { en: "{0} files written to {1}", zh: "已将 {0} 个文件写入 {1}" }
        BadMemory { en: "`{0}` is no amount of memory in GiB", zh: "`{0}` 不是以 GiB 为单位的内存大小" }
        NothingPlaced { en: "unknown (nothing placed)", zh: "未知（没有放置任何张量）" }
        Plan { en: "final plan", zh: "最终规划" }
        Stage { en: "early stage (no addresses)", zh: "早期阶段（无地址）" }
    }
}

/// A sentence with its arguments.
pub fn say(key: Say, args: &[&str], lang: Lang) -> String {
    fill(key.text(lang), args)
}

/// Rows under their columns; the first column is left-aligned, numbers right.
pub fn grid(rows: &[Vec<String>], lang: Lang) -> String {
    let head: Vec<String> = Column::ALL
        .iter()
        .map(|c| c.text(lang).to_owned())
        .collect();
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(rows).collect();
    let widest = |i: usize| {
        let cells = all.iter().filter_map(|r| r.get(i));
        cells.map(|c| cells_of(c)).max().unwrap_or(0)
    };
    let mut out = String::new();
    for row in &all {
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widest(i) - cells_of(cell));
            let gap = if i > 0 { "  " } else { "" };
            match i {
                0 | 1 => out.push_str(&format!("{gap}{cell}{pad}")),
                _ => out.push_str(&format!("{gap}{pad}{cell}")),
            }
        }
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
    out
}

/// Cells of a terminal that a text takes; a Chinese character takes two.
fn cells_of(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// What the system says of a file; the common reasons in our own words.
pub fn io_reason(error: &io::Error, lang: Lang) -> String {
    let key = match error.kind() {
        io::ErrorKind::NotFound => Say::NoSuchFile,
        io::ErrorKind::PermissionDenied => Say::NotAllowed,
        io::ErrorKind::IsADirectory => Say::IsFolder,
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => Say::NotFolder,
        io::ErrorKind::StorageFull => Say::DiskFull,
        _ => return error.to_string(),
    };
    key.text(lang).to_owned()
}

/// A file that the system does not give.
pub fn cannot_read(file: &str, error: &io::Error, lang: Lang) -> String {
    fill(Say::CannotRead.text(lang), &[file, &io_reason(error, lang)])
}

/// Output that the system does not take.
pub fn cannot_write(error: &io::Error, lang: Lang) -> String {
    fill(Say::CannotWrite.text(lang), &[&io_reason(error, lang)])
}

/// How many messages are not listed.
pub fn and_more(n: u64, lang: Lang) -> String {
    fill(Say::AndMore.text(lang), &[&n.to_string()])
}

/// The reuse ratio of a plan without bytes.
pub fn nothing_placed(lang: Lang) -> String {
    Say::NothingPlaced.text(lang).to_owned()
}

/// The verdict in a sentence; `first` is the first pair: its ids, bytes in common and nodes; `why`
/// there is none, for the case that there is none.
pub fn verdict(
    word: &str,
    count: u64,
    first: Option<(u64, u64, u64, [u32; 2])>,
    why: super::findings::Finding,
    lang: Lang,
) -> String {
    match (word, first) {
        ("hazards", Some((a, b, bytes, [from, to]))) => {
            let numbers = [count, a, b, bytes, from.into(), to.into()].map(|n| n.to_string());
            let args: Vec<&str> = numbers.iter().map(String::as_str).collect();
            fill(Say::Hazards.text(lang), &args)
        }
        ("safe", _) => Say::Safe.text(lang).to_owned(),
        _ => why.text(lang).to_owned(),
    }
}

/// `plan` or `stage` in words.
pub fn kind(word: &str, lang: Lang) -> &'static str {
    if word == "stage" {
        Say::Stage
    } else {
        Say::Plan
    }
    .text(lang)
}

/// Labels and values in two columns; a Chinese character is two cells wide.
pub fn table(lines: &[(Line, String)], lang: Lang) -> String {
    let width = cells_of;
    let widest = lines
        .iter()
        .map(|(line, _)| width(line.text(lang)))
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for (line, value) in lines {
        let label = line.text(lang);
        out.push_str(label);
        out.push_str(&" ".repeat(widest + 2 - width(label)));
        out.push_str(value);
        out.push('\n');
    }
    out
}
