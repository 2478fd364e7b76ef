//! How is the published page written shorter?
//!
//! wasm-bindgen gives each import a name with sixteen hexadecimal digits, in the module and in its glue: they get names of
//! a letter or two, the same in both. Scripts and styles lose what only people read.

use std::fs;
use std::path::Path;

use crate::run::{self, Failure, Result, Step};
use crate::tools;

/// Gives short names to what module and glue call each other. `features` are those of the module.
pub fn names(node: &Path, module: &Path, glue: &Path, features: &[&str]) -> Result<()> {
    let mut rename = tools::wasm_opt(node)?;
    let step = Step::begin("dist", "short names");
    rename
        .arg("--minify-imports-and-exports-and-modules")
        .args(features)
        .arg(module)
        .arg("-o")
        .arg(module);
    let told = run::captured(&mut rename)?;
    let (script, renamed) = with_names(&fs::read_to_string(glue)?, &told)?;
    fs::write(glue, script)?;
    step.end_timed(&format!("{renamed} names"));
    Ok(())
}

/// The glue with the names that wasm-opt has told, and their number. All of them must be in it.
fn with_names(glue: &str, told: &str) -> Result<(String, usize)> {
    let fault = |what: String| Failure(format!("the glue of the module: {what}"));
    let told: serde_json::Value =
        serde_json::from_str(told).map_err(|e| fault(format!("wasm-opt told no names: {e}")))?;
    let list = |key: &str| told[key].as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (imports, exports) = (list("imports"), list("exports"));
    let mut script = glue.to_owned();
    let mut replace = |old: String, new: String| match script.matches(&old).count() {
        1 => {
            script = script.replacen(&old, &new, 1);
            Ok(())
        }
        found => Err(fault(format!("{found} times {old:?}, once is right"))),
    };
    let Some(of) = imports.first().map(|import| text(&import[0])) else {
        return Err(fault("wasm-opt told no imports".into()));
    };
    // What wasm-opt calls the only module that is imported from.
    replace(format!("\"{of}\": import0"), "\"a\": import0".into())?;
    for import in &imports {
        if text(&import[0]) != of {
            return Err(fault(format!("another module: {}", text(&import[0]))));
        }
        replace(
            format!(" {}: function(", text(&import[1])),
            format!(" {}: function(", text(&import[2])),
        )?;
    }
    let mut parts = script.split("wasm.");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
            .unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let new = exports.iter().find(|export| export[0] == name);
        // `app_bg.wasm.` and the like in a message or a comment are no calls.
        let is_call = !out.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        match new {
            Some(new) if is_call => out += &format!("wasm.{}{rest}", text(&new[1])),
            None if is_call && !name.is_empty() => {
                return Err(fault(format!("wasm.{name} is no export")))
            }
            _ => out += &format!("wasm.{part}"),
        }
    }
    Ok((out, imports.len() + exports.len()))
}

/// Rewrites scripts or styles, in place, without blanks, comments and long local names.
pub fn texts(dist: &Path, files: &[&str]) -> Result<()> {
    let esbuild = tools::esbuild()?;
    let step = Step::begin("dist", "minified");
    for file in files {
        let mut minify = run::command(&esbuild);
        minify
            .args(["--minify", "--charset=utf8", "--legal-comments=none"])
            .arg(dist.join(file));
        let short = run::captured(&mut minify)?;
        fs::write(dist.join(file), short)?;
    }
    step.end_timed(&files.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = r#"{"imports": [["./m.js", "__wbg_open_0123", "$"], ["./m.js", "__wbg_set_4567", "a"]],
        "exports": [["memory", "b"], ["go", "c"]]}"#;
    const GLUE: &str =
        "const import0 = {\n __wbg_open_0123: function(a) { wasm.go(wasm.memory.buffer) },\n \
        __wbg_set_4567: function() {},\n};\nreturn { \"./m.js\": import0 }; // see app_bg.wasm.\n";

    #[test]
    fn both_sides_get_the_same_names() {
        let (script, renamed) = with_names(GLUE, TOLD).unwrap();
        assert_eq!(renamed, 4);
        assert_eq!(
            script,
            "const import0 = {\n $: function(a) { wasm.c(wasm.b.buffer) },\n \
             a: function() {},\n};\nreturn { \"a\": import0 }; // see app_bg.wasm.\n"
        );
    }

    #[test]
    fn what_does_not_fit_stops_the_build() {
        for (from, to) in [
            ("__wbg_set_4567", "__wbg_set_4568"),
            ("wasm.go", "wasm.gone"),
            ("\"./m.js\"", "\"./n.js\""),
        ] {
            assert!(with_names(&GLUE.replace(from, to), TOLD).is_err(), "{from}");
        }
        assert!(with_names(GLUE, "").is_err());
        assert!(with_names(GLUE, "{}").is_err());
    }
}
