//! The lines that begin with `#`, as far as programs of people have them: macros with and without arguments, pieces put
//! together by `##`, parts that are there only if a name is defined, and files that are included. What comes out has as
//! many lines as what goes in, but for included files.

use std::path::{Path, PathBuf};

struct Macro {
    name: String,
    parameters: Option<Vec<String>>,
    body: String,
}

/// Macros in macros, and files in files, deeper than this are taken for endless.
const DEPTH: usize = 16;
/// More text than this comes of no program of a person.
const BYTES: usize = 4_000_000;

/// The text after all its lines for a preprocessor were obeyed, or nothing where one is not known. Files are looked for
/// beside `file`.
pub fn preprocessed(text: &str, file: Option<&Path>) -> Option<String> {
    preprocessed_with_parts(text, file).map(|(text, _)| text)
}

/// The same with the files that were included.
pub fn preprocessed_with_parts(text: &str, file: Option<&Path>) -> Option<(String, Vec<PathBuf>)> {
    let mut state = State { macros: Vec::new(), out: String::new(), included: Vec::new() };
    state.define(WIDTH)?;
    state.text(text, file, 0)?;
    Some((state.out, state.included))
}

/// What Soufflé says of itself to its preprocessor, if numbers are as wide as by default.
const WIDTH: &str = "RAM_DOMAIN_SIZE 32";

struct State {
    macros: Vec<Macro>,
    out: String,
    included: Vec<PathBuf>,
}

impl State {
    fn text(&mut self, text: &str, file: Option<&Path>, depth: usize) -> Option<()> {
        if depth > DEPTH || self.out.len() > BYTES {
            return None;
        }
        let joined = text.replace("\\\r\n", "\\\n");
        let mut lines = joined.split('\n');
        let mut number = 0;
        // Whether each open condition holds, and whether one of its arms held.
        let mut conditions: Vec<(bool, bool)> = Vec::new();
        while let Some(first) = lines.next() {
            let mut line = first.to_owned();
            let mut more = 0;
            number += 1;
            while line.trim_start().starts_with('#') && line.ends_with('\\') {
                line.pop();
                line.push_str(lines.next()?);
                more += 1;
            }
            let active = conditions.iter().all(|(holds, _)| *holds);
            match line.trim_start().strip_prefix('#') {
                Some(directive) => self.directive(directive.trim(), file, depth, active, &mut conditions)?,
                None if active => {
                    let include = line.trim().strip_prefix(".include").map(str::trim);
                    match include.and_then(|rest| rest.strip_prefix('"')?.strip_suffix('"')) {
                        Some(name) => self.include(name, file, depth)?,
                        None => {
                            let expanded = self.expanded(&line, 0)?;
                            self.out.push_str(&expanded.replace("__LINE__", &number.to_string()));
                        }
                    }
                }
                None => {}
            }
            self.out.extend(std::iter::repeat_n('\n', more + 1));
            number += more;
        }
        // The last line has no end of its own.
        self.out.pop();
        conditions.is_empty().then_some(())
    }

    fn directive(
        &mut self,
        line: &str,
        file: Option<&Path>,
        depth: usize,
        active: bool,
        conditions: &mut Vec<(bool, bool)>,
    ) -> Option<()> {
        let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
        let rest = rest.trim();
        let defined = |name: &str| self.macros.iter().any(|m| m.name == name);
        match word {
            "ifdef" => conditions.push((defined(rest), defined(rest))),
            "ifndef" => conditions.push((!defined(rest), !defined(rest))),
            "if" => {
                let holds = self.condition(rest)?;
                conditions.push((holds, holds));
            }
            "elif" => {
                let holds = self.condition(rest)?;
                let (now, held) = conditions.last_mut()?;
                (*now, *held) = (holds && !*held, holds || *held);
            }
            "else" => {
                let (holds, held) = conditions.last_mut()?;
                (*holds, *held) = (!*held, true);
            }
            "endif" => {
                conditions.pop()?;
            }
            _ if !active => {}
            "define" => self.define(rest)?,
            "undef" => self.macros.retain(|m| m.name != rest),
            "include" => {
                let name = rest.strip_prefix('"')?.strip_suffix('"')?;
                self.include(name, file, depth)?;
            }
            // Where a line came from.
            "line" | "pragma" | "" => {}
            _ => return None,
        }
        Some(())
    }

    /// `0`, `1`, `defined(NAME)`, `A == B`, and the opposites.
    fn condition(&self, text: &str) -> Option<bool> {
        let text = text.split("//").next().unwrap_or(text).trim();
        let number = |text: &str| self.expanded(text, 0)?.trim().parse::<i64>().ok();
        if let Some((a, b)) = text.split_once("==") {
            return Some(number(a)? == number(b)?);
        }
        if let Some((a, b)) = text.split_once("!=") {
            return Some(number(a)? != number(b)?);
        }
        if let Some(rest) = text.strip_prefix('!') {
            return self.condition(rest).map(|holds| !holds);
        }
        if let Some(name) = text.strip_prefix("defined") {
            let name = name.trim().trim_start_matches('(').trim_end_matches(')').trim();
            let plain = !name.is_empty() && name.chars().all(is_word);
            return plain.then(|| self.macros.iter().any(|m| m.name == name));
        }
        number(text).map(|n| n != 0)
    }

    fn include(&mut self, name: &str, file: Option<&Path>, depth: usize) -> Option<()> {
        let path = file?.parent()?.join(name);
        let text = std::fs::read_to_string(&path).ok().filter(|t| t.len() < BYTES)?;
        let once = text.lines().any(|l| l.trim() == ".once");
        if once && self.included.contains(&path) {
            return Some(());
        }
        self.included.push(path.clone());
        self.text(&text, Some(&path), depth + 1)
    }

    fn define(&mut self, rest: &str) -> Option<()> {
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let (parameters, body) = match rest.strip_prefix('(') {
            Some(inner) => {
                let (list, body) = inner.split_once(')')?;
                let list = list.trim();
                let names = list.split(',').map(|p| p.trim().to_owned());
                (Some(if list.is_empty() { Vec::new() } else { names.collect() }), body)
            }
            None => (None, rest),
        };
        self.macros.retain(|m| m.name != name);
        let body = body.trim().to_owned();
        (!name.is_empty()).then(|| self.macros.push(Macro { name: name.to_owned(), parameters, body }))
    }

    /// A line with its macros replaced.
    fn expanded(&self, line: &str, depth: usize) -> Option<String> {
        if self.macros.is_empty() || depth > DEPTH {
            return Some(line.to_owned());
        }
        let mut out = String::new();
        let mut rest = line;
        let mut changed = false;
        while let Some(first) = rest.chars().next() {
            if out.len() > BYTES {
                return None;
            }
            if first == '"' {
                let end = end_of_text(rest);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            if !is_word(first) {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            let Some(found) = self.macros.iter().find(|m| m.name == word) else {
                out.push_str(word);
                continue;
            };
            match &found.parameters {
                None => out.push_str(&found.body),
                Some(parameters) => {
                    let Some((args, after)) = arguments(rest) else {
                        out.push_str(word);
                        continue;
                    };
                    rest = after;
                    out.push_str(&found.with(parameters, &args)?);
                }
            }
            changed = true;
        }
        if changed { self.expanded(&out, depth + 1) } else { Some(out) }
    }
}

impl Macro {
    /// The body with these arguments; `a ## b` becomes one word.
    fn with(&self, parameters: &[String], args: &[String]) -> Option<String> {
        if parameters.len() != args.len() {
            return None;
        }
        let mut out = String::new();
        let mut rest = self.body.as_str();
        while let Some(first) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("##") {
                out.truncate(out.trim_end().len());
                rest = after.trim_start();
            } else if is_word(first) {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let word = &rest[..end];
                out.push_str(parameters.iter().position(|p| p == word).map_or(word, |at| args[at].as_str()));
                rest = &rest[end..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        Some(out)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a text that begins here ends, its closing quote included.
fn end_of_text(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

/// The arguments in brackets that the text begins with, and what comes behind.
fn arguments(text: &str) -> Option<(Vec<String>, &str)> {
    let inner = text.trim_start().strip_prefix('(')?;
    let (mut args, mut depth, mut at, mut begun) = (Vec::new(), 0, 0, 0);
    while let Some(c) = inner[at..].chars().next() {
        match c {
            '"' => {
                at += end_of_text(&inner[at..]);
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                let last = inner[begun..at].trim();
                if !(last.is_empty() && args.is_empty()) {
                    args.push(last.to_owned());
                }
                return Some((args, &inner[at + 1..]));
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                args.push(inner[begun..at].trim().to_owned());
                begun = at + 1;
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_conditions_and_joined_words() {
        let text = "#define TWO 2\n#define R(name, x) \\\n  .decl p_##name(x:number) \\\n  p_##name(x).\n#ifdef TWO\n\
            R(a, TWO)\n#else\nR(b, 3)\n#endif\nq(\"TWO\", TWO_).\n";
        let made = preprocessed(text, None).unwrap();
        assert_eq!(made.lines().count(), text.lines().count());
        let lines: Vec<&str> = made.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        assert_eq!(lines, [".decl p_a(2:number)   p_a(2).", "q(\"TWO\", TWO_)."]);
        let text = "#if defined (X)\na\n#elif RAM_DOMAIN_SIZE == 32\nb(__LINE__)\n#elif 1\nc\n#else\nd\n#endif\n\
            #if !defined X\ne\n\
            #endif\n";
        let made = preprocessed(text, None).unwrap();
        assert_eq!(made.split_whitespace().collect::<Vec<_>>(), ["b(4)", "e"]);
        assert_eq!(preprocessed("#if X > 2\n#endif\n", None), None);
        assert_eq!(preprocessed("#include \"nothing.dl\"\n", None), None);
        assert_eq!(preprocessed("#define A A\nA\n", None).unwrap().trim(), "A");
    }

    #[test]
    fn other_files_are_included_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.dl"), ".once\nb(1).\n").unwrap();
        let main = folder.path().join("a.dl");
        let made = preprocessed(".include \"b.dl\"\n#include \"b.dl\"\na(2).", Some(&main)).unwrap();
        let lines: Vec<&str> = made.lines().filter(|l| !l.is_empty()).collect();
        assert_eq!(lines, [".once", "b(1).", "a(2)."]);
    }
}
