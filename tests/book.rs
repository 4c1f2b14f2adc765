//! Keeps the book in docs/ true: every page is in SUMMARY.md, every link leads somewhere, what is made from the
//! program's tables is current (`UPDATE_README=1 cargo test --test book` writes it anew), and every command shown does
//! what is shown.
//!
//! A `console` block is run by a shell, in a folder that each page has for itself, with the documentation, the
//! trophies, the examples and the adapters in it, and an engine from PyPI in `engine`: `$ ` begins a command, `? N`
//! is an exit code other than 0, `[..]` stands for any text within a line and a line `...` for any lines. Commands in
//! other blocks are checked for arguments that the program takes.

use clap::Parser;
use qualm::cli::Cli;
use qualm::engine::ENGINES;
use qualm::oracle;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const QUALM: &str = env!("CARGO_BIN_EXE_qualm");

fn docs() -> PathBuf {
    Path::new(ROOT).join("docs")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Names of the pages, without the table of contents.
fn pages() -> Vec<String> {
    let names = fs::read_dir(docs()).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|n| n.ends_with(".md") && n != "SUMMARY.md").collect();
    names.sort();
    assert!(names.len() > 10);
    names
}

/// Replaces or compares the text between the markers of a section.
fn keep(file: &str, name: &str, made: &str) {
    let path = docs().join(file);
    let mut text = read(&path);
    let open = format!("<!-- {name}: ");
    let begin = text.find(&open).unwrap_or_else(|| panic!("{file}: no marker '{open}…'"));
    let begin = begin + text[begin..].find('\n').unwrap() + 1;
    let length = text[begin..].find(&format!("<!-- end of {name} -->")).unwrap_or_else(|| panic!("{file}: no end"));
    if std::env::var_os("UPDATE_README").is_some() {
        text.replace_range(begin..begin + length, made);
        fs::write(&path, text).unwrap();
    } else {
        assert_eq!(&text[begin..begin + length], made, "{file} is stale; run UPDATE_README=1 cargo test --test book");
    }
}

// ---------------------------------------------------------------- made from tables

#[test]
fn engines_are_those_of_the_program() {
    let mut made = "| engine | language | what it is | `NAME:WHERE` |\n| --- | --- | --- | --- |\n".to_owned();
    for e in ENGINES {
        let (about, place) = (e.about.replace('|', "\\|"), e.place.replace('|', "\\|"));
        // An adapter says itself which language its engine speaks.
        let language = if e.name == "exec" { "any" } else { e.language.title() };
        writeln!(made, "| `{}` | {language} | {about} | {place} |", e.name).unwrap();
    }
    keep("engines.md", "engines", &made);
}

/// The reference of dialect files: its keys are in tables, the meaning of a feature is the comment on it.
#[test]
fn keys_of_dialects_are_those_of_the_program() {
    use qualm::engine::sql_dialect::keys::{FIELDS, MODULE_FIELDS, SEMANTICS_FIELDS, SPELLING_FIELDS};
    use qualm::engine::sql_dialect::{PARAMS, STANDARD};
    let table = |fields: &[(&str, &str)]| {
        let rows = fields.iter().map(|(key, meaning)| format!("| `{key}` | {} |\n", meaning.replace('|', "\\|")));
        format!("| key | meaning |\n| --- | --- |\n{}", rows.collect::<String>())
    };
    keep("dialects.md", "keys", &table(FIELDS));
    keep("dialects.md", "spelling", &table(SPELLING_FIELDS));
    keep("dialects.md", "semantics", &table(SEMANTICS_FIELDS));
    keep("dialects.md", "modules", &table(MODULE_FIELDS));
    let source = read(&Path::new(ROOT).join("crates/core/src/dialect/sql.rs"));
    let comments = variants(&source, "pub enum Param {");
    let of =
        |name: &str| comments.iter().find(|(n, _)| n.to_lowercase() == name.replace('_', "")).map(|(_, c)| c.as_str());
    let kinds = "an expression of this kind";
    let params: Vec<(&str, &str)> = PARAMS.iter().map(|(name, _)| (*name, of(name).unwrap_or(kinds))).collect();
    keep("dialects.md", "parameters", &table(&params).replace("| key |", "| parameter |"));
    let probes = STANDARD.features;
    let mut made = "| feature | meaning | probe of `standard` |\n| --- | --- | --- |\n".to_owned();
    for (name, meaning) in variants(&source, "pub enum Feature {") {
        let probe =
            probes.iter().find(|(f, _)| format!("{f:?}") == name).map(|(_, p)| p.join("; ")).unwrap_or_default();
        let probe = if probe.is_empty() { probe } else { format!("`{}`", probe.replace('|', "\\|")) };
        writeln!(made, "| `{name}` | {} | {probe} |", meaning.replace('|', "\\|")).unwrap();
    }
    keep("dialects.md", "features", &made);
}

/// The variants of an enum in a source file, each with its comment.
fn variants(source: &str, head: &str) -> Vec<(String, String)> {
    let body = source.split_once(head).unwrap().1.split_once("\n}").unwrap().0;
    let (mut all, mut comment) = (Vec::new(), Vec::new());
    for line in body.lines().map(str::trim) {
        match line.strip_prefix("/// ") {
            Some(words) => comment.push(words),
            None if line.starts_with("#[") || line.is_empty() => {}
            None => {
                let name = line.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned();
                all.push((name, std::mem::take(&mut comment).join(" ")));
            }
        }
    }
    all
}

/// The header of an oracle's file is its documentation: paper, claim, example.
#[test]
fn oracles_are_those_of_the_program() {
    let mut made = String::new();
    for o in oracle::all() {
        let source = read(&Path::new(ROOT).join(format!("crates/lang/src/oracle/{}.rs", o.name.replace('-', "_"))));
        let header: Vec<&str> = source.lines().map_while(|l| l.strip_prefix("//!")).collect();
        let header: Vec<&str> = header.iter().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        writeln!(made, "## {}\n\n{}. {}.\n\n{}\n", o.name, o.language.title(), capital(o.claim), header.join("\n"))
            .unwrap();
    }
    keep("oracles.md", "oracles", &made);
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
}

/// A page that nobody put into the table of contents is listed at its end, so that none is missing.
#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = read(&docs().join("SUMMARY.md"));
    let by_hand = summary.split("<!-- pages: ").next().unwrap();
    let mut made = String::new();
    for page in pages().iter().filter(|p| !by_hand.contains(&format!("({p})"))) {
        let title = read(&docs().join(page)).lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        writeln!(made, "- [{title}]({page})").unwrap();
    }
    keep("SUMMARY.md", "pages", &made);
}

// ---------------------------------------------------------------- code

/// The item of a source file that begins on the line with this text (or on the line before, where that only opens a
/// brace), down to the line that closes it, moved to the left margin.
fn item(path: &str, start: &str) -> String {
    let source = read(&Path::new(ROOT).join(path));
    let lines: Vec<&str> = source.lines().collect();
    let at = lines.iter().position(|l| l.contains(start)).unwrap_or_else(|| panic!("{path} has no '{start}'"));
    let indent = |l: &str| l.len() - l.trim_start().len();
    let opens = |l: &str| l.trim_end().ends_with(['{', '(', '[']);
    let at = if !opens(lines[at]) && opens(lines[at - 1]) && indent(lines[at - 1]) < indent(lines[at]) {
        at - 1
    } else {
        at
    };
    let margin = indent(lines[at]);
    let end = if opens(lines[at]) {
        let closes =
            |l: &&str| !l.trim().is_empty() && indent(l) == margin && l.trim_start().starts_with(['}', ')', ']']);
        at + 1 + lines[at + 1..].iter().position(closes).expect("it is closed")
    } else {
        at
    };
    lines[at..=end].iter().map(|l| l.get(margin..).unwrap_or_default().to_owned() + "\n").collect()
}

/// A block of Rust below `<!-- code: FILE: TEXT -->` is what the source has, and so it compiles.
#[test]
fn code_is_that_of_the_program() {
    let mut found = 0;
    for page in pages() {
        let path = docs().join(&page);
        let text = read(&path);
        let mut made = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("<!-- code: ") {
            let (what, after) = after.split_once(" -->\n```rust\n").unwrap_or_else(|| panic!("{page}: no block"));
            let (file, start) = what.split_once(": ").unwrap_or_else(|| panic!("{page}: FILE: TEXT, not '{what}'"));
            let (_, after) = after.split_once("```\n").unwrap_or_else(|| panic!("{page}: the block does not end"));
            made.push_str(&format!("{before}<!-- code: {what} -->\n```rust\n{}```\n", item(file, start)));
            rest = after;
            found += 1;
        }
        made.push_str(rest);
        let kept = made.matches("<!-- code: ").count();
        assert_eq!(made.matches("```rust").count(), kept, "{page}: a block of Rust that nothing compiles");
        if made != text && std::env::var_os("UPDATE_README").is_some() {
            fs::write(&path, made).unwrap();
        } else {
            assert_eq!(text, made, "{page} is stale; run UPDATE_README=1 cargo test --test book");
        }
    }
    assert!(found >= 5, "{found} blocks of code were found");
}

// ---------------------------------------------------------------- links

/// What stands in the brackets of Markdown's links, code left out.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (language, line) in lines(text) {
        if language.is_some() {
            continue;
        }
        let plain: String = line.split('`').step_by(2).collect();
        for (at, _) in plain.match_indices("](") {
            found.extend(plain[at + 2..].split(')').next().map(str::to_owned));
        }
    }
    found
}

/// Every line with the language of the block that it is in.
fn lines(text: &str) -> Vec<(Option<String>, &str)> {
    let mut block: Option<String> = None;
    let mut out = Vec::new();
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), &block) {
            (Some(language), None) => block = Some(language.trim().to_owned()),
            (Some(_), Some(_)) => block = None,
            (None, _) => out.push((block.clone(), line)),
        }
    }
    out
}

/// As mdBook and GitHub make it from a heading.
fn anchor(heading: &str) -> String {
    let kept =
        |c: char| if c == ' ' { Some('-') } else { Some(c).filter(|c| c.is_alphanumeric() || "-_".contains(*c)) };
    heading.trim_start_matches('#').trim().to_lowercase().chars().filter_map(kept).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let names = pages().into_iter().map(|p| docs().join(p));
    for page in names.chain([
        docs().join("SUMMARY.md"),
        Path::new(ROOT).join("README.md"),
        Path::new(ROOT).join("trophies/README.md"),
    ]) {
        for link in links(&read(&page)) {
            if link.starts_with("http") {
                continue;
            }
            let (path, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let headings = |t: &Path| read(t).lines().filter(|l| l.starts_with('#')).map(anchor).collect::<Vec<_>>();
            if !target.exists() || !fragment.is_empty() && !headings(&target).contains(&fragment.to_owned()) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

// ---------------------------------------------------------------- commands

/// A command of a `console` block and what it must print.
#[derive(Debug)]
struct Shown {
    command: String,
    exit: i32,
    output: Vec<String>,
}

fn shown(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for (language, line) in lines(text) {
        if language.as_deref() != Some("console") {
            continue;
        }
        // A block within a list is indented.
        let line = if line.starts_with("   ") && all_indented(text, line) { &line[3..] } else { line };
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown { command: command.into(), exit: 0, output: Vec::new() });
        } else if let Some(code) = line.strip_prefix("? ") {
            all.last_mut().expect("a command comes first").exit = code.parse().unwrap();
        } else {
            all.last_mut().expect("a command comes first").output.push(line.into());
        }
    }
    all
}

/// Whether the block that the line is in begins with an indented fence.
fn all_indented(text: &str, line: &str) -> bool {
    let at = line.as_ptr() as usize - text.as_ptr() as usize;
    text[..at].rfind("```console").is_some_and(|fence| text[..fence].ends_with("\n   "))
}

/// `[..]` stands for any text within the line.
fn fits_line(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern.trim_end() == line.trim_end(),
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices().map(|(i, _)| i).chain([rest.len()]).any(|i| fits_line(after, &rest[i..]))
        }),
    }
}

fn fits(patterns: &[String], lines: &[&str]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => (0..=lines.len()).any(|i| fits(rest, &lines[i..])),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, more)| fits_line(first, line) && fits(rest, more))
        }
    }
}

#[test]
fn patterns_of_output() {
    let patterns = ["a [..] c".to_owned(), "...".to_owned(), "end".to_owned()];
    assert!(fits(&patterns, &["a b c", "x", "y", "end"]) && fits(&patterns, &["a b b c", "end"]));
    assert!(!fits(&patterns, &["a b", "end"]) && !fits(&patterns, &["a b c", "end", "more"]));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// Replays a stored finding on the releases it names, so './x setup' must have built those.
#[test]
fn commands_do_what_is_shown() {
    let path = format!("{}:{}", Path::new(QUALM).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut run = 0;
    let mut wrong = Vec::new();
    for page in pages() {
        let text = read(&docs().join(&page));
        let commands = shown(&text);
        if commands.is_empty() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        copy(&docs().join("example-finding"), &folder.path().join("docs/example-finding"));
        copy(&Path::new(ROOT).join("trophies"), &folder.path().join("trophies"));
        copy(&Path::new(ROOT).join("examples"), &folder.path().join("examples"));
        copy(&Path::new(ROOT).join("adapters"), &folder.path().join("adapters"));
        // What pip would have put there.
        std::os::unix::fs::symlink(qualm::engine::cache_folder().join("turso/0.8.3"), folder.path().join("engine"))
            .unwrap();
        for Shown { command, exit, output } in commands {
            let line = format!("{{ {command}; }} 2>&1");
            let made =
                Command::new("sh").args(["-c", &line]).env("PATH", &path).current_dir(folder.path()).output().unwrap();
            let came = String::from_utf8_lossy(&made.stdout);
            run += 1;
            if made.status.code() != Some(exit) || !fits(&output, &came.lines().collect::<Vec<_>>()) {
                wrong.push(format!("{page}: $ {command}\nexit {:?}, expected {exit}\n{came}", made.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(run >= 10, "commands were found");
}

/// What './x' does: a chore of its own, or a release that its table knows.
fn is_chore(what: &str, releases: &[&str]) -> bool {
    let file = |name: String| fs::read_to_string(Path::new(ROOT).join(name)).ok();
    let own = ["setup", "sqlite", "lint", "test"].contains(&what);
    let table = file(format!("releases/{what}.tsv"));
    let known = |release: &&str| match &table {
        Some(table) => table.lines().any(|l| l.split('\t').next() == Some(*release)),
        None => true,
    };
    let meant = |release: &&&str| !["all", "VERSION", "VERSION..."].contains(*release);
    (own || file(format!("setup/{what}.sh")).is_some()) && releases.iter().filter(meant).all(known)
}

/// The words of a command; what is in quotes is one.
fn typed(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split(['"', '\'']).enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Commands that are only shown are at least such as the program takes.
#[test]
fn commands_that_are_only_shown_are_taken() {
    let mut wrong = Vec::new();
    let names = pages().into_iter().map(|p| docs().join(p));
    for page in names.chain([Path::new(ROOT).join("README.md")]) {
        let text = read(&page);
        for (language, line) in lines(&text) {
            if !matches!(language.as_deref(), Some("sh" | "text")) {
                continue;
            }
            let line = line.split(" #").next().unwrap().trim().trim_start_matches("$ ");
            for part in line.split(" | ").map(|p| p.trim().replace("cargo run --release -- ", "qualm ")) {
                let words = typed(part.split(" > ").next().unwrap());
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let known = match words.as_slice() {
                    ["qualm", ..] => match Cli::try_parse_from(&words) {
                        Ok(_) => true,
                        Err(e) => !e.use_stderr(),
                    },
                    ["./x", what, releases @ ..] => is_chore(what, releases),
                    _ => true,
                };
                if !known {
                    wrong.push(format!("{}: {part}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// mdBook on PATH, or one that './x mdbook VERSION' built.
fn mdbook() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = var("QUALM_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("qualm")))
        .or_else(|| Some(var("HOME")?.join(".cache/qualm")))?;
    let built = fs::read_dir(cache.join("mdbook")).into_iter().flatten().flatten().map(|e| e.path().join("bin/mdbook"));
    let on_path = std::env::split_paths(&var("PATH")?).map(|p| p.join("mdbook")).collect::<Vec<_>>();
    on_path.into_iter().chain(built).find(|p| p.is_file())
}

/// Where there is an mdBook the book is built; what it needs is checked by the other tests in any case.
#[test]
fn the_book_has_what_mdbook_needs() {
    let settings: toml::Table = read(&docs().join("book.toml")).parse().unwrap();
    assert_eq!(settings["book"]["src"].as_str(), Some("."));
    let folder = tempfile::tempdir().unwrap();
    let Some(mdbook) = mdbook() else { return };
    let made = Command::new(mdbook).args(["build", "--dest-dir"]).arg(folder.path()).arg(docs()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for page in pages() {
        let page = folder.path().join(page.replace(".md", ".html"));
        assert!(page.is_file() || page.ends_with("introduction.html"), "{}", page.display());
    }
}
