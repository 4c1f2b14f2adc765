//! Small words for people.

/// `1 row`, `2 rows`.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// ` (did you mean 'sqlite'?)` for a name that is nearly one of these; otherwise nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    // Of three letters, two others make another word.
    let near_enough = if letters < 5 { 1 } else { 1 + letters / 3 };
    let steps = |k: &str| if shortens(&name, k) { 1 } else { distance(&name, k) };
    match known.into_iter().map(|k| (steps(&k.to_lowercase()), k)).min() {
        Some((steps, best)) if steps <= near_enough => format!(" (did you mean '{best}'?)"),
        _ => String::new(),
    }
}

/// It begins the longer word, or is it with letters left out, as in `--secs` for `--seconds`.
fn shortens(name: &str, known: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).count();
    let mut rest = known.chars();
    let in_order = name.chars().all(|c| rest.by_ref().any(|k| k == c));
    let begins =
        name.chars().zip(known.chars()).take_while(|(a, b)| a == b).filter(|(a, _)| a.is_alphanumeric()).count();
    letters >= 3 && in_order && begins >= letters.min(3)
}

/// Letters to add, to leave out, to replace or to swap with their neighbour until one word is the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_right() {
        let known = ["sqlite", "postgres", "mysql", "tlp"];
        let hint = |name: &str| did_you_mean(name, known);
        assert_eq!(hint("sqlight"), " (did you mean 'sqlite'?)");
        assert_eq!(hint("Postgre"), " (did you mean 'postgres'?)");
        assert_eq!(hint("mysqll"), " (did you mean 'mysql'?)");
        assert_eq!(hint("tpl"), " (did you mean 'tlp'?)");
        assert_eq!(hint("post"), " (did you mean 'postgres'?)");
        assert_eq!(did_you_mean("--secs", ["--seeds", "--seconds"]), " (did you mean '--seconds'?)");
        assert_eq!(did_you_mean("foo", ["cozo"]), "");
        assert_eq!(hint("neo4j"), "");
        assert_eq!(hint(""), "");
        assert_eq!((distance("abc", "abc"), distance("", "ab"), distance("abcd", "acbd")), (0, 2, 1));
    }
}
