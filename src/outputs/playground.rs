//! Links that open the steps of a report in an engine's own playground, where it has one that takes statements in its
//! address. It runs the newest release there, so that a link shows whether the bug still exists.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The name of an engine on our command line, and the address for its statements.
type Playground = (&'static str, fn(&str) -> Option<String>);

const PLAYGROUNDS: &[Playground] = &[("sqlite", sqlite_fiddle), ("duckdb", duckdb_shell)];

/// Longer addresses are cut off on their way.
const LENGTH_AT_MOST: usize = 6_000;

/// The link for the steps in a report about this engine.
pub fn link(engine: &str, report: &str) -> Option<String> {
    let name = engine.split(':').next().unwrap_or_default();
    let (_, make) = PLAYGROUNDS.iter().find(|(known, _)| *known == name)?;
    make(&steps(report)?).filter(|link| link.len() <= LENGTH_AT_MOST)
}

/// What stands in blocks of SQL under the heading of the steps.
fn steps(report: &str) -> Option<String> {
    let (_, section) = report.split_once("\n## Steps to reproduce\n")?;
    let (mut found, mut inside) = (String::new(), false);
    for line in section.lines() {
        match (inside, line) {
            (false, "```sql") => inside = true,
            (true, "```") => inside = false,
            (false, other) if other.starts_with("## ") => break,
            (true, line) => found.push_str(&format!("{line}\n")),
            (false, _) => {}
        }
    }
    (!found.is_empty()).then_some(found)
}

/// It runs what the shell takes, dot commands too.
fn sqlite_fiddle(steps: &str) -> Option<String> {
    Some(format!("https://sqlite.org/fiddle/?sql={}", utf8_percent_encode(steps, NON_ALPHANUMERIC)))
}

const UNSAFE_IN_QUERIES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'*');

/// It takes statements one by one, with a tilde for the semicolon, and blanks and hyphens exchanged.
fn duckdb_shell(steps: &str) -> Option<String> {
    let is_statement = |line: &&str| !line.starts_with('.') && !line.starts_with("--");
    let plain: Vec<&str> = steps.lines().filter(is_statement).collect();
    if steps.contains('~') {
        return None;
    }
    let exchanged = |statement: &str| -> String {
        let turn = |c| match c {
            ' ' => '-',
            '-' => ' ',
            other => other,
        };
        statement.chars().map(turn).collect()
    };
    let text = plain.join("\n");
    let statements = text.split(";\n").map(|s| s.trim().trim_end_matches(';')).filter(|s| !s.is_empty());
    let queries: Vec<String> =
        statements.map(|s| format!("{}~", utf8_percent_encode(&exchanged(s), UNSAFE_IN_QUERIES))).collect();
    Some(format!("https://shell.duckdb.org/#queries=v0,{}", queries.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# Wrong\n\n## Version\n\n1\n\n## Steps to reproduce\n\nIn the shell:\n\n```sql\n\
        .nullvalue NULL\nCREATE TABLE t(a INT);\n-- query 1: the rows\nSELECT a - 1\nFROM t WHERE a <> '2%';\n```\n\n\
        ## Actual\n\n```sql\nno\n```\n";

    #[test]
    fn the_steps_are_in_the_address() {
        assert_eq!(
            link("sqlite:3.28.0", REPORT).unwrap(),
            "https://sqlite.org/fiddle/?sql=%2Enullvalue%20NULL%0ACREATE%20TABLE%20t%28a%20INT%29%3B%0A\
             %2D%2D%20query%201%3A%20the%20rows%0ASELECT%20a%20%2D%201%0A\
             FROM%20t%20WHERE%20a%20%3C%3E%20%272%25%27%3B%0A"
        );
        assert_eq!(
            link("duckdb", REPORT).unwrap(),
            "https://shell.duckdb.org/#queries=v0,CREATE-TABLE-t%28a-INT%29~,\
             SELECT-a-%20-1%0AFROM-t-WHERE-a-%3C%3E-%272%25%27~"
        );
        assert_eq!(link("postgres", REPORT), None);
        assert_eq!(link("sqlite", "# Wrong\n"), None);
        assert_eq!(link("sqlite", &REPORT.replace("SELECT", &"x".repeat(7_000))), None);
    }
}
