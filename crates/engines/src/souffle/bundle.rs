//! Several programs in one: most of the time that Soufflé takes for a small program is its start, so programs that do
//! not depend on each other are put together, each under names of its own, and run once. They share nothing but the
//! table of symbols, whose order no program can see.

use super::answers;
use crate::programs;
use qualm_core::dialect::datalog::SOUFFLE_COMPILED;

/// What has to be the same for all programs of one run.
pub fn setting(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().filter(|line| is_setting(line)).collect();
    lines.sort_unstable();
    lines
}

/// Whether a relation says something of magic sets. One such relation switches them on for the whole text, so that
/// programs which say nothing of them would run under another setting beside it.
pub fn names_magic(text: &str) -> bool {
    let declared = text.lines().filter_map(|line| line.trim_start().strip_prefix(".decl ")?.split_once(')'));
    declared.map(|(_, qualifiers)| qualifiers).any(|q| q.split_whitespace().any(|word| word.ends_with("magic")))
}

/// Whether a tuple goes where another one dominates it. Beside magic sets 2.5 forgets that now and then, and whether it
/// does must not depend on what other programs are there.
pub fn subsumes(text: &str) -> bool {
    text.lines().any(|line| line.split(":-").next().unwrap_or_default().contains(") <= "))
}

fn is_setting(line: &str) -> bool {
    line.starts_with(".pragma ") || line == SOUFFLE_COMPILED.text
}

/// One program of all of them. Their outputs are named by `output_name`.
pub fn together(texts: &[&str]) -> String {
    let mut all: String = setting(texts.first().copied().unwrap_or_default()).join("\n");
    all.push('\n');
    for (at, text) in texts.iter().enumerate() {
        rename(text, at, &mut all);
    }
    all
}

/// The file that holds the answer of a program of the bundle.
pub fn output_name(text: &str, at: usize) -> Option<String> {
    answers::output(text).map(|(name, _)| renamed(name, at))
}

fn renamed(name: &str, at: usize) -> String {
    format!("q{at}_{name}")
}

/// Writes a program with other names for all that it declares.
fn rename(text: &str, at: usize, out: &mut String) {
    let declared: Vec<&str> = text.lines().filter_map(declared_name).collect();
    for line in text.lines().filter(|line| !is_setting(line)) {
        programs::rename(line, &declared, &|name| renamed(name, at), out);
        out.push('\n');
    }
}

fn declared_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(".decl ").or_else(|| line.trim_start().strip_prefix(".type "))?;
    rest.trim_start().split(|c: char| !programs::is_word(c)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_put_together_under_names_of_their_own() {
        let one = ".pragma \"jobs\" \"4\"\n.decl e(x:number, e:symbol) choice-domain e\n.decl r0(x:number)\n\
            .output r0\ne(1, \"e \\\" r0\").\nr0(x) :- e(x, _), !r0x(x).\n";
        let two = ".pragma \"jobs\" \"4\"\n.decl e(x:number)\n.output e\ne(2).\n";
        assert_eq!(setting(one), setting(two));
        let all = together(&[one, two]);
        let expected = ".pragma \"jobs\" \"4\"\n.decl q0_e(x:number, q0_e:symbol) choice-domain q0_e\n\
            .decl q0_r0(x:number)\n.output q0_r0\nq0_e(1, \"e \\\" r0\").\nq0_r0(x) :- q0_e(x, _), !r0x(x).\n\
            .decl q1_e(x:number)\n.output q1_e\nq1_e(2).\n";
        assert_eq!(all, expected);
        assert_eq!(output_name(two, 1).as_deref(), Some("q1_e"));
    }

    #[test]
    fn what_changes_programs_beside_it_is_seen() {
        assert!(
            names_magic(".decl a(x:number)\n.decl b(x:number) brie magic\n")
                && names_magic(".decl b(x:number) no_magic")
        );
        assert!(!names_magic(".decl magic(x:number) brie\nmagic(1).\n"));
        assert!(subsumes("r(x) <= r(y) :- x < y.\n") && !subsumes("r(x) :- e(x), max(x, 1) <= x.\nr(1).\n"));
    }
}
