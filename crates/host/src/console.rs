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
    fn colours_are_only_where_they_are_wanted() {
        assert_eq!(paint_if(true, Paint::Bad, "x"), "\x1b[1;31mx\x1b[0m");
        assert_eq!(paint_if(false, Paint::Bad, "x"), "x");
    }
}
