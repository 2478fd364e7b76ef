//! Many graphs side by side: which of them are one row, and how the ranks of a run differ.

use crate::sorting;

/// What is compared of a graph.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line<'a> {
    /// Number of its rank.
    pub rank: Option<u64>,
    /// Number of the graph.
    pub graph_id: Option<u64>,
    /// SHA-256 of its file.
    pub sha256: Option<&'a str>,
    /// Most bytes in use.
    pub in_use: u64,
    /// Number of findings, once it was checked.
    pub found: Option<u64>,
}

/// Rows: graphs by place. Equal files of several ranks that gave the same findings are one row;
/// the first comes first.
pub fn fold(lines: &[Line<'_>]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let same = |row: &&mut Vec<usize>| {
            let first = row.first().and_then(|&first| lines.get(first));
            first.is_some_and(|first| {
                first.rank.is_some()
                    && line.rank.is_some()
                    && line.sha256.is_some()
                    && first.sha256 == line.sha256
                    && first.graph_id == line.graph_id
                    && first.found == line.found
            })
        };
        match rows.iter_mut().find(same) {
            Some(row) => row.push(place),
            None => rows.push(vec![place]),
        }
    }
    rows
}

/// A graph whose peak differs from rank to rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Number of the graph.
    pub graph_id: u64,
    /// The lowest peak in bytes, and the first rank that has it.
    pub least: (u64, u64),
    /// The highest peak, and the first rank that has it.
    pub most: (u64, u64),
    /// The mean of the ranks' peaks, bytes.
    pub mean: u64,
}

/// Every graph whose peak differs from rank to rank, by its number.
pub fn balance(lines: &[Line<'_>]) -> Vec<Balance> {
    let known = |line: &Line<'_>| Some((line.graph_id?, line.in_use, line.rank?));
    let mut peaks: Vec<(u64, u64, u64)> = lines.iter().filter_map(known).collect();
    sorting::sort(&mut peaks);
    let of = |peaks: &[(u64, u64, u64)]| {
        let &(graph_id, least, rank) = peaks.first()?;
        let (_, most, _) = *peaks.last()?;
        let highest = peaks.iter().find(|p| p.1 == most)?;
        let sum: u128 = peaks.iter().map(|p| u128::from(p.1)).sum();
        (least < most).then_some(Balance {
            graph_id,
            least: (least, rank),
            most: (most, highest.2),
            mean: (sum / peaks.len() as u128) as u64,
        })
    };
    peaks.chunk_by(|a, b| a.0 == b.0).filter_map(of).collect()
}

/// Ranks in words: `0-3, 7`.
pub fn ranges(ranks: &[u64]) -> String {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out = String::new();
    for run in sorted.chunk_by(|a, b| a + 1 == *b) {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            out.push_str(&first.to_string());
            if first != last {
                out.push('-');
                out.push_str(&last.to_string());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(rank: u64, sha256: &str, in_use: u64) -> Line<'_> {
        Line {
            rank: Some(rank),
            graph_id: Some(1),
            sha256: Some(sha256),
            in_use,
            found: None,
        }
    }

    #[test]
    fn equal_files_of_several_ranks_are_one_row() {
        let mut lines = [
            line(0, "a", 1),
            line(1, "b", 1),
            line(2, "a", 1),
            line(3, "a", 1),
        ];
        assert_eq!(fold(&lines), [vec![0, 2, 3], vec![1]]);
        lines[2].found = Some(1);
        assert_eq!(fold(&lines), [vec![0, 3], vec![1], vec![2]]);
        // Without a rank, or without a fingerprint, each is a row of its own.
        lines[3].rank = None;
        lines[0].sha256 = None;
        lines[1].sha256 = None;
        assert_eq!(fold(&lines).len(), 4);
        assert_eq!(ranges(&[3, 0, 1, 2, 7]), "0-3, 7");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn ranks_that_differ_are_told_with_their_mean() {
        let lines = [line(0, "a", 30), line(1, "a", 10), line(2, "b", 20)];
        let expected = Balance {
            graph_id: 1,
            least: (10, 1),
            most: (30, 0),
            mean: 20,
        };
        assert_eq!(balance(&lines), [expected]);
        assert_eq!(balance(&lines[..1]), []);
    }
}
