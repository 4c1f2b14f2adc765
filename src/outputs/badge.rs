//! A badge for a README and one line for a chat: how many findings there are, and of which kinds.

use qualm_core::escape;
use qualm_run::progress::grouped;
use qualm_run::report::counted;
use qualm_run::report::view::{Data, FindingView};
use std::collections::BTreeMap;

/// About what a letter of the badge's font takes.
const LETTER_WIDTH: usize = 7;
const PADDING: usize = 12;

/// An SVG picture like those that build servers have.
pub fn svg(data: &Data) -> String {
    let (label, text) = ("qualm", message(&data.findings));
    let colour = if data.findings.is_empty() { "#2e7d43" } else { "#b3261e" };
    let width = |text: &str| text.chars().count() * LETTER_WIDTH + PADDING;
    let (left, right) = (width(label), width(&text));
    let all = left + right;
    let (middle_left, middle_right) = (left / 2, left + right / 2);
    let title = escape::xml(&format!("{label}: {text}"));
    let text = escape::xml(&text);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" role="img" aria-label="{title}">
<title>{title}</title>
<clipPath id="r"><rect width="{all}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#444c5c"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11">
<text x="{middle_left}" y="14">{label}</text><text x="{middle_right}" y="14">{text}</text></g>
</svg>
"##
    )
}

fn message(findings: &[FindingView]) -> String {
    if findings.is_empty() { "no findings".into() } else { counted(findings.len(), "finding") }
}

/// Kinds that are things are counted as such: `2 crashes`, but `2 out of memory`.
fn of_kind(n: usize, kind: &str) -> String {
    let kind = kind.to_lowercase();
    let end = match kind.rsplit(' ').next() {
        _ if n == 1 => "",
        Some("crash") => "es",
        Some("result" | "error" | "hang" | "bug") => "s",
        _ => "",
    };
    format!("{n} {kind}{end}")
}

/// `qualm: 3 findings in sqlite 3.28.0 (1 crash, 2 wrong results), 12,345 checks`, on one line whatever an engine says.
/// `still` of them are old ones that were replayed.
pub fn line(data: &Data, still: usize) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    data.findings.iter().for_each(|f| *kinds.entry(f.kind_words).or_default() += 1);
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| of_kind(*n, kind)).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let fresh = data.findings.iter().filter(|f| f.history.as_ref().is_some_and(|h| h.status == "new")).count();
    let fresh = if data.campaigns.len() > 1 { format!(", {fresh} new") } else { String::new() };
    let fresh = if still > 0 { format!("{fresh}, {still} still there") } else { fresh };
    let count = |name: &str| {
        let of = |c: &qualm_run::report::view::CampaignView| c.summary.as_ref()?.get(name)?.as_u64();
        data.campaigns.iter().filter_map(of).sum::<u64>()
    };
    let engine = super::engines(data);
    let engine = if engine.is_empty() { String::new() } else { format!(" in {engine}") };
    let text = format!(
        "qualm: {}{engine}{kinds}{fresh}, {} {}",
        message(&data.findings),
        grouped(count("checks")),
        if count("checks") == 1 { "check" } else { "checks" }
    );
    format!("{}\n", escape::line(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_in_words() {
        let said = [(2, "Wrong result"), (1, "Crash"), (3, "Crash"), (2, "Out of memory"), (2, "Internal error")];
        let said = said.map(|(n, kind)| of_kind(n, kind));
        assert_eq!(said, ["2 wrong results", "1 crash", "3 crashes", "2 out of memory", "2 internal errors"]);
    }
}
