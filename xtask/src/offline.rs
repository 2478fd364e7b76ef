//! How does the whole page become one file that works from a disk?
//!
//! The finished page is packed as it is: its style sheet and scripts stand in the HTML and are allowed by their
//! SHA-256, everything else stands in blocks of base64 that `boot.js` reads instead of fetching. No network, no server:
//! the policy of the file allows no connection from the first line on.

use std::fs;
use std::path::Path;

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use sha2::{Digest, Sha256};

use crate::run::{Failure, Result};

/// The name of the file.
pub const NAME: &str = "somascope.html";

/// Packs the page in a folder; the text of the file.
pub fn pack(dist: &Path) -> Result<String> {
    let mut html = fs::read_to_string(dist.join("index.html"))?;
    let read = |name: &str| fs::read(dist.join(name.trim_start_matches("./")));
    let text = |name: &str| fs::read_to_string(dist.join(name.trim_start_matches("./")));

    let (link, style_name) = tag(&html, "<link rel=\"stylesheet\"", "href")?;
    let style = text(&style_name)?;
    inside(&style, "</style")?;
    html = html.replace(&link, &format!("<style>{style}</style>"));

    let (script, boot_name) = tag(&html, "<script src=", "src")?;
    let attributes = script
        .strip_prefix("<script ")
        .and_then(|rest| rest.strip_suffix("></script>"))
        .ok_or_else(|| Failure(format!("not as expected: {script}")))?
        .replace(&format!("src=\"{boot_name}\" "), "")
        .replace("defer ", "");
    let glue_name = attribute(&script, "data-glue")?;
    let (boot, glue) = (text(&boot_name)?, text(&glue_name)?);
    for code in [&boot, &glue] {
        inside(code, "</script")?;
        inside(code, "<!--")?;
    }
    html = html.replace(&script, "");
    let mut blocks = String::new();
    for (part, name) in [
        ("glue", glue_name),
        ("wasm", attribute(&script, "data-wasm")?),
        ("sample", attribute(&script, "data-sample")?),
    ] {
        let content = STANDARD.encode(read(&name)?);
        blocks += &format!(
            "<script type=\"application/octet-stream\" id=\"part-{part}\">{content}</script>\n"
        );
    }
    let start =
        format!("{blocks}<script>{glue}</script>\n<script {attributes}>{boot}</script>\n</body>");
    html = html.replace("</body>", &start);

    // A file at an address of the page is saved from the file instead.
    let (_, handling) = tag(&html, "<a href=\"./data-handling", "href")?;
    let saved = STANDARD.encode(read(&handling)?);
    html = html.replace(
        &format!("href=\"{handling}\" target=\"_blank\" rel=\"noopener\""),
        &format!("href=\"data:text/markdown;base64,{saved}\" download=\"data-handling.md\""),
    );

    let policy = format!(
        "default-src 'none'; script-src {} {} 'wasm-unsafe-eval'; worker-src blob:; style-src {}; style-src-attr \
         'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'",
        hash(&glue),
        hash(&boot),
        hash(&style)
    );
    let (meta, old) = tag(
        &html,
        "<meta http-equiv=\"Content-Security-Policy\"",
        "content",
    )?;
    html = html.replace(&meta, &meta.replace(&old, &policy));
    nothing_to_fetch(&html)?;
    Ok(html)
}

/// As a policy names a script or style that stands in the page.
fn hash(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))
}

/// The first element that begins so, and one of its attributes.
fn tag(html: &str, begin: &str, name: &str) -> Result<(String, String)> {
    let missing = || Failure(format!("index.html has no {begin}"));
    let from = &html[html.find(begin).ok_or_else(missing)?..];
    let end = match begin.starts_with("<script") {
        true => from.find("</script>").map(|at| at + "</script>".len()),
        false => from.find('>').map(|at| at + 1),
    };
    let element = from[..end.ok_or_else(missing)?].to_owned();
    let value = attribute(&element, name)?;
    Ok((element, value))
}

fn attribute(element: &str, name: &str) -> Result<String> {
    let value = element
        .split_once(&format!(" {name}=\""))
        .and_then(|(_, rest)| rest.split_once('"'));
    match value {
        Some((value, _)) => Ok(value.to_owned()),
        None => Err(Failure(format!("{element} has no {name}"))),
    }
}

/// Whether a text can stand in an element: `end` would leave it.
fn inside(text: &str, end: &str) -> Result<()> {
    match text.to_lowercase().contains(end) {
        true => Err(Failure(format!("{end} in what shall stand in the page"))),
        false => Ok(()),
    }
}

/// No element may name a file.
fn nothing_to_fetch(html: &str) -> Result<()> {
    for (at, _) in html.match_indices("=\"./") {
        let before = html[..at].rsplit(' ').next().unwrap_or("");
        if before == "src" || before == "href" {
            let rest: String = html[at..].chars().take(60).collect();
            return Err(Failure(format!(
                "the offline file would ask for {before}{rest}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stands_in_one_file() {
        let dir = std::env::temp_dir().join(format!("somascope-offline-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let page = "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'\">\
             <link rel=\"stylesheet\" href=\"./s.css\">\
             <script src=\"./boot.js\" defer data-glue=\"./app.js\" data-wasm=\"./app.wasm\" data-sample=\"./x.ir\" data-sample-name=\"x\"></script>\
             </head><body><a href=\"./data-handling-1.md\" target=\"_blank\" rel=\"noopener\"></a></body>";
        for (name, content) in [
            ("index.html", page),
            ("s.css", "p { color: red }"),
            ("boot.js", "boot()"),
            ("app.js", "glue()"),
            ("app.wasm", "\0asm"),
            ("x.ir", "plan"),
            ("data-handling-1.md", "safe"),
        ] {
            fs::write(dir.join(name), content).unwrap();
        }
        let html = pack(&dir).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        for part in [
            "<style>p { color: red }</style>",
            "<script type=\"application/octet-stream\" id=\"part-wasm\">AGFzbQ==</script>",
            "id=\"part-sample\">cGxhbg==</script>",
            "<script>glue()</script>\n<script data-glue=\"./app.js\"",
            "data-sample-name=\"x\">boot()</script>",
            "href=\"data:text/markdown;base64,c2FmZQ==\" download=",
            // printf 'glue()' | openssl dgst -sha256 -binary | base64
            "'sha256-VdoABSx6HQvK7t9ncBIoMxKElyYnMpz+YgB07WWCTX0='",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        assert!(!html.contains("'self'") && !html.contains("src=\"./"));
    }

    #[test]
    fn what_would_be_fetched_is_seen() {
        assert!(nothing_to_fetch("<img src=\"./x.png\">").is_err());
        assert!(nothing_to_fetch("<p data-x=\"./x.png\">").is_ok());
        assert!(inside("a </SCRIPT>", "</script").is_err());
    }
}
