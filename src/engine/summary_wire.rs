//! The summary on its way from the worker to the page.
//!
//! In JSON a key whose analysis did not run is left out; a format without keys cannot leave out
//! anything. So here every part has its place, and what only the command line prints (lists of
//! hazards, task findings, answers, diagnostics) stays behind: the page has messages of its own.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::report::json::{
    AlignmentWaste, Counts, Diagnostics, FileFacts, IncompleteFacts, MaxEnd, MaxInUse, Summary,
};

type File = (String, u64, Option<String>);
type Names = (
    u32,
    String,
    String,
    String,
    Option<String>,
    Option<u64>,
    Option<u64>,
);
type Sizes = (u64, u64, u64, u64, Option<f64>, u64);
type Ends = (Option<i64>, Option<Option<MaxEnd>>, Option<u64>);
type Parts = (
    File,
    Names,
    Option<u64>,
    Counts,
    Sizes,
    MaxInUse,
    AlignmentWaste,
    Ends,
    Option<String>,
);

pub(crate) fn serialize<S: Serializer>(s: &Summary, serializer: S) -> Result<S::Ok, S::Error> {
    let s = s.clone();
    let parts: Parts = (
        (s.file.name, s.file.bytes, s.file.sha256),
        (
            s.schema,
            s.version,
            s.kind,
            s.generation,
            s.device,
            s.graph_id,
            s.rank,
        ),
        s.incomplete.map(|i| i.unread_lines),
        s.counts,
        (
            s.static_memory,
            s.total_tensor_size,
            s.planned_total,
            s.max_total_memory,
            s.reuse_ratio,
            s.lower_bound,
        ),
        s.max_in_use,
        s.alignment_waste,
        (s.gap, s.max_end_without_lifelong, s.max_end),
        s.verdict,
    );
    parts.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Summary, D::Error> {
    let (file, names, unread, counts, sizes, max_in_use, alignment_waste, ends, verdict) =
        Parts::deserialize(deserializer)?;
    let (name, bytes, sha256) = file;
    let (schema, version, kind, generation, device, graph_id, rank) = names;
    let (
        static_memory,
        total_tensor_size,
        planned_total,
        max_total_memory,
        reuse_ratio,
        lower_bound,
    ) = sizes;
    let (gap, max_end_without_lifelong, max_end) = ends;
    Ok(Summary {
        schema,
        version,
        file: FileFacts {
            name,
            bytes,
            sha256,
        },
        kind,
        generation,
        device,
        graph_id,
        rank,
        incomplete: unread.map(|unread_lines| IncompleteFacts { unread_lines }),
        counts,
        static_memory,
        total_tensor_size,
        planned_total,
        max_in_use,
        max_total_memory,
        reuse_ratio,
        lower_bound,
        gap,
        alignment_waste,
        max_end_without_lifelong,
        max_end,
        verdict,
        hazards: None,
        findings: None,
        task: None,
        matrix: None,
        queries: None,
        diagnostics: Diagnostics::default(),
    })
}
