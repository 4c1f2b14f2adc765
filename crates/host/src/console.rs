//! Standard output and standard error, written in one place and nowhere else (tests/tidy.rs sees to it).
//!
//! A reader that has gone away (`| head`, `| tee log` and Ctrl-C) or a full disk is no reason to stop, to panic or to
//! end with another exit code: what cannot be written is lost, and nothing else.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes to standard output. Text that found no room is mentioned once on standard error.
pub fn out(text: Arguments) {
    static MENTIONED: AtomicBool = AtomicBool::new(false);
    if let Err(e) = deliver(&mut io::stdout().lock(), text)
        && e.kind() != ErrorKind::BrokenPipe
        && !MENTIONED.swap(true, Ordering::Relaxed)
    {
        err(format_args!("qualm: cannot write to standard output: {e}\n"));
    }
}

/// Writes to standard error.
pub fn err(text: Arguments) {
    let _ = deliver(&mut io::stderr().lock(), text);
}

/// Someone looks at standard error as it is written.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// The width of the terminal that standard error is written to.
pub fn columns() -> usize {
    terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

/// Text of lists with its long lines broken between words where standard output is a terminal, as it is anywhere else.
/// Not for what people copy: a terminal that breaks a line itself puts it together again.
pub fn fitted(text: &str) -> String {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((width, _)) if out_is_terminal() => fit(text, usize::from(width.0)),
        _ => text.to_owned(),
    }
}

/// Below this many columns nobody reads a list.
const LEAST_COLUMNS: usize = 40;

fn fit(text: &str, width: usize) -> String {
    if width < LEAST_COLUMNS {
        return text.to_owned();
    }
    let fit_line = |line: &str| if shown_chars(line) <= width { line.to_owned() } else { break_line(line, width) };
    let lines: Vec<String> = text.split('\n').map(fit_line).collect();
    lines.join("\n")
}

/// Continues below the last column of a table, if that is in the left half, or else a little further in than the line.
fn break_line(line: &str, width: usize) -> String {
    const GAP: &str = "   ";
    let begin = line.len() - line.trim_start().len();
    let columns = line[begin..].match_indices(GAP).map(|(at, _)| {
        let after = &line[begin + at..];
        let next = begin + at + after.len() - after.trim_start().len();
        shown_chars(&line[..next])
    });
    let indent = columns.filter(|c| *c <= width / 2).last().unwrap_or((begin + 2).min(width / 2));
    let (mut out, mut column, mut blanks) = (String::new(), 0, 0);
    for (i, word) in line.split(' ').enumerate() {
        blanks += usize::from(i > 0);
        if word.is_empty() {
            continue;
        }
        if column > indent && column + blanks + shown_chars(word) > width {
            out.push('\n');
            (column, blanks) = (0, indent);
        }
        out.extend(std::iter::repeat_n(' ', blanks));
        out.push_str(word);
        column += blanks + shown_chars(word);
        blanks = 0;
    }
    out
}

/// Characters without those that only set a colour.
fn shown_chars(text: &str) -> usize {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().chars().count();
    first + parts.map(|p| p.split_once('m').map_or(0, |(_, after)| after.chars().count())).sum::<usize>()
}

/// What is written to standard output goes to a terminal, which does what some characters say.
pub fn out_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// What a piece of text is, and so its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Name,
    Good,
    Bad,
    Hint,
}

/// The text in its colour where standard output is a terminal, as it is anywhere else.
pub fn painted(paint: Paint, text: &str) -> String {
    paint_if(out_is_terminal() && wants_colour(), paint, text)
}

/// The same for standard error.
pub fn painted_err(paint: Paint, text: &str) -> String {
    paint_if(is_watched() && wants_colour(), paint, text)
}

/// <https://no-color.org>: any value that is not empty.
fn wants_colour() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

fn paint_if(wanted: bool, paint: Paint, text: &str) -> String {
    let code = match paint {
        Paint::Name => "1",
        Paint::Good => "32",
        Paint::Bad => "1;31",
        Paint::Hint => "33",
    };
    if wanted { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// In one piece, so that lines of several threads do not mix.
fn deliver(to: &mut impl Write, text: Arguments) -> io::Result<()> {
    let text = text.to_string();
    to.write_all(text.as_bytes()).and_then(|()| to.flush())
}

#[macro_export]
macro_rules! out {
    ($($text:tt)*) => { $crate::console::out(format_args!($($text)*)) };
}
#[macro_export]
macro_rules! outln {
    ($($text:tt)*) => { $crate::console::out(format_args!("{}\n", format_args!($($text)*))) };
}
/// Lines of a list, which fit the terminal.
#[macro_export]
macro_rules! listln {
    ($($text:tt)*) => { $crate::console::out(format_args!("{}\n", $crate::console::fitted(&format!($($text)*)))) };
}
#[macro_export]
macro_rules! err {
    ($($text:tt)*) => { $crate::console::err(format_args!($($text)*)) };
}
#[macro_export]
macro_rules! errln {
    ($($text:tt)*) => { $crate::console::err(format_args!("{}\n", format_args!($($text)*))) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_broken_between_words() {
        let table = "new        Wrong result: a join of two tables [0123456789abcdef]";
        assert_eq!(fit(table, 40), "new        Wrong result: a join of two\n           tables [0123456789abcdef]");
        let plain = "\x1b[1mtlp\x1b[0m\n  a query is the union of its parts, where p is true";
        assert_eq!(fit(plain, 40), "\x1b[1mtlp\x1b[0m\n  a query is the union of its parts,\n    where p is true");
        // Columns in the right half are no place to go on from, and what has no blank stays whole.
        let wide = format!("{:30}{:10}{}", "name", "x", "y".repeat(50));
        assert_eq!(fit(&wide, 40).lines().last().unwrap(), format!("  {}", "y".repeat(50)));
        assert_eq!(fit(plain, 20), plain);
        assert_eq!(fit("a\n\nb\n", 80), "a\n\nb\n");
    }

    #[test]
    fn colours_are_only_where_they_are_wanted() {
        assert_eq!(paint_if(true, Paint::Bad, "x"), "\x1b[1;31mx\x1b[0m");
        assert_eq!(paint_if(false, Paint::Bad, "x"), "x");
    }
}
