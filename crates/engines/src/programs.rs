//! Programs of Datalog that reach out of their engine: scripts that are run, files that are read or written, options
//! of the command line. A program may come out of anybody's folder, so that what it may do is listed here, and all
//! else of the kind is refused.

use qualm_core::dialect::datalog::{
    CLINGO, SOUFFLE_1_7, SOUFFLE_2_0, SOUFFLE_COMPILING, SOUFFLE_DISABLE, SOUFFLE_TRANSFORMERS, Switch, Z3_DATALOG,
};

/// Why a program for clingo is not run.
pub fn clingo(text: &str) -> Option<String> {
    if let Some(line) = unknown_switch(text, "% switch ", CLINGO.switches) {
        return Some(format!("'{line}' is not one of the switches known to be harmless"));
    }
    // A script is a program in another language, and an include reads any file.
    let word = ["script", "include"].iter().find(|word| follows(text, "#", word));
    word.map(|word| format!("'#{word}' reaches out of the engine"))
}

/// The same for Soufflé.
pub fn souffle(text: &str) -> Option<String> {
    let kept: String =
        text.lines().filter(|line| !is_souffle_switch(line.trim())).flat_map(|line| [line, "\n"]).collect();
    let bare = without_texts(&kept);
    let directives = ["input", "pragma", "functor", "include", "plugin", "lattice"];
    if let Some(word) = directives.iter().find(|word| follows(&bare, ".", word)) {
        return Some(format!("'.{word}' reaches out of the engine"));
    }
    // Where a relation goes can be said in parentheses.
    let outputs = [".output", ".printsize", ".limitsize"].iter().flat_map(|word| bare.match_indices(word));
    for (at, word) in outputs {
        if !ends_with_names(&bare[at + word.len()..]) {
            return Some(format!("'{word}' with more than names reaches out of the engine"));
        }
    }
    bare.contains('#').then(|| "'#' reaches out of the engine".to_owned())
}

/// A switch of one of its releases, or several that say which transformers are not to run.
fn is_souffle_switch(line: &str) -> bool {
    let releases = [&SOUFFLE_COMPILING, &SOUFFLE_2_0, &SOUFFLE_1_7];
    let disabled = line.strip_prefix(SOUFFLE_DISABLE).and_then(|rest| rest.strip_suffix('"'));
    disabled.is_some_and(|names| names.split(',').all(|name| SOUFFLE_TRANSFORMERS.contains(&name)))
        || releases.iter().any(|dialect| dialect.switches.iter().any(|s| s.text == line))
}

/// The same for rules of Z3 in SMT-LIB2: some options name files.
pub fn z3_rules(text: &str) -> Option<String> {
    let harmless = [":fp.xform.", ":fp.datalog.", ":fp.engine"];
    let tight = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    // With comments and without them: which of both Z3 sees depends on strings, which are not read here.
    let uncommented: String =
        text.lines().flat_map(|line| [line.split(';').next().unwrap_or_default(), "\n"]).collect();
    for form in [tight(text), tight(&uncommented)] {
        let options = form.match_indices("set-option").map(|(at, word)| &form[at + word.len()..]);
        if let Some(option) = options.into_iter().find(|o| !harmless.iter().any(|h| o.starts_with(h))) {
            let shown: String = option.chars().take(40).collect();
            return Some(format!("the option '{shown}' is not one that is known to be harmless"));
        }
        if form.contains("(include") {
            return Some("'include' reaches out of the engine".into());
        }
    }
    None
}

/// The same for Z3's other form.
pub fn z3_datalog(text: &str) -> Option<String> {
    if let Some(line) = unknown_switch(text, "# switch ", Z3_DATALOG.switches) {
        return Some(format!("'{line}' is not one of the switches known to be harmless"));
    }
    follows(text, ".", "include").then(|| "'.include' reaches out of the engine".to_owned())
}

/// Whether a list of names stands there, separated by commas, with nothing in parentheses behind it.
fn ends_with_names(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if behind.len() == rest.len() {
            return false;
        }
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None => return !rest.starts_with('(') && !behind.starts_with(['.', '/', '"']),
        }
    }
}

/// A line that is to become an option of the engine's own, and is in no table.
fn unknown_switch<'a>(text: &'a str, begins: &str, known: &[Switch]) -> Option<&'a str> {
    text.lines().find(|line| line.starts_with(begins) && !known.iter().any(|switch| switch.text == line.trim_end()))
}

/// Whether the word stands behind the sign, blanks between them or not.
fn follows(text: &str, sign: &str, word: &str) -> bool {
    text.match_indices(sign).any(|(at, sign)| text[at + sign.len()..].trim_start().starts_with(word))
}

/// Without comments, and with nothing in its texts.
fn without_texts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |at| &rest[at..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |at| &rest[at + 2..]);
            out.push(' ');
        } else if c == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            rest = end.map_or("", |at| &rest[at + 2..]);
            out.push_str("\"\"");
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Whether a name may have this character.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '?'
}

/// Writes a line of a program with other names for these relations, so that programs can be put together. A variable
/// that has the name of a relation changes everywhere as well, which makes no difference.
pub fn rename(line: &str, names: &[&str], renamed: &dyn Fn(&str) -> String, out: &mut String) {
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => closing_quote(rest),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        match names.contains(&word) {
            true => out.push_str(&renamed(word)),
            false => out.push_str(word),
        }
        rest = after;
    }
}

/// How many bytes a text in quotes takes.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    let closing = text[1..].find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    closing.map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_core::dialect::datalog::{DatalogDialect, SOUFFLE, Z3_SMT2};

    type Check = fn(&str) -> Option<String>;

    #[test]
    fn what_the_dialects_write_is_run() {
        let all: [(&DatalogDialect, Check); 4] =
            [(&CLINGO, clingo), (&SOUFFLE, souffle), (&Z3_SMT2, z3_rules), (&Z3_DATALOG, z3_datalog)];
        for (dialect, check) in all {
            for switch in dialect.switches {
                let text = format!("{}\n{}", switch.text, dialect.self_test.program);
                assert_eq!(check(&text), None, "{text}");
            }
            assert_eq!(check(dialect.self_test.program), None);
        }
        assert_eq!(
            souffle(".decl r(a:symbol)\nr(\"a.input(#) \\\" .functor\"). // .include\n.output r\nr(\"x\").\n"),
            None
        );
        assert_eq!(souffle(".decl r(a:number)\n.output r\nr(1).\nr(x) :- r(x), (x = 1; x = 2).\n"), None);
        assert_eq!(clingo("p(1). % a comment\np(N) :- N = #count { X : p(X) }.\n#show p/1.\n"), None);
    }

    #[test]
    fn what_reaches_out_is_refused() {
        let all: [(Check, &[&str]); 4] = [
            (
                clingo,
                &[
                    "#script (lua) os.execute(\"x\") #end.",
                    "# script (python)",
                    "#\n\tinclude \"/etc/passwd\".",
                    "% switch --lemma-out=/tmp/x\np(1).",
                    "% switch /etc/passwd",
                ],
            ),
            (
                souffle,
                &[
                    ".output r(IO=file,filename=\"/tmp/x\")",
                    ".decl r(a:number) .output r /* */ ( name = \"../x\" )",
                    ".output q, r (IO=stdout)",
                    ".output ../../x",
                    ".input r",
                    ".pragma \"libraries\" \"evil\"",
                    ".pragma \"output-dir\" \"/\"",
                    ".pragma \"disable-transformers\" \"SemanticChecker\"",
                    ".pragma \"disable-transformers\" \"MinimiseProgramTransformer\" \"x\"",
                    ".functor f(x:number):number",
                    ".include \"/etc/passwd\"",
                    "#include \"/etc/passwd\"",
                ],
            ),
            (
                z3_rules,
                &[
                    "(set-option :regular-output-channel \"/tmp/x\")",
                    "( set-option\n:diagnostic-output-channel \"/tmp/x\")",
                    "(set-option ; fp.xform.\n :trace_file_name \"x\")",
                    "(set-option :fp.spacer.trace_file x)",
                    "( include \"/etc/passwd\")",
                ],
            ),
            (z3_datalog, &["# switch -o:/tmp/x", "# switch trace=true", ".include \"x\"", ". include \"x\""]),
        ];
        for (check, texts) in all {
            for text in texts {
                assert!(check(text).is_some(), "{text}");
            }
        }
    }
}
