//! `qualm issue`: a finding as the text of an issue, in the form that the engine's tracker takes. Made from the file
//! `report.md`, which is about the engine only, so that nothing of ours is in it.

use crate::outputs::{self, playground};
use clap::{Args, ValueEnum};
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_core::outside;
use qualm_run::report::REPORT_FILE;
use qualm_run::store;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Issue {
    /// Folder of a finding or of a trophy
    finding: PathBuf,
    /// The tracker whose form the text has [default: the one of the engine]
    #[arg(long = "for", value_enum, value_name = "TRACKER")]
    tracker: Option<Tracker>,
    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tracker {
    /// Markdown, with a title
    Github,
    /// Markdown, for sqlite.org/forum
    SqliteForum,
    /// Jira's markup, for jira.mariadb.org
    MariadbJira,
    /// Plain text, for the form of postgresql.org or pgsql-bugs
    PgsqlBugs,
    /// Plain text under the headings of bugs.mysql.com
    MysqlBugs,
}

impl Tracker {
    /// Where reports about an engine go.
    pub fn of(engine: &str) -> Tracker {
        match engine.split(':').next().unwrap_or_default() {
            "sqlite" => Tracker::SqliteForum,
            "mariadb" => Tracker::MariadbJira,
            "postgres" => Tracker::PgsqlBugs,
            "mysql" => Tracker::MysqlBugs,
            _ => Tracker::Github,
        }
    }

    fn place(self, engine: &str) -> &'static str {
        match self {
            Tracker::SqliteForum => "https://sqlite.org/forum/forumpost",
            Tracker::MariadbJira => "https://jira.mariadb.org",
            Tracker::PgsqlBugs => "https://www.postgresql.org/account/submitbug/",
            Tracker::MysqlBugs => "https://bugs.mysql.com/report.php",
            Tracker::Github => match engine.split(':').next().unwrap_or_default() {
                "duckdb" => "https://github.com/duckdb/duckdb/issues/new",
                "clickhouse" | "chdb" => "https://github.com/ClickHouse/ClickHouse/issues/new",
                "z3" => "https://github.com/Z3Prover/z3/issues/new",
                "clingo" => "https://github.com/potassco/clingo/issues/new",
                "cozo" => "https://github.com/cozodb/cozo/issues/new",
                "neo4j" => "https://github.com/neo4j/neo4j/issues/new",
                "falkordb" => "https://github.com/FalkorDB/FalkorDB/issues/new",
                "arcadedb" => "https://github.com/ArcadeData/arcadedb/issues/new",
                "souffle" => "https://github.com/souffle-lang/souffle/issues/new",
                _ => "",
            },
        }
    }

    pub fn text(self, report: &str) -> String {
        let (title, body) = report.split_once('\n').unwrap_or((report, ""));
        let (title, body) = (title.trim_start_matches("# ").trim(), body.trim());
        match self {
            Tracker::Github | Tracker::SqliteForum => format!("{title}\n\n{body}\n"),
            Tracker::MariadbJira => format!("{title}\n\n{}", jira(body)),
            Tracker::PgsqlBugs => format!("{title}\n\n{}", plain(body, |heading| format!("{heading}:"))),
            Tracker::MysqlBugs => {
                let named = |heading: &str| match heading {
                    "Steps to reproduce" => "How to repeat:".to_owned(),
                    "Version" => "Description:\nVersion:".to_owned(),
                    other => format!("{other}:"),
                };
                format!("{title}\n\n{}", plain(body, named))
            }
        }
    }
}

impl Issue {
    pub fn run(self) -> Result<u8, Fault> {
        let engine = store::read_meta(&self.finding).map(|meta| meta.engine).unwrap_or_default();
        let tracker = self.tracker.unwrap_or_else(|| Tracker::of(&engine));
        let report = report(&self.finding)?;
        outputs::write(&self.out, &tracker.text(&report))?;
        if let Some(link) = playground::link(&engine, &report) {
            errln!("run the steps in the newest release: {link}");
        }
        let place = tracker.place(&engine);
        if !place.is_empty() {
            errln!("post it at {place}; search there first");
        }
        let folder = escape::shell(&self.finding.display().to_string());
        if let Some(copy) = copy_command() {
            errln!("copy it: qualm issue {folder} | {copy}");
        }
        Ok(0)
    }
}

/// The text of the issue about a finding's folder.
pub fn text(finding: &Path, tracker: Tracker) -> Result<String, Fault> {
    Ok(tracker.text(&report(finding)?))
}

fn report(finding: &Path) -> Result<String, Fault> {
    let file = finding.join(REPORT_FILE);
    outside::read_text(&file).map_err(|e| {
        let shown = escape::line(&file.display().to_string());
        Fault::usage(format!("cannot read '{shown}': {e}; give a finding's folder"))
    })
}

/// The program that puts its input on the clipboard here.
fn copy_command() -> Option<&'static str> {
    let programs =
        [("wl-copy", "wl-copy"), ("xclip", "xclip -selection clipboard"), ("xsel", "xsel -b"), ("pbcopy", "pbcopy")];
    programs.iter().find(|(name, _)| crate::machine::on_path(name).is_some()).map(|(_, command)| *command)
}

/// Lines of Markdown with what they are: within a block of code or not.
fn lines(body: &str) -> impl Iterator<Item = (&str, bool, bool)> {
    let mut inside = false;
    body.lines().map(move |line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        (line, inside && !fence, fence)
    })
}

fn jira(body: &str) -> String {
    let mut out = String::new();
    let mut open = false;
    for (line, code, fence) in lines(body) {
        if fence {
            let language = line.trim_start_matches('`');
            let begins = !open;
            open = begins;
            let known = if begins && language == "sql" { "{code:sql}" } else { "{noformat}" };
            out.push_str(if begins { known } else { closing(&out) });
        } else if code {
            out.push_str(line);
        } else if let Some(heading) = line.strip_prefix("## ") {
            out.push_str(&format!("h3. {heading}"));
        } else {
            out.push_str(&monospaced(line));
        }
        out.push('\n');
    }
    out
}

/// What ends the block that was begun last.
fn closing(out: &str) -> &'static str {
    let (sql, plain) = (out.rfind("{code:sql}"), out.rfind("{noformat}"));
    if sql > plain { "{code}" } else { "{noformat}" }
}

/// Names in backticks as Jira writes them.
fn monospaced(line: &str) -> String {
    let mut out = String::new();
    for (i, part) in line.split('`').enumerate() {
        if i > 0 {
            out.push_str(if i % 2 == 1 { "{{" } else { "}}" });
        }
        out.push_str(part);
    }
    out
}

fn plain(body: &str, heading: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for (line, code, fence) in lines(body) {
        if fence {
            continue;
        }
        match line.strip_prefix("## ") {
            Some(name) if !code => out.push_str(&heading(name)),
            _ if code && !line.is_empty() => out.push_str(&format!("    {line}")),
            _ => out.push_str(&line.replace('`', "")),
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# Wrong result with IS\n\n## Version\n\nSQLite 3.28.0\n\n## Steps to reproduce\n\n\
        In the `sqlite3` shell:\n\n```sql\nSELECT 1;\n## no heading\n```\n\n## Actual\n\n```\n1\n```\n";

    #[test]
    fn each_tracker_has_its_form() {
        assert!(Tracker::Github.text(REPORT).starts_with("Wrong result with IS\n\n## Version\n"));
        let jira = Tracker::MariadbJira.text(REPORT);
        assert!(jira.contains("h3. Version\n") && jira.contains("In the {{sqlite3}} shell:"), "{jira}");
        assert!(jira.contains("{code:sql}\nSELECT 1;\n## no heading\n{code}\n"), "{jira}");
        assert!(jira.contains("{noformat}\n1\n{noformat}\n"), "{jira}");
        let plain = Tracker::MysqlBugs.text(REPORT);
        assert!(plain.contains("Description:\nVersion:\n") && plain.contains("How to repeat:\n"), "{plain}");
        assert!(plain.contains("    SELECT 1;\n    ## no heading\n") && !plain.contains('`'), "{plain}");
        assert_eq!(Tracker::of("sqlite:3.28.0"), Tracker::SqliteForum);
        assert_eq!(Tracker::of("duckdb"), Tracker::Github);
    }
}
