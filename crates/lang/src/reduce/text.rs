//! A script as text, where it has no tree: what broke an engine and could not be read back, and questions of others. It
//! knows words, literals and brackets, and leaves it to the engine to say which of the shorter texts make sense; but a
//! text that made sense to us must go on doing so, because an engine that breaks does not say whether it would have
//! taken the statement.

use crate::oracle::survives;
use crate::sql::ast::{SqlSource, Statement};
use crate::sql::parse;
use qualm_core::case::{Case, Origin, Step};
use qualm_core::dialect::sql::Dialect;
use qualm_core::reduce::{Subject, chunks};
use qualm_core::relation::Relation;
use qualm_core::session::Spoken;
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Clone)]
pub struct TextSubject {
    frame: Case,
    steps: Vec<TextStep>,
    /// Lines that name the part of the engine under test.
    kept: Vec<String>,
    /// Only questions before the last one are cut, and only whole.
    only_questions: bool,
}

#[derive(Clone)]
struct TextStep {
    label: Option<String>,
    text: Text,
}

/// A text that may be cut, and what has to stay true of it.
#[derive(Clone)]
struct Text {
    tokens: Vec<Token>,
    sense: Sense,
}

/// How much of a text we understand.
#[derive(Clone, Copy)]
enum Sense {
    /// A parser of SQL reads it, as text in this dialect.
    Sql(&'static Dialect),
    /// Quotes and brackets are closed.
    Brackets,
    Nothing,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// White space before the token, as written.
    space: String,
    text: String,
}

/// Tokens of one step that are left out or replaced; or whole steps.
pub enum TextEdit {
    DropSteps(Vec<usize>),
    Replace { step: usize, tokens: Range<usize>, by: Vec<Token> },
}

const STEP_WEIGHT: u64 = 1 << 40;
const TOKEN_WEIGHT: u64 = 1 << 20;

impl Text {
    /// Of SQL it is known whether a parser reads it.
    fn of(text: &str, dialect: Option<&'static Dialect>) -> Text {
        let tokens = tokens(text);
        let sense = match dialect {
            Some(dialect) if parse::reads(text, dialect) => Sense::Sql(dialect),
            _ if is_closed(&tokens) => Sense::Brackets,
            _ => Sense::Nothing,
        };
        Text { tokens, sense }
    }

    fn is_sql(&self) -> bool {
        matches!(self.sense, Sense::Sql(_))
    }

    fn written(&self) -> String {
        written(&self.tokens)
    }

    /// It is a statement of the same kind: what a trigger does is a statement too, but another one.
    fn begins_like(&self, other: &Text) -> bool {
        let first = |text: &Text| text.tokens.first().map(|t| t.text.to_ascii_uppercase()).unwrap_or_default();
        let (now, before) = (first(self), first(other));
        now == before || now == "SELECT" && before == "WITH"
    }

    /// No line begins with what stood further inside. (Heads of rules and the verbs of clauses stay.)
    fn lines_begin_like(&self, other: &Text) -> bool {
        let firsts = |text: &Text| -> Vec<String> {
            let starts = line_starts(&text.tokens);
            starts.iter().filter_map(|at| text.tokens.get(*at)).map(|t| t.text.clone()).collect()
        };
        let mut before = firsts(other);
        firsts(self).iter().all(|first| match before.iter().position(|b| b == first) {
            Some(at) => !before.swap_remove(at).is_empty(),
            None => false,
        })
    }

    /// Calls without an argument. A function that had some mostly needs them.
    fn empty_calls(&self) -> usize {
        let called = |w: &&[Token]| is_word(&w[0].text) && w[1].text == "(" && w[2].text == ")";
        self.tokens.windows(3).filter(called).count()
    }

    fn weight(&self) -> u64 {
        self.tokens.iter().map(token_weight).sum()
    }

    /// The cuts of a pass. Single words are taken out only of what a parser looks at afterwards.
    fn cuts(&self, pass: usize) -> Cuts {
        match pass {
            0 => lines(&self.tokens),
            1 => groups(&self.tokens, self.is_sql()),
            2 => list_items(&self.tokens),
            3 if self.is_sql() => token_ranges(&self.tokens),
            3 => Vec::new(),
            _ => literals(&self.tokens),
        }
    }

    /// Nothing where the range has no place, or the text would make no sense.
    fn cut(&self, range: &Range<usize>, by: &[Token]) -> Option<Text> {
        let mut next = self.clone();
        replace(&mut next.tokens, range, by)?;
        let sensible = match self.sense {
            _ if next.tokens.is_empty() => true,
            Sense::Sql(dialect) => {
                is_closed(&next.tokens) && next.begins_like(self) && parse::reads(&next.written(), dialect)
            }
            Sense::Brackets => is_closed(&next.tokens) && next.lines_begin_like(self),
            Sense::Nothing => true,
        };
        (sensible && next.empty_calls() <= self.empty_calls()).then_some(next)
    }
}

/// Passes of `Text::cuts`.
const CUTS: usize = 5;

impl TextSubject {
    pub fn of(case: &Case, spoken: Spoken) -> TextSubject {
        let step = |s: &Step| TextStep { label: s.label.clone(), text: Text::of(&s.text, spoken.sql()) };
        let steps = case.script.iter().map(step).collect();
        let frame =
            Case { script: Vec::new(), source: None, claim: Relation::Survives, rules: Vec::new(), ..case.clone() };
        let lines = case.script.iter().flat_map(|s| s.text.lines());
        let essential = spoken.datalog().map_or(&[][..], |d| d.form.essential_lines());
        let kept = lines.filter(|line| essential.iter().any(|k| line.starts_with(k))).map(str::to_owned).collect();
        TextSubject { frame, steps, kept, only_questions: false }
    }

    /// The same, of which only questions before the last one are dropped: nothing else needs them.
    pub fn only_questions(self) -> TextSubject {
        TextSubject { only_questions: true, ..self }
    }

    fn drop_steps(&self) -> Vec<TextEdit> {
        if self.only_questions {
            let before = 0..self.steps.len().saturating_sub(1);
            let queries: Vec<usize> = before.filter(|i| self.steps[*i].label.is_some()).collect();
            return chunks(queries.len()).into_iter().map(|r| TextEdit::DropSteps(queries[r].to_vec())).collect();
        }
        let mut edits: Vec<TextEdit> =
            chunks(self.steps.len()).into_iter().map(|r| TextEdit::DropSteps(r.collect())).collect();
        edits.extend(self.steps_sharing_a_word().into_iter().map(TextEdit::DropSteps));
        edits
    }

    /// A table and all that is done with it can only go together.
    fn steps_sharing_a_word(&self) -> Vec<Vec<usize>> {
        let mut steps_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, step) in self.steps.iter().enumerate() {
            for token in step.text.tokens.iter().filter(|t| is_word(&t.text)) {
                let steps = steps_of.entry(&token.text).or_default();
                if steps.last() != Some(&i) {
                    steps.push(i);
                }
            }
        }
        let mut groups: Vec<Vec<usize>> =
            steps_of.into_values().filter(|s| s.len() > 1 && s.len() < self.steps.len()).collect();
        groups.sort_by_key(|g| std::cmp::Reverse(g.len()));
        groups.dedup();
        groups
    }
}

impl Subject for TextSubject {
    type Edit = TextEdit;

    fn weight(&self) -> u64 {
        self.steps.iter().map(|s| STEP_WEIGHT + s.text.weight()).sum()
    }

    fn passes(&self) -> usize {
        if self.only_questions { 1 } else { 1 + CUTS }
    }

    fn edits(&self, pass: usize) -> Vec<TextEdit> {
        let Some(pass) = pass.checked_sub(1) else { return self.drop_steps() };
        let of_step = |(step, s): (usize, &TextStep)| {
            s.text.cuts(pass).into_iter().map(move |(tokens, by)| TextEdit::Replace { step, tokens, by })
        };
        self.steps.iter().enumerate().flat_map(of_step).collect()
    }

    fn apply(&self, edit: &TextEdit) -> Option<TextSubject> {
        let mut next = self.clone();
        match edit {
            TextEdit::DropSteps(gone) => {
                let mut i = 0;
                next.steps.retain(|_| {
                    i += 1;
                    !gone.contains(&(i - 1))
                });
            }
            TextEdit::Replace { step, tokens, by } => {
                let text = &mut next.steps.get_mut(*step)?.text;
                *text = text.cut(tokens, by)?;
                if text.tokens.is_empty() {
                    next.steps.remove(*step);
                }
            }
        }
        (!next.steps.is_empty()).then_some(next)
    }

    fn case(&self) -> Option<Case> {
        let step = |s: &TextStep| Step { text: s.text.written(), label: s.label.clone(), ..Step::default() };
        let script: Vec<Step> = self.steps.iter().map(step).collect();
        let is_there = |line: &String| script.iter().any(|s| s.text.contains(line));
        self.kept.iter().all(is_there).then(|| Case { script, ..self.frame.clone() })
    }
}

/// The texts inside a tree of SQL: a question that could not be read, and statements that could not be where the engine
/// broke. What is run and claimed is derived anew from each shorter text, so that it is as sound as the first one.
#[derive(Clone)]
pub struct TextPlaces {
    source: SqlSource,
    dialect: &'static Dialect,
    origin: Origin,
    places: Vec<(Place, Text)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Question,
    Statement(usize),
}

impl TextPlaces {
    /// Nothing where all of the case is a tree.
    pub fn of(case: &Case, dialect: &'static Dialect) -> Option<TextPlaces> {
        let source: SqlSource = serde_json::from_value(case.source.clone()?).ok()?;
        let mut places = Vec::new();
        for (at, statement) in source.state.iter().enumerate().filter(|_| source.oracle == survives::NAME) {
            if let Statement::Maintenance(text) = statement {
                places.push((Place::Statement(at), Text::of(text, Some(dialect))));
            }
        }
        places.extend(source.question.text.as_ref().map(|t| (Place::Question, Text::of(t, Some(dialect)))));
        (!places.is_empty()).then_some(TextPlaces { source, dialect, origin: case.origin, places })
    }
}

impl Subject for TextPlaces {
    type Edit = (usize, Range<usize>, Vec<Token>);

    fn weight(&self) -> u64 {
        self.places.iter().map(|(_, text)| text.weight()).sum()
    }

    fn passes(&self) -> usize {
        CUTS
    }

    fn edits(&self, pass: usize) -> Vec<Self::Edit> {
        let of_place = |(at, (_, text)): (usize, &(Place, Text))| {
            text.cuts(pass).into_iter().map(move |(range, by)| (at, range, by))
        };
        self.places.iter().enumerate().flat_map(of_place).collect()
    }

    fn apply(&self, (at, range, by): &Self::Edit) -> Option<TextPlaces> {
        let mut next = self.clone();
        let (place, text) = next.places.get_mut(*at)?;
        *text = text.cut(range, by).filter(|text| !text.tokens.is_empty())?;
        match place {
            Place::Question => next.source.question.text = Some(text.written()),
            Place::Statement(at) => next.source.state[*at] = Statement::Maintenance(text.written().into()),
        }
        Some(next)
    }

    fn case(&self) -> Option<Case> {
        crate::oracle::case(&self.source, self.dialect, self.origin)
    }
}

// ---------------------------------------------------------------- tokens

fn token_weight(token: &Token) -> u64 {
    TOKEN_WEIGHT + token.text.len() as u64 * 16 + literal_rank(&token.text)
}

/// Nothing where the range has no place.
fn replace(all: &mut Vec<Token>, range: &Range<usize>, by: &[Token]) -> Option<()> {
    let space = all.get(range.start)?.space.clone();
    let mut by = by.to_vec();
    by.first_mut().into_iter().for_each(|first| first.space = space.clone());
    all.splice(range.clone(), by);
    // What moved up to an opening bracket stands right behind it.
    let opened = range.start > 0 && all.get(range.start - 1).is_some_and(|t| t.text == "(");
    if let Some(first) = all.get_mut(range.start).filter(|first| opened && first.space == " ") {
        first.space.clear();
    }
    Some(())
}

fn plain(text: &str) -> Vec<Token> {
    vec![Token { space: String::new(), text: text.into() }]
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '"' || c == '`')
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut found) = (0, Vec::new());
    while at < chars.len() {
        let space = at;
        while at < chars.len() && chars[at].is_whitespace() {
            at += 1;
        }
        let start = at;
        at = token_end(&chars, at);
        if start < at {
            found.push(Token { space: chars[space..start].iter().collect(), text: chars[start..at].iter().collect() });
        }
    }
    found
}

/// Two-character operators that must not be torn apart by spaces or deletions.
const PAIRS: [&str; 12] = ["<=", ">=", "<>", "!=", "==", "||", "<<", ">>", "->", ":-", "<-", "::"];

fn token_end(chars: &[char], start: usize) -> usize {
    let Some(&first) = chars.get(start) else { return start };
    if matches!(first, '\'' | '"' | '`') {
        return quoted_end(chars, start);
    }
    let run = |from: usize, more: fn(char) -> bool| {
        chars[from..].iter().position(|c| !more(*c)).map_or(chars.len(), |n| from + n)
    };
    if matches!(first, 'x' | 'X') && chars.get(start + 1) == Some(&'\'') {
        return quoted_end(chars, start + 1);
    }
    if first.is_ascii_digit() {
        let end = run(start, |c| is_word_char(c) || c == '.');
        // `0..5` and a rule's closing `1.` keep their dots.
        return if chars[end - 1] == '.' { end - 1 } else { end };
    }
    if is_word_char(first) {
        return run(start, is_word_char);
    }
    let pair: String = chars[start..].iter().take(2).collect();
    start + if PAIRS.contains(&pair.as_str()) { 2 } else { 1 }
}

/// A doubled quote inside stands for itself.
fn quoted_end(chars: &[char], start: usize) -> usize {
    let quote = chars[start];
    let mut at = start + 1;
    while at < chars.len() {
        if chars[at] == quote {
            if chars.get(at + 1) != Some(&quote) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    at
}

/// Words that would run together are kept apart, the rest stays as it was written.
fn written(tokens: &[Token]) -> String {
    let mut out = String::new();
    for (i, token) in tokens.iter().enumerate() {
        let joins = out.ends_with(is_word_char) && token.text.starts_with(|c| is_word_char(c) || c == '\'');
        if i > 0 {
            out.push_str(if token.space.is_empty() && joins { " " } else { &token.space });
        }
        out.push_str(&token.text);
    }
    out
}

// ---------------------------------------------------------------- cuts inside one text

type Cuts = Vec<(Range<usize>, Vec<Token>)>;

/// Longest run of tokens that is tried at every place, in texts that are short already.
const WINDOW: usize = 8;
const SHORT_TEXT: usize = 60;

/// Halves down to single tokens, then short runs at every place (`t0.`, `AS x`, `= 1 OR`, `c0 FROM t0 WHERE`).
fn token_ranges(tokens: &[Token]) -> Cuts {
    let n = tokens.len();
    let longest = if n <= SHORT_TEXT { WINDOW } else { 3 };
    let windows = (2..=longest).rev().flat_map(|size| (0..(n + 1).saturating_sub(size)).map(move |i| i..i + size));
    chunks(n).into_iter().skip(1).chain(windows).map(|r| (r, vec![])).collect()
}

/// Where each line begins, and the end of the last one.
fn line_starts(tokens: &[Token]) -> Vec<usize> {
    let begins = |i: &usize| *i == 0 || tokens[*i].space.contains('\n');
    (0..tokens.len()).filter(begins).chain([tokens.len()]).collect()
}

fn lines(tokens: &[Token]) -> Cuts {
    let starts = line_starts(tokens);
    if starts.len() < 3 {
        return Vec::new();
    }
    chunks(starts.len() - 1).into_iter().skip(1).map(|r| (starts[r.start]..starts[r.end], vec![])).collect()
}

/// Index of the bracket that closes the one at `open`.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Every bracket and every quote that is opened is closed.
fn is_closed(tokens: &[Token]) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for token in tokens {
        let wanted = match token.text.as_str() {
            "(" | "[" | "{" => {
                open.push(&token.text);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            text => {
                let quote = text.trim_start_matches(['x', 'X']).chars().next().filter(|c| "'\"`".contains(*c));
                // A token that begins with a quote ends with it, unless the text ended first.
                if quote.is_some_and(|q| text.matches(q).count() % 2 == 1) {
                    return false;
                }
                continue;
            }
        };
        if open.pop() != Some(wanted) {
            return false;
        }
    }
    open.is_empty()
}

fn brackets(tokens: &[Token]) -> Vec<(usize, usize)> {
    let opens = (0..tokens.len()).filter(|i| matches!(tokens[*i].text.as_str(), "(" | "[" | "{"));
    let mut found: Vec<(usize, usize)> = opens.filter_map(|open| Some((open, closing(tokens, open)?))).collect();
    found.sort_by_key(|(open, close)| (std::cmp::Reverse(close - open), *open));
    found
}

/// A bracketed group: gone, with the word before it, a plain value, or only what was inside. The word alone is tried
/// only where a parser says whether it may stand without its brackets.
fn groups(tokens: &[Token], words_alone: bool) -> Cuts {
    let mut cuts = Vec::new();
    for (open, close) in brackets(tokens) {
        let inside = tokens[open + 1..close].to_vec();
        let called = open > 0 && is_word(&tokens[open - 1].text);
        for start in [open - usize::from(called), open] {
            cuts.push((start..close + 1, vec![]));
            for value in ["NULL", "0", "1"] {
                if close > open + 1 || called {
                    cuts.push((start..close + 1, plain(value)));
                }
            }
            cuts.push((start..close + 1, inside.clone()));
            if !called || !words_alone {
                break;
            }
        }
    }
    cuts
}

/// Members of comma lists: inside brackets, in the body of a rule, or in a text of one line.
fn list_items(tokens: &[Token]) -> Cuts {
    let mut cuts = Vec::new();
    let spans = brackets(tokens).into_iter().map(|(open, close)| open + 1..close);
    for span in bodies(tokens).into_iter().chain(spans) {
        let commas = commas_of(tokens, &span);
        if commas.is_empty() {
            continue;
        }
        let mut edges = vec![span.start];
        edges.extend(commas.iter().map(|c| c + 1));
        edges.push(span.end + 1);
        for range in chunks(edges.len() - 1) {
            if range.len() == edges.len() - 1 {
                continue;
            }
            // The last members go with the comma before them, others with the one after.
            let last = range.end == edges.len() - 1;
            let start = edges[range.start] - usize::from(last);
            let end = edges[range.end] - usize::from(last);
            cuts.push((start..end, vec![]));
        }
    }
    cuts
}

/// What stands between the head of a rule and its end, line by line; a line without a head where it is the only one.
fn bodies(tokens: &[Token]) -> Vec<Range<usize>> {
    let starts = line_starts(tokens);
    let only = starts.len() == 2;
    let body = |line: &[usize]| {
        let words = &tokens[line[0]..line[1]];
        let head = words.iter().position(|t| matches!(t.text.as_str(), ":-" | "<-"));
        let ends = words.last().is_some_and(|t| t.text == ".");
        let start = head.map(|at| line[0] + at + 1).or(only.then_some(line[0]))?;
        Some(start..line[1] - usize::from(ends)).filter(|range| !range.is_empty())
    };
    starts.windows(2).filter_map(body).collect()
}

fn commas_of(tokens: &[Token], span: &Range<usize>) -> Vec<usize> {
    let (mut depth, mut found) = (0, Vec::new());
    for i in span.clone() {
        match tokens[i].text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => found.push(i),
            _ => {}
        }
    }
    found
}

/// What a literal is worth beyond its length, so that 0 comes before 1 and both before the rest.
fn literal_rank(text: &str) -> u64 {
    match text {
        "NULL" | "0" => 0,
        "1" | "''" => 1,
        _ => 2,
    }
}

fn literals(tokens: &[Token]) -> Cuts {
    let mut cuts = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let text = &token.text;
        let smaller: Vec<String> = if text.starts_with(|c: char| c.is_ascii_digit()) {
            let half: String = text.chars().take(text.len() / 2).collect();
            ["0".to_string(), "1".into(), half].into()
        } else if text.starts_with('\'') && text.len() > 2 && text.ends_with('\'') {
            let inside: Vec<char> = text[1..text.len() - 1].chars().collect();
            let kept = |r: Range<usize>| {
                let left = inside.iter().enumerate().filter(|(i, _)| !r.contains(i)).map(|(_, c)| c);
                format!("'{}'", left.collect::<String>())
            };
            let shorter = chunks(inside.len()).into_iter().map(kept);
            ["NULL".to_string()].into_iter().chain(shorter).collect()
        } else {
            continue;
        };
        cuts.extend(smaller.into_iter().filter(|s| !s.is_empty()).map(|s| (i..i + 1, plain(&s))));
    }
    cuts
}
