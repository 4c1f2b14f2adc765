//! `.parameter` of the `sqlite3` shell: values that are bound to the parameters of the statements after it.

use super::api::{Api, Stmt};
use libsqlite3_sys as ffi;
use qualm_core::value::Value;
use std::ffi::{CStr, c_int};

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Clear,
    Unset(String),
    /// Name and value; the value is an expression.
    Set(String, String),
}

/// Nothing when the line is another command, or is not written as the shell takes it.
pub fn command(line: &str) -> Option<Command> {
    let rest = line.strip_prefix(".parameter ")?.trim();
    if rest == "clear" {
        return Some(Command::Clear);
    }
    let (verb, rest) = rest.split_once(' ')?;
    let is_name = |name: &str| {
        let letters = name.strip_prefix(['@', ':', '$']).unwrap_or_default();
        !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    match verb {
        "unset" if is_name(rest) => Some(Command::Unset(rest.into())),
        "set" => {
            let (name, value) = rest.split_once(' ').filter(|(name, _)| is_name(name))?;
            Some(Command::Set(name.into(), argument(value.trim())?))
        }
        _ => None,
    }
}

/// One argument of a command: a word, or what stands between quotes.
fn argument(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        let is_word = !text.is_empty() && !text.contains([' ', '\t', '\'']) || is_blob(text);
        return is_word.then(|| text.to_owned());
    };
    let mut value = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // The shell knows more of these; scripts write two.
            '\\' => value.push(letters.next().filter(|c| matches!(c, '"' | '\\'))?),
            '"' => return letters.as_str().is_empty().then_some(value),
            other => value.push(other),
        }
    }
    None
}

fn is_blob(text: &str) -> bool {
    let inside = text.strip_prefix(['x', 'X']).and_then(|t| t.strip_prefix('\'')).and_then(|t| t.strip_suffix('\''));
    inside.is_some_and(|t| t.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Gives the parameters of a statement their values; those without one are NULL. The error is SQLite's code.
pub fn bind(api: &Api, stmt: *mut Stmt, values: &[(String, Value)]) -> Result<(), c_int> {
    if values.is_empty() {
        return Ok(());
    }
    // Safety: a statement that was just prepared.
    let count = unsafe { (api.bind_parameter_count)(stmt) };
    for at in 1..=count {
        // Safety: the parameter is there; its name is null or lives as long as the statement.
        let name = unsafe { (api.bind_parameter_name)(stmt, at) };
        if name.is_null() {
            continue;
        }
        // Safety: as above.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        let Some((_, value)) = values.iter().find(|(n, _)| n.as_bytes() == name) else { continue };
        // Safety: SQLite copies what it is given before it returns.
        let code = unsafe {
            match value {
                Value::Int(i) => (api.bind_int64)(stmt, at, *i),
                Value::Real(r) => (api.bind_double)(stmt, at, *r),
                Value::Text(t) => {
                    (api.bind_text)(stmt, at, t.as_ptr().cast(), t.len() as c_int, ffi::SQLITE_TRANSIENT())
                }
                Value::Blob(b) => {
                    // A null pointer would be NULL.
                    (api.bind_blob)(stmt, at, b.as_ptr().cast(), b.len() as c_int, ffi::SQLITE_TRANSIENT())
                }
                _ => ffi::SQLITE_OK,
            }
        };
        if code != ffi::SQLITE_OK {
            return Err(code);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_core::session::Outcome;

    #[test]
    fn commands_are_read_as_the_shell_reads_them() {
        let set = |line: &str| match command(line) {
            Some(Command::Set(name, value)) => Some((name, value)),
            _ => None,
        };
        assert_eq!(set(".parameter set @p0 -1.5"), Some(("@p0".into(), "-1.5".into())));
        assert_eq!(set(r#".parameter set @p0 "'it''s \\ \"'""#), Some(("@p0".into(), r#"'it''s \ "'"#.into())));
        assert_eq!(set(".parameter set @p0 x'00'"), Some(("@p0".into(), "x'00'".into())));
        assert_eq!(set(".parameter set @p0 'a'"), None, "the shell takes such quotes off");
        assert_eq!(set(".parameter set p0 1"), None);
        assert_eq!(command(".parameter unset @p0"), Some(Command::Unset("@p0".into())));
        assert_eq!(command(".testctrl optimizations 1"), None);
    }

    #[test]
    fn values_keep_their_types() {
        let mut session = super::super::connect(None).ok().and_then(|e| e.open().ok()).unwrap();
        let lines = ["@i 7", "@r 0.5", "@t \"'12'\"", "@b x''", "@n NULL"];
        for line in lines {
            assert_eq!(session.run(&format!(".parameter set {line}")), Outcome::Done, "{line}");
        }
        let query = "SELECT typeof(@i), typeof(@r), typeof(@t), typeof(@b), typeof(@n), @i = 7, @t = '12'";
        let Outcome::Rows(rows) = session.run(query) else { panic!("no rows") };
        let types = ["integer", "real", "text", "blob", "null"].map(|t| Value::Text(t.into()));
        assert_eq!(rows.cells[..5], types);
        assert_eq!(rows.cells[5..], [Value::Int(1), Value::Int(1)]);
        assert_eq!(session.run(".parameter unset @i"), Outcome::Done);
        let Outcome::Rows(rows) = session.run("SELECT @i IS NULL") else { panic!("no rows") };
        assert_eq!(rows.scalar(), Some(&Value::Int(1)));
        assert!(!session.run(".parameter set @p load_extension('x')").is_ok());
    }
}
