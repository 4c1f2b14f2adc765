//! Several programs of the bddbddb form in one: nearly all of the time that Z3 takes for a small program is its start,
//! so programs that do not depend on each other are put together, each under names of its own, and run once.

use crate::programs;

/// What has to be the same for all programs of one run: switches, and the one domain.
pub fn setting(text: &str) -> Vec<&str> {
    text.lines().filter(|line| is_setting(line)).collect()
}

fn is_setting(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("Z ")
}

/// One program of all of them. Their outputs are named by `output_name`.
pub fn together(texts: &[&str]) -> String {
    let mut all = setting(texts.first().copied().unwrap_or_default()).join("\n");
    all.push_str("\n\n");
    for (at, text) in texts.iter().enumerate() {
        let declared: Vec<&str> = text.lines().filter_map(declared_name).collect();
        for line in text.lines().filter(|line| !is_setting(line)) {
            programs::rename(line, &declared, &|name| renamed(name, at), &mut all);
            all.push('\n');
        }
    }
    all
}

/// What Z3 says of the output of a program of the bundle, and of those behind it.
pub fn part<'a>(said: &'a str, text: &str, at: usize) -> Option<&'a str> {
    let output = text.lines().find(|line| line.trim_end().ends_with("printtuples"))?;
    let title = format!("Tuples in {}:", renamed(declared_name(output)?, at));
    said.find(&title).map(|begun| &said[begun..])
}

/// Attributes have their domain behind a colon, and nothing else does.
fn declared_name(line: &str) -> Option<&str> {
    line.contains(":Z").then(|| line.split('(').next())?
}

fn renamed(name: &str, at: usize) -> String {
    format!("q{at}_{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_put_together_under_names_of_their_own() {
        let one = "# switch fp.x=true\nZ 64\n\ne(A0:Z) input\np(A0:Z) printtuples\n\ne(5).\np(X0) :- e(X0), !e(X0).\n";
        let two = "# switch fp.x=true\nZ 64\n\np(A0:Z) input printtuples\n\np(6).\n";
        assert_eq!(setting(one), setting(two));
        let expected = "# switch fp.x=true\nZ 64\n\n\nq0_e(A0:Z) input\nq0_p(A0:Z) printtuples\n\nq0_e(5).\n\
            q0_p(X0) :- q0_e(X0), !q0_e(X0).\n\nq1_p(A0:Z) input printtuples\n\nq1_p(6).\n";
        assert_eq!(together(&[one, two]), expected);
        let said = "Tuples in q1_p: \n\t(A0=6(6))\nTuples in q0_p: \nTime: 1ms\n";
        assert_eq!(part(said, one, 0), Some("Tuples in q0_p: \nTime: 1ms\n"));
        assert_eq!(part(said, two, 1), Some(said));
        assert_eq!(part(said, two, 2), None);
    }
}
