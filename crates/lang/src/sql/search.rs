//! Words, documents and searches for tables that MATCH looks into. Documents are made of a few words, so that searches
//! find something; the words have the endings that stemmers cut off, letters with marks, and signs between them.

use super::pool::Pool;
use super::schema::Column;
use qualm_core::dialect::sql::SearchSyntax;
use qualm_core::rng::Rng;

const WORDS: &[&str] = &[
    "run",
    "running",
    "runs",
    "runner",
    "relational",
    "conditional",
    "rational",
    "valency",
    "hesitancy",
    "digitizer",
    "conformably",
    "radically",
    "differently",
    "vilely",
    "analogously",
    "vietnamization",
    "predication",
    "operator",
    "feudalism",
    "decisiveness",
    "hopefulness",
    "callousness",
    "formality",
    "sensitivity",
    "sensibility",
    "triplicate",
    "formative",
    "formalize",
    "electricity",
    "electrical",
    "hopeful",
    "goodness",
    "revival",
    "allowance",
    "inference",
    "airliner",
    "gyroscopic",
    "adjustable",
    "defensible",
    "irritant",
    "replacement",
    "adjustment",
    "dependent",
    "adoption",
    "communism",
    "activate",
    "angularity",
    "homologous",
    "effective",
    "bowdlerize",
    "probate",
    "rate",
    "cease",
    "controlling",
    "rolling",
    "caresses",
    "ponies",
    "ties",
    "caress",
    "cats",
    "feed",
    "agreed",
    "plastered",
    "bled",
    "motoring",
    "sing",
    "conflated",
    "troubled",
    "sized",
    "hopping",
    "tanned",
    "falling",
    "hissing",
    "fizzed",
    "failing",
    "filing",
    "happy",
    "sky",
    "abc",
    "abd",
    "xyz",
    "aaa",
    "zebra",
    "the",
    "and",
    "table",
    "index",
];

/// Words that only some tokenizers take for one.
const ODD: &[&str] =
    &["Zürich", "naïve", "e-mail", "a.b", "x_1", "ABC", "Ωμέγα", "日本語", "O'Neil", "42", "3.14", "ÀÉ", "ab"];

/// Words of one database.
const KEPT: (usize, usize) = (4, 9);

/// A few words that documents and searches of this database are made of.
pub fn learn_words(pool: &mut Pool, rng: &mut Rng) {
    if pool.words.is_empty() {
        let count = rng.range(KEPT.0, KEPT.1);
        pool.words = (0..count).map(|_| (*rng.pick(WORDS)).into()).collect();
    }
}

/// A plain word: letters only, and enough of them for every tokenizer.
pub fn word(pool: &Pool, rng: &mut Rng) -> String {
    if pool.words.is_empty() { "abc".into() } else { rng.pick(&pool.words).to_string() }
}

/// A text of at most so many words.
pub fn document(pool: &Pool, most: usize, rng: &mut Rng) -> String {
    let count = rng.range(1, most);
    let mut text = String::new();
    for i in 0..count {
        let blank = if rng.chance(1, 10) { *rng.pick(&[", ", ". ", "-", "  ", "\n"]) } else { " " };
        text.push_str(if i == 0 { "" } else { blank });
        match rng.below(16) {
            0 => text.push_str(rng.pick::<&str>(ODD)),
            1 => text.push_str(&word(pool, rng).to_uppercase()),
            _ => text.push_str(&word(pool, rng)),
        }
    }
    text
}

/// What to look for.
pub fn words(syntax: &SearchSyntax, pool: &Pool, columns: &[Column], rng: &mut Rng) -> String {
    let (a, b) = (word(pool, rng), word(pool, rng));
    let cut = a.chars().take(rng.range(1, 4)).collect::<String>();
    let column = if columns.is_empty() { String::new() } else { rng.pick(columns).name.to_string() };
    let form = match rng.below(12) {
        0 | 1 => return a,
        2 | 3 => syntax.both,
        4 => syntax.either,
        5 if !syntax.without.is_empty() => syntax.without,
        6 | 7 => syntax.phrase,
        8 => return put(syntax.prefix, &cut, &b, &column, rng),
        9 => syntax.near,
        10 => syntax.in_column,
        11 => syntax.first,
        _ => syntax.either,
    };
    put(form, &a, &b, &column, rng)
}

fn put(form: &str, a: &str, b: &str, column: &str, rng: &mut Rng) -> String {
    let number = rng.below(4).to_string();
    fill(form, a, b, column, &number)
}

/// A form with its words in place.
pub fn fill(form: &str, a: &str, b: &str, column: &str, number: &str) -> String {
    form.replace("{a}", a).replace("{b}", b).replace("{c}", column).replace("{n}", number)
}
