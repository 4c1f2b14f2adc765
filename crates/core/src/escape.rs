//! Text that others wrote, made safe to show: what an engine says, what a finding is called, a statement out of a
//! folder that somebody sent. One form for the terminal, one for Markdown. Files that machines read (`case.json`,
//! `repro.sql`) keep every byte; only what people look at goes through here.

use std::borrow::Cow;
use std::fmt::Write;

/// Characters that a reader does not see as themselves: controls (ESC begins terminal commands, C1 holds the same ones
/// in a single character), marks that turn the direction of writing, and others without a shape.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

fn escaped(text: &str, keep: &[char]) -> Option<String> {
    let hostile = |c: char| is_unseen(c) && !keep.contains(&c);
    if !text.chars().any(hostile) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hostile(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Some(out)
}

/// A text on one line, for the terminal, a comment or a table: what cannot be seen is written as `\n`, `\u{1b}`.
pub fn line(text: &str) -> String {
    escaped(text, &[]).unwrap_or_else(|| text.to_owned())
}

/// The same for a text of several lines, which stay lines. Borrowed when there was nothing to do, so that a caller can
/// know whether what it shows is what there is.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n', '\t']).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// A text within a line of Markdown, to be read as it stands: neither markup nor HTML, neither link nor picture.
pub fn markdown(text: &str) -> String {
    let shown = line(text);
    let mut out = String::with_capacity(shown.len() + 8);
    let mut before = ' ';
    let mut rest = shown.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Only what could begin a character reference.
            '&' if next == '#' || next.is_ascii_alphabetic() => out.push_str("&amp;"),
            // Within a word an underscore is nothing but itself.
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => out.push('_'),
            // A backslash stays one unless it would escape what follows.
            '\\' if !next.is_ascii_punctuation() => out.push('\\'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        before = c;
    }
    // What would be a heading, a list, a quotation or a table at the beginning of a line.
    match out.chars().next() {
        Some('#' | '+' | '-' | '=' | ':') => format!("\\{out}"),
        _ => out,
    }
}

/// A text as code within a line of Markdown. In a cell of a table a bar ends the cell even there, so it is escaped by
/// the caller that makes tables: `code(text).replace('|', "\\|")`.
pub fn code(text: &str) -> String {
    let shown = line(text);
    let fence = "`".repeat(longest_run(&shown) + 1);
    // Without the blanks a backtick at either end would join the fence; Markdown takes one blank off each end.
    let blank = if shown.is_empty() || shown.starts_with(['`', ' ']) || shown.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{blank}{shown}{blank}{fence}")
}

/// Lines as a block of code in Markdown, which nothing inside can end. `name` is the language.
pub fn block(name: &str, text: &str) -> String {
    let shown = lines(text.trim_end());
    let fence = "`".repeat(longest_run(&shown).max(2) + 1);
    format!("{fence}{name}\n{shown}\n{fence}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text of an element or an attribute of XML or HTML. XML 1.0 has no way to write most control characters, so that they
/// are shown as escapes; line ends are kept as references, which attributes need.
pub fn xml(text: &str) -> String {
    let shown = lines(text);
    let mut out = String::with_capacity(shown.len());
    for c in shown.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON that means the same and can be looked at: what cannot be seen stands in texts only, where it can be escaped.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A word as a shell takes it, for commands that a person is to type. What cannot be seen is quoted as bash and
/// its kin do it, so that neither the terminal nor the reader is led astray and what is pasted is still what was meant.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ':' | '+' | ',' | '@' | '%');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(is_unseen) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let mut out = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\'' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if is_unseen(c) => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What must reach nobody's terminal: a title set by OSC, colours by CSI in both forms, text turned round, and a
    /// line that is written over.
    const HOSTILE: &str = "a\u{1b}]0;owned\u{7}b\u{9b}31mc\u{202e}d\u{2066}e\rf\u{8}g\u{200b}h\u{feff}";

    #[test]
    fn nothing_unseen_is_left() {
        let shown = line(&format!("{HOSTILE}\nx\ty"));
        assert!(!shown.chars().any(is_unseen), "{shown:?}");
        assert!(shown.contains("\\u{1b}]0;owned\\u{7}b\\u{9b}31mc\\u{202e}d"), "{shown}");
        let several = lines("one\n\ttwo\u{1b}[2J");
        assert_eq!(several, "one\n\ttwo\\u{1b}[2J");
        assert!(matches!(lines("nothing\n\tto do: ä € 漢"), Cow::Borrowed(_)));
    }

    #[test]
    fn markdown_is_read_as_it_stands() {
        for (text, made) in [
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("![x](http://elsewhere/)", "!\\[x\\](http://elsewhere/)"),
            ("count(*) of sqlite_master _x_", "count(\\*) of sqlite_master \\_x\\_"),
            ("a && b &lt; &#60;", "a && b &amp;lt; &amp;#60;"),
            ("# heading", "\\# heading"),
            ("- list", "\\- list"),
            ("a|b `c`", "a\\|b \\`c\\`"),
            ("a\n\n# b\u{1b}", "a\\n\\n# b\\u{1b}"),
            ("C:\\x \\* x", "C:\\x \\\\\\* x"),
            ("", ""),
        ] {
            assert_eq!(markdown(text), made, "{text}");
        }
    }

    #[test]
    fn code_cannot_be_left() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(block("sql", "SELECT 1\n"), "```sql\nSELECT 1\n```\n");
        assert_eq!(block("", "```\n<b>\u{1b}"), "````\n```\n<b>\\u{1b}\n````\n");
    }

    #[test]
    fn xml_is_text() {
        assert_eq!(xml("<a b=\"'\">&\n\0\u{1b}"), "&lt;a b=&quot;&#39;&quot;&gt;&amp;&#10;\\u{0}\\u{1b}");
    }

    #[test]
    fn json_means_the_same() {
        let text = format!("{HOSTILE}\u{e0041}");
        let made = json(&serde_json::to_string(&text).unwrap());
        assert!(!made.chars().any(is_unseen), "{made:?}");
        assert_eq!(serde_json::from_str::<String>(&made).unwrap(), text);
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(shell("a/b-1.2:x"), "a/b-1.2:x");
        assert_eq!(shell(""), "''");
        assert_eq!(shell("a b'$(x)"), "'a b'\\''$(x)'");
        assert_eq!(shell("a\u{1b}'\\\n\u{202e}"), "$'a\\x1b\\'\\\\\\n\\xe2\\x80\\xae'");
    }
}
