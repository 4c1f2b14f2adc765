//! SARIF 2.1.0, the form in which code scanning takes results. One rule per kind of failure, one result per finding, at
//! the finding's script; the fingerprint identifies two uploads of the same finding.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use qualm_core::escape::lines;
use qualm_run::fingerprint::Kind;
use qualm_run::report::view::FindingView;
use serde_json::{Value as Json, json};
use std::path::Path;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Trophies that do not say what kind they are of.
const OTHER: (&str, &str) = ("trophy", "Bug");

const KINDS: [Kind; 7] =
    [Kind::WrongResult, Kind::Changed, Kind::Slow, Kind::Crash, Kind::Hang, Kind::OutOfMemory, Kind::InternalError];

pub fn text(findings: &[FindingView]) -> String {
    let rules: Vec<(&str, &str)> = KINDS.iter().map(|k| (k.name(), k.words())).chain([OTHER]).collect();
    let rule = |(name, words): &(&str, &str)| {
        json!({
            "id": format!("qualm/{name}"),
            "name": words,
            "shortDescription": { "text": words },
            "fullDescription": { "text": about(name) },
            "defaultConfiguration": { "level": level(name) },
        })
    };
    let driver = json!({
        "name": "qualm",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    });
    let results: Vec<Json> = findings.iter().map(|f| result(f, &rules)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("plain data");
    text.push('\n');
    text
}

fn about(kind: &str) -> &'static str {
    match kind {
        "changed" => "A query returned other rows than in another release of the engine.",
        "wrong_result" => "Two queries whose results must agree returned different results.",
        "slow" => "A query takes clearly more work or time than it should, or is expected to return more rows.",
        "crash" => "A statement crashes the engine.",
        "hang" => "A statement does not terminate.",
        "out_of_memory" => "A statement exhausts memory.",
        "internal_error" => "The engine reports an internal error.",
        _ => "A bug that was found.",
    }
}

fn level(kind: &str) -> &'static str {
    if kind == "slow" { "warning" } else { "error" }
}

fn result(f: &FindingView, rules: &[(&str, &str)]) -> Json {
    let index = rules.iter().position(|(name, _)| *name == f.kind).expect("every kind has a rule");
    let words: Vec<&str> =
        [f.title.as_str(), &f.expected, &f.actual, &f.replay].into_iter().filter(|t| !t.is_empty()).collect();
    let fingerprint = if f.fingerprint.is_empty() { &f.id } else { &f.fingerprint };
    json!({
        "ruleId": format!("qualm/{}", f.kind),
        "ruleIndex": index,
        "level": level(f.kind),
        "message": { "text": plain(&words.join("\n")) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&f.script_file) },
                "region": { "startLine": first_statement(&f.script) },
            },
        }],
        "partialFingerprints": { "qualm/v1": fingerprint },
        "properties": {
            "engine": f.engine,
            "version": f.version,
            "oracle": f.oracle,
            "features": f.features,
            "seen": f.seen,
        },
    })
}

/// Where the script begins behind the comments at its head.
fn first_statement(script: &str) -> usize {
    let is_statement =
        |line: &str| !line.trim().is_empty() && !["--", "//", "%", "#"].iter().any(|c| line.starts_with(c));
    script.lines().position(is_statement).map_or(1, |at| at + 1)
}

/// A message of SARIF may hold links as Markdown has them: texts of others do not become any.
fn plain(text: &str) -> String {
    lines(text).replace("](", "] (")
}

const UNSAFE_IN_PATHS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// A path as a reference relative to where the tool was started, or a file's address. Code scanning only shows files
/// that are named relative to the repository.
fn uri(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(path).strip_prefix(here).ok().map(|p| p.display().to_string()));
    let path = below.as_deref().unwrap_or(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(path.strip_prefix("./").unwrap_or(path), UNSAFE_IN_PATHS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("./qualm-out/0001/a b/ä.sql"), "qualm-out/0001/a%20b/%C3%A4.sql");
        assert_eq!(uri("/tmp/x.sql"), "file:///tmp/x.sql");
        let here = std::env::current_dir().unwrap().join("out/repro.sql");
        assert_eq!(uri(here.to_str().unwrap()), "out/repro.sql", "as a repository names it");
        assert_eq!(first_statement("-- title\n\nCREATE TABLE t(a);\n"), 3);
        assert_eq!(first_statement(""), 1);
    }
}
