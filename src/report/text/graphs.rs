//! Words about many graphs side by side, in the folder's table on the terminal and on the page.

use super::{catalogue, fill, Lang};
use crate::report::figure;
use crate::report::graphs::Balance;

catalogue! {
    /// Columns of the table of graphs.
    pub enum Column {
        Graph { en: "graph", zh: "图" }
        Ranks { en: "ranks", zh: "rank" }
        Planned { en: "planned total", zh: "规划总量" }
        Peak { en: "peak in use", zh: "峰值占用" }
        Findings { en: "findings", zh: "发现" }
        Verdict { en: "verdict", zh: "判定" }
        Warnings { en: "warnings", zh: "警告" }
    }
}

catalogue! {
    /// Sentences below the table.
    pub enum Note {
        Differs { en: "graph {0}: peak in use from {1} (rank {2}) to {3} (rank {4})", zh: "图 {0}：峰值占用从 {1}（rank {2}）到 {3}（rank {4}）" }
        Refused { en: "{0}: the file could not be read; it may have been moved or changed since it was chosen ({1})", zh: "{0}：无法读取该文件，它可能在选择之后被移动或修改（{1}）" }
        Safe { en: "safe", zh: "安全" }
        Hazards { en: "hazards", zh: "有冲突" }
        Undecided { en: "undecided", zh: "无法判定" }
    }
}

/// How the ranks of a graph differ.
pub fn differs(balance: &Balance, lang: Lang) -> String {
    let args = [
        balance.graph_id.to_string(),
        figure::bytes(balance.least.0),
        balance.least.1.to_string(),
        figure::bytes(balance.most.0),
        balance.most.1.to_string(),
    ];
    fill(
        Note::Differs.text(lang),
        &args.each_ref().map(String::as_str),
    )
}

/// A file that the system does not give, and why, in its own words.
pub fn refused(file: &str, why: &str, lang: Lang) -> String {
    fill(Note::Refused.text(lang), &[file, why])
}

/// The stable word of a verdict in words.
pub fn verdict(word: &str, lang: Lang) -> &'static str {
    match word {
        "safe" => Note::Safe,
        "hazards" => Note::Hazards,
        _ => Note::Undecided,
    }
    .text(lang)
}
