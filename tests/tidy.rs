//! Keeps the invariants of docs/architecture.md that can be read off the text: who may know whom, sizes, headers,
//! names, and what must not be in the tree at all. All offenders are listed at once, as `file:line: what is wrong`.

use qualm::engine::ENGINES;
use qualm::oracle;
use std::fs;
use std::path::{Path, PathBuf};

const LINE_COLUMNS: usize = 120;
/// Lines of a function without its longest `match`. How tangled it may be is clippy's affair (`clippy.toml`); this only
/// keeps a function to one thing. A match over all variants may be as long as there are variants.
const FUNCTION_LINES: usize = 100;
/// Lines of a file before its tests.
const FILE_LINES: usize = 600;

/// Files that may be longer, how long, and why. The number may only fall; a row that is not needed any more is an
/// error.
const LONGER_FILES: &[(&str, usize, &str)] = &[];

/// One file of the tree, and the same text with comments, strings and characters blanked out, line by line.
struct Source {
    path: String,
    text: String,
    code: String,
}

impl Source {
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, l)| (i + 1, l))
    }

    /// The code, without the tests at the end of the file.
    fn product_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = if self.is_test() { 0 } else { self.lines_before_tests() };
        self.code.lines().enumerate().map(|(i, l)| (i + 1, l)).take(all)
    }

    fn lines_before_tests(&self) -> usize {
        let lines: Vec<&str> = self.code.lines().collect();
        // `mod tests;` in a file of its own may stand anywhere; a module of tests ends the file.
        let begins = |i: &usize| {
            let next = lines.get(i + 1).map_or("", |l| l.trim());
            lines[*i].trim() == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{')
        };
        (0..lines.len()).find(begins).unwrap_or(lines.len())
    }

    fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.path.ends_with("/tests.rs")
    }

    fn header(&self) -> String {
        self.text.lines().take_while(|l| l.starts_with("//!")).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Default)]
struct Offenders(Vec<String>);

impl Offenders {
    fn add(&mut self, path: &str, line: usize, what: impl AsRef<str>) {
        self.0.push(format!("{path}:{line}: {}", what.as_ref()));
    }

    fn none(self) {
        assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file that belongs to the project, from the root of the tree.
fn project_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let ours = !matches!(name.as_str(), ".git" | "target") && !name.starts_with("qualm-out");
            match path.is_dir() {
                true if ours => folders.push(path),
                false if ours => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().into_owned()
}

fn sources() -> Vec<Source> {
    let rust = project_files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs"));
    let sources: Vec<Source> = rust
        .map(|p| {
            let text = fs::read_to_string(&p).unwrap();
            Source { path: relative(&p), code: code_of(&text), text }
        })
        .collect();
    assert!(sources.len() > 20, "the sources were not found");
    sources
}

/// The text with everything that is not code replaced by blanks; lines stay lines.
fn code_of(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_no_code(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// Where the comment, string or character that begins here ends; `at` itself when none does.
fn end_of_no_code(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    let until = |needle: &[char], from: usize| {
        let found = rest.get(from..).and_then(|r| r.windows(needle.len()).position(|w| w == needle));
        at + found.map_or(rest.len(), |p| from + p + needle.len())
    };
    let before = at.checked_sub(1).map(|i| chars[i]);
    let in_a_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match rest {
        ['/', '/', ..] => until(&['\n'], 2) - usize::from(rest.contains(&'\n')),
        ['/', '*', ..] => until(&['*', '/'], 2),
        ['r', '"', ..] if !in_a_name => until(&['"'], 2),
        ['r', '#', '"', ..] if !in_a_name => until(&['"', '#'], 3),
        ['"', ..] => {
            let mut i = 1;
            while i < rest.len() && rest[i] != '"' {
                i += if rest[i] == '\\' { 2 } else { 1 };
            }
            at + (i + 1).min(rest.len())
        }
        ['\'', '\\', _, ..] => until(&['\''], 3),
        ['\'', _, '\'', ..] => at + 3,
        _ => at,
    }
}

/// A word of code: `name` with no letter, digit or underscore beside it.
fn has_word(line: &str, word: &str) -> bool {
    word_at(line, word).is_some()
}

fn word_at(line: &str, word: &str) -> Option<usize> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let whole = |i: &usize| !part(line[..*i].chars().next_back()) && !part(line[i + word.len()..].chars().next());
    line.match_indices(word).map(|(i, _)| i).find(whole)
}

#[test]
fn code_is_distinguished_from_text() {
    let text = "let a = \"{ // \\\" {\"; // {\nlet b = '{'; let c = '\\''; fn f<'a>() {} r#\"{\"#; /* { */ r\"{\"";
    let code = code_of(text);
    assert_eq!(code.lines().count(), 2);
    assert_eq!((code.matches('{').count(), code.matches('}').count()), (1, 1), "{code}");
    assert!(has_word("use engine::x", "engine") && !has_word("engines::x", "engine"));
}

/// Which crates of ours each crate may use. Cargo keeps everything out that is not in a manifest; this keeps the
/// manifests. (A crate's tests may use more.)
const LAYERS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("host", &["core"]),
    ("lang", &["core"]),
    ("engines", &["core", "host"]),
    ("run", &["core", "host", "lang", "engines"]),
];

#[test]
fn crates_use_only_those_below_them() {
    let mut offenders = Offenders::default();
    let mut folders: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    for folder in folders {
        let path = format!("crates/{folder}/Cargo.toml");
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == folder) else {
            offenders.add(&path, 1, "has no row in LAYERS of tests/tidy.rs");
            continue;
        };
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        for name in manifest["dependencies"].as_table().unwrap().keys() {
            if name.strip_prefix("qualm_").is_some_and(|ours| !allowed.contains(&ours)) {
                offenders.add(&path, 1, format!("'{folder}' may not use '{name}'"));
            }
        }
    }
    offenders.none();
}

/// Which language it is stands in tables with a row for each; nobody else asks.
#[test]
fn languages_are_distinguished_by_tables_only() {
    const TABLES: &[&str] = &[
        "crates/core/src/language.rs",
        "crates/core/src/dialect.rs",
        "crates/lang/src/sql/mod.rs",
        "crates/lang/src/datalog/mod.rs",
        "crates/lang/src/graph/mod.rs",
    ];
    let mut offenders = Offenders::default();
    let mut rows = 0;
    let is_helper = |s: &Source| s.is_test() || s.path.ends_with("/testing.rs");
    for source in sources().iter().filter(|s| !is_helper(s) && !TABLES.contains(&s.path.as_str())) {
        for (number, line) in source.product_code() {
            if !["Sql", "Datalog", "Graph"].iter().any(|l| line.contains(&format!("Language::{l}"))) {
                continue;
            }
            if source.path == "crates/engines/src/lib.rs" && line.trim_start().starts_with("language: ") {
                rows += 1;
                continue;
            }
            offenders.add(&source.path, number, "a language by its name; add a field to its row in a table");
        }
    }
    assert_eq!(rows, ENGINES.len(), "rows of engines that say their language");
    offenders.none();
}

#[test]
fn an_oracle_names_no_engine_and_states_its_claim() {
    let mut offenders = Offenders::default();
    let sources = sources();
    for source in sources.iter().filter(|s| s.path.starts_with("crates/lang/src/oracle/")) {
        for (line, text) in source.lines().take(source.lines_before_tests()) {
            let lower = text.to_lowercase();
            // One engine has the name of its language.
            for engine in ENGINES.iter().filter(|e| e.name != "gremlin" && has_word(&lower, e.name)) {
                offenders.add(&source.path, line, format!("names engine '{}'; say it in the dialect", engine.name));
            }
        }
    }
    for oracle in oracle::all() {
        let path = format!("crates/lang/src/oracle/{}.rs", oracle.name.replace('-', "_"));
        match sources.iter().find(|s| s.path == path) {
            None => offenders.add(
                "crates/lang/src/oracle/mod.rs",
                1,
                format!("oracle '{}' has no file '{path}'", oracle.name),
            ),
            Some(s) if !s.header().contains("Claim:") => offenders.add(&path, 1, "the header states no 'Claim:'"),
            Some(s) if !s.header().contains("```") => offenders.add(&path, 1, "the header shows no example"),
            Some(_) => {}
        }
    }
    offenders.none();
}

#[test]
fn files_functions_and_lines_fit_on_a_screen() {
    let mut offenders = Offenders::default();
    for source in sources() {
        let lines = source.lines_before_tests();
        let longer = LONGER_FILES.iter().find(|(path, ..)| *path == source.path);
        let most = longer.map_or(FILE_LINES, |(_, most, _)| *most);
        if lines > most {
            offenders.add(&source.path, lines, format!("{lines} lines before its tests, at most {most}"));
        }
        if longer.is_some() && lines <= FILE_LINES {
            offenders.add("tests/tidy.rs", 1, format!("'{}' is short enough now; remove its row", source.path));
        }
        for (line, text) in source.lines() {
            let columns = text.chars().count();
            if columns > LINE_COLUMNS {
                offenders.add(&source.path, line, format!("{columns} columns, at most {LINE_COLUMNS}"));
            }
        }
        for (line, name, length, longest_match) in functions(&source.code) {
            let lines = length - longest_match;
            if lines > FUNCTION_LINES {
                let what = format!("function '{name}' has {lines} lines beside a match, at most {FUNCTION_LINES}");
                offenders.add(&source.path, line, what);
            }
        }
    }
    offenders.none();
}

#[test]
fn a_match_does_not_make_a_function_long() {
    let story = "    step();\n".repeat(FUNCTION_LINES);
    let arms = "        A => {\n            b()\n        }\n".repeat(40);
    let code = format!("fn one() {{\n{story}}}\n\nfn two(x: X) {{\n    first();\n    match x {{\n{arms}    }}\n}}\n");
    let found = functions(&code);
    assert_eq!(found[0], (1, "one".to_owned(), FUNCTION_LINES + 2, 0));
    assert_eq!(found[1], (FUNCTION_LINES + 4, "two".to_owned(), 125, 122));
}

/// First line, name and length of each function with a body, and how many of these lines are its longest `match`.
fn functions(code: &str) -> Vec<(usize, String, usize, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(at) = line.find("fn ").filter(|_| has_word(line, "fn")) else { continue };
        let name: String = line[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if name.is_empty() {
            continue;
        }
        if let Some(length) = block_lines(&lines[i..], at) {
            let inside = i + 1..i + length;
            let matches = inside.filter_map(|j| block_lines(&lines[j..], word_at(lines[j], "match")?));
            found.push((i + 1, name, length, matches.max().unwrap_or(0)));
        }
    }
    found
}

/// How many lines the block takes that begins after this column of the first line, with the lines before its brace;
/// nothing for a declaration without a body.
fn block_lines(lines: &[&str], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, line) in lines.iter().enumerate() {
        for c in line[if i == 0 { from } else { 0 }..].chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ';' if depth == 0 => return None,
                _ => continue,
            }
            if depth == 0 {
                return Some(i + 1);
            }
        }
    }
    None
}

/// Files in which a runtime that a client needs is hidden: blocks may be async there, functions may not.
const HIDDEN_RUNTIMES: &[&str] = &["src/fleet/link.rs", "tests/fleet.rs", "tests/fleet/foreign.rs"];

#[test]
fn nothing_is_left_half_done() {
    const MACROS: &[&str] = &["todo!", "unimplemented!", "dbg!"];
    let mut offenders = Offenders::default();
    for source in sources() {
        for (line, code) in source.code.lines().enumerate().map(|(i, l)| (i + 1, l)) {
            for found in MACROS.iter().filter(|m| code.contains(*m)) {
                offenders.add(&source.path, line, format!("'{found}' is left"));
            }
            if code.contains("#[ignore") {
                offenders.add(&source.path, line, "a test that is never run");
            }
            let hidden = HIDDEN_RUNTIMES.contains(&source.path.as_str()) && !code.contains("async fn");
            if has_word(code, "async") && !hidden {
                offenders.add(&source.path, line, "async in a signature of ours");
            }
        }
    }
    offenders.none();
}

/// A match over all variants that was cut in two ends in one of these, and a new variant is a panic in a hunt.
#[test]
fn no_variant_of_a_language_is_left_to_run_time() {
    let mut offenders = Offenders::default();
    for source in sources().iter().filter(|s| s.path.starts_with("crates/lang/src/") && !s.is_test()) {
        for (line, _) in source.product_code().filter(|(_, code)| code.contains("unreachable!")) {
            offenders.add(
                &source.path,
                line,
                "'unreachable!': name the variants, so that the compiler asks for new ones",
            );
        }
    }
    offenders.none();
}

#[test]
fn every_file_says_what_it_knows() {
    let mut offenders = Offenders::default();
    for source in sources() {
        if source.header().is_empty() && !source.path.ends_with("/tests.rs") {
            offenders.add(&source.path, 1, "no header: begin with a '//!' comment that says what it knows");
        }
    }
    offenders.none();
}

/// The path within its crate; nothing for tests and examples.
fn product_path(path: &str) -> Option<&str> {
    path.strip_prefix("src/").or_else(|| path.strip_prefix("crates/")?.split_once("/src/").map(|(_, rest)| rest))
}

#[test]
fn the_map_shows_every_module() {
    let map = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let mut offenders = Offenders::default();
    for source in sources() {
        let Some(path) = product_path(&source.path) else { continue };
        // A folder is shown as a whole, except that of a language.
        let folder = path.rsplit_once('/').map(|(folder, _)| format!("`{folder}/`"));
        let name = path.rsplit('/').next().unwrap();
        let shown = map.contains(name) || folder.is_some_and(|f| map.contains(&f));
        if !shown && !matches!(name, "lib.rs" | "mod.rs" | "tests.rs") {
            offenders.add(&source.path, 1, "is not on the map in docs/architecture.md");
        }
    }
    offenders.none();
}

#[test]
fn names_explain_themselves() {
    const MODULES: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc"];
    let mut offenders = Offenders::default();
    for source in sources() {
        let stem = Path::new(&source.path).file_stem().unwrap().to_string_lossy().into_owned();
        if MODULES.contains(&stem.as_str()) {
            offenders.add(&source.path, 1, "a file name that says nothing");
        }
        for (line, code) in source.code.lines().enumerate().map(|(i, l)| (i + 1, l)) {
            let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            for pair in words.windows(2) {
                let hollow = match pair[0] {
                    "mod" => MODULES.contains(&pair[1]),
                    "struct" | "enum" | "trait" | "type" => {
                        let base = pair[1].strip_prefix("Base").is_some_and(|r| r.starts_with(char::is_uppercase));
                        base || pair[1] == "Base" || pair[1].contains("Manager") || pair[1].contains("Helper")
                    }
                    _ => false,
                };
                if hollow {
                    offenders.add(&source.path, line, format!("the name '{}' says nothing", pair[1]));
                }
            }
        }
    }
    offenders.none();
}

#[test]
fn no_path_of_one_machine_is_in_the_tree() {
    // Put together here, so that this file does not contain them.
    let roots = ["work", "root", "home", "Users"].map(|name| format!("/{name}/"));
    let mut offenders = Offenders::default();
    for path in project_files() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (i, line) in text.lines().enumerate() {
            for found in roots.iter().filter(|r| has_path(line, r)) {
                offenders.add(&relative(&path), i + 1, format!("a path of one machine ('{found}…')"));
            }
        }
    }
    offenders.none();
}

/// The root of a file system path, not the middle of one or of an address.
fn has_path(line: &str, start: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}');
    line.match_indices(start).any(|(i, _)| !line[..i].chars().next_back().is_some_and(inner))
}

/// Where standard output is a pipe to the parent, and a parent that is gone is the end.
const CHILDREN: &[&str] = &["crates/run/src/worker.rs", "crates/run/src/isolated.rs"];

#[test]
fn standard_output_and_error_are_written_in_one_place() {
    const WAYS: &[&str] = &["println!", "print!", "eprintln!", "eprint!", "stdout()", "stderr()"];
    let mut offenders = Offenders::default();
    for source in sources().iter().filter(|s| product_path(&s.path).is_some() && !s.is_test()) {
        if source.path == "crates/host/src/console.rs" {
            continue;
        }
        for (line, code) in source.product_code() {
            let child = CHILDREN.contains(&source.path.as_str());
            let found = WAYS.iter().filter(|way| !(child && **way == "stdout()"));
            // `name!` is distinguished from the end of a longer one by what comes before it.
            let before = |at: usize| code[..at].chars().next_back();
            let uses =
                |way: &&&str| code.match_indices(**way).any(|(at, _)| !before(at).is_some_and(char::is_alphanumeric));
            for way in found.filter(uses) {
                offenders.add(
                    &source.path,
                    line,
                    format!("'{way}'; use the macros of console.rs: a closed pipe is no fault"),
                );
            }
        }
    }
    offenders.none();
}
