//! Cases as plain scripts, with no more words than they need: as they were before their reduction, and with all that
//! was said to the engine in their session.

use super::script::needs_no_end;
use super::{datalog_form, one_line, script_name};
use crate::recorder::Noted;
use crate::store::UNREDUCED;
use qualm_core::case::Case;
use std::fmt::Write;

/// How the language begins a comment and ends a statement.
fn marks(case: &Case) -> (&'static str, &'static str) {
    let style = case.language.style();
    (style.comment(datalog_form(case)), style.end)
}

fn ending(case: &Case) -> &'static str {
    script_name(case).rsplit('.').next().unwrap_or_default()
}

/// The name's end and the text of the file that has all statements of a session in their order.
pub fn session_file(case: &Case, session: &[Noted]) -> (String, String) {
    let (comment, end) = marks(case);
    let mut out = format!("{comment} all statements of the session, starting from an empty database\n");
    for noted in session {
        if noted.rejected {
            let _ = writeln!(out, "{comment} the engine rejected the next statement");
        }
        let _ = writeln!(out, "{}{}", noted.text, if needs_no_end(&noted.text) { "" } else { end });
    }
    (format!("session.{}", ending(case)), out)
}

/// The files of a case as it was before its reduction: as data, and as a script.
pub fn unreduced_files(case: &Case, preamble: &[String]) -> std::io::Result<Vec<(String, String)>> {
    let (comment, end) = marks(case);
    let mut script = format!("{comment} the case as found, before reduction\n");
    for line in preamble {
        let _ = writeln!(script, "{line}{end}");
    }
    for step in &case.script {
        if let Some(label) = &step.label {
            let _ = writeln!(script, "{comment} {}", one_line(label));
        }
        let _ = writeln!(script, "{}{}", step.text, if needs_no_end(&step.text) { "" } else { end });
    }
    let mut json = serde_json::to_string_pretty(case)?;
    json.push('\n');
    Ok(vec![(format!("{UNREDUCED}json"), json), (format!("{UNREDUCED}{}", ending(case)), script)])
}
