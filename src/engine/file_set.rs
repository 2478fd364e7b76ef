//! Which graph a file belongs to, as far as its name tells: graph id, rank, folder.
//!
//! What a file *is* is told by its content; only these three stand nowhere in the text.

/// Where a file belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Folder of the run: the path without the file name and without `somas_meta`.
    pub folder: String,
    /// Number of the rank, from a folder `rank_<r>`.
    pub rank: Option<u64>,
    /// Number of the graph, from the file name.
    pub graph_id: Option<u64>,
}

/// The place of a file with that name (with the folders it was opened with, `/` or `\` between).
///
/// Names: `…somas…_<graph>.ir`, `task_info_graph_<graph>.ir`, recorder copies
/// `MODULE.name.<graph>.<time>.txt`, caches `somas_graph_<graph>_<hash>.json`, graph IR
/// `somas_input_graph_<graph>_<number>.ir`; each with or without `.gz`.
pub fn place_of(name: &str) -> Place {
    let mut folders: Vec<&str> = name.split(['/', '\\']).collect();
    let base = folders.pop().unwrap_or("");
    let rank = folders
        .iter()
        .rev()
        .find_map(|f| f.strip_prefix("rank_")?.parse().ok());
    if folders.last() == Some(&"somas_meta") {
        folders.pop();
    }
    Place {
        folder: folders.join("/"),
        rank,
        graph_id: graph_id_of(base),
    }
}

/// The last part of a path.
pub fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn graph_id_of(base: &str) -> Option<u64> {
    if !base.contains("somas") && !base.contains("task_info_graph") {
        return None;
    }
    let base = base.strip_suffix(".gz").unwrap_or(base);
    let stem = ["ir", "txt", "json", "info"]
        .iter()
        .find_map(|e| base.strip_suffix(e)?.strip_suffix('.'))
        .unwrap_or(base);
    // Recorder: MODULE.name.<graph>.<time>.
    let dotted: Vec<&str> = stem.split('.').collect();
    if let [_, _, graph, time] = dotted.as_slice() {
        if is_number(time) {
            return graph.parse().ok();
        }
    }
    for lead in ["somas_graph", "somas_input_graph"] {
        if let Some((_, rest)) = stem.split_once(lead) {
            return rest.trim_start_matches('_').split('_').next()?.parse().ok();
        }
    }
    let mut parts = stem.rsplit('_');
    let last = parts.next()?;
    // Between 1.1 and 1.2 a time stamp of 14 digits stood behind the number.
    let number = if last.len() >= 12 && is_number(last) {
        parts.next()?
    } else {
        last
    };
    if is_number(number) {
        number.parse().ok()
    } else {
        None
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Names in an order people expect: numbers by value (`_2` before `_10`).
pub fn name_order(a: &str, b: &str) -> std::cmp::Ordering {
    let key = |name: &str| {
        let mut parts: Vec<(String, u64)> = Vec::new();
        let mut text = String::new();
        let mut digits = String::new();
        for c in name.chars().chain(['\0']) {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            if !digits.is_empty() {
                parts.push((
                    std::mem::take(&mut text),
                    digits.parse().unwrap_or(u64::MAX),
                ));
                digits.clear();
            }
            text.push(c);
        }
        parts.push((text, 0));
        parts
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_ids_and_ranks_from_names() {
        for (name, graph_id, rank) in [
            ("CPU_somas_tensor_offset_12.ir", Some(12), None),
            (
                "rank_3/Ascend_somas_tensor_offset_1.ir.gz",
                Some(1),
                Some(3),
            ),
            (
                "a\\rank_0\\rdr\\OPTIMIZER.somas_allocate_info.7.20230920173001.txt",
                Some(7),
                Some(0),
            ),
            ("DEVICE.task_info_graph.1.20210714101530.ir", Some(1), None),
            (
                "somas_meta/somas_graph_1_1234567890123456789.json",
                Some(1),
                None,
            ),
            ("somas_graph2_99.info", Some(2), None),
            ("somas_input_graph_4_0017.ir", Some(4), None),
            ("x_somas_after_allocate_3_20210714101530.ir", Some(3), None),
            ("dump.ir", None, None),
            ("resnet_50.ir", None, None),
            ("somas.ir", None, None),
            ("pasted.ir", None, None),
        ] {
            let place = place_of(name);
            assert_eq!((place.graph_id, place.rank), (graph_id, rank), "{name}");
        }
        assert_eq!(
            place_of("run/somas_meta/somas_graph_1_2.json").folder,
            "run"
        );
        assert_eq!(base_name("a/b\\c.ir"), "c.ir");
    }

    #[test]
    fn names_sort_by_their_numbers() {
        let mut names = ["g_10.ir", "g_9.ir", "g_1.ir", "a.ir"];
        names.sort_by(|a, b| name_order(a, b));
        assert_eq!(names, ["a.ir", "g_1.ir", "g_9.ir", "g_10.ir"]);
    }
}
