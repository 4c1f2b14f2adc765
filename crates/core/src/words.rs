//! Small words for people.

/// `1 row`, `2 rows`.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// ` (did you mean 'sqlite'?)` for a name that is nearly one of these; otherwise nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let near = known.into_iter().map(|k| (distance(&name, &k.to_lowercase()), k)).min();
    match near {
        Some((steps, best)) if steps <= 1 + name.chars().count() / 3 => format!(" (did you mean '{best}'?)"),
        _ => String::new(),
    }
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
        assert_eq!(hint("neo4j"), "");
        assert_eq!(hint(""), "");
        assert_eq!((distance("abc", "abc"), distance("", "ab"), distance("abcd", "acbd")), (0, 2, 1));
    }
}
