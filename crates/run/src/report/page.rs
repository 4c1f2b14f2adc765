//! The page: one HTML file that needs no network. The template, its style and its script are in `page/`; the data is
//! put into it as JSON that cannot end the element it stands in.

use super::view::Data;
use qualm_core::escape;
use std::fmt::Write;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// In this order: the last one begins.
const SCRIPTS: [&str; 6] = [
    include_str!("page/elements.js"),
    include_str!("page/difference.js"),
    include_str!("page/charts.js"),
    include_str!("page/trends.js"),
    include_str!("page/finding.js"),
    include_str!("page/page.js"),
];

/// What the page may do: run what is in it, and ask its own server. Written into the file, so that it holds for a copy
/// on disk as well.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

pub fn page(data: &Data, title: &str) -> String {
    let script = SCRIPTS.concat();
    let parts = [
        ("title", escape::xml(title)),
        ("policy", POLICY.to_owned()),
        ("style", STYLE.to_owned()),
        ("data", json(data)),
        ("script", script),
    ];
    fill(TEMPLATE, &parts)
}

/// Puts the parts where the template says `{{NAME}}`, in one pass, so that a part is never searched.
fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(template.len() + parts.iter().map(|p| p.1.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("the template closes what it opens");
        out.push_str(before);
        let part = parts.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no part '{name}'"));
        out.push_str(&part.1);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// JSON for the inside of a script element: with no `<`, nothing in it can end the element or begin a comment; the two
/// separators are line ends to readers of older JavaScript.
pub fn json(data: &impl serde::Serialize) -> String {
    let raw = serde_json::to_string(data).expect("plain data");
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_its_element() {
        let nasty = "</script><script>alert(1)</script><!-- {{script}} \u{2028}\u{2029} & ]]>";
        let made = json(&nasty);
        assert!(!made.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{made}");
        assert_eq!(serde_json::from_str::<String>(&made).unwrap(), nasty);
    }

    #[test]
    fn parts_are_not_searched_for_parts() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "x".to_owned())];
        assert_eq!(fill("<{{a}} {{b}}>", &parts), "<{{b}} x>");
    }
}
