//! A script as text, for claims that compare nothing (crash, hang, memory, internal error) in any language, and the
//! text of a question that nobody could read. It knows words, literals and brackets, and leaves it to the engine to say
//! which of the shorter texts make sense.

use super::{Subject, chunks};
use crate::case::{Case, Origin, Step};
use crate::dialect::Dialect;
use crate::lang::sql::ast::SqlSource;
use crate::relation::Relation;
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Clone)]
pub struct TextSubject {
    frame: Case,
    steps: Vec<TextStep>,
    /// Lines that say which part of the engine is asked.
    kept: Vec<String>,
}

#[derive(Clone, PartialEq)]
struct TextStep {
    ask: Option<String>,
    tokens: Vec<Token>,
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

/// How lines begin without which a script asks something else: z3 has other solvers, which take other times.
const KEPT: [&str; 1] = ["(set-option :fp.engine"];

const STEP_WEIGHT: u64 = 1 << 40;
const TOKEN_WEIGHT: u64 = 1 << 20;

impl TextSubject {
    pub fn of(case: &Case) -> TextSubject {
        let steps = case.script.iter().map(|s| TextStep { ask: s.ask.clone(), tokens: tokens(&s.text) }).collect();
        let frame =
            Case { script: Vec::new(), source: None, claim: Relation::Survives, rules: Vec::new(), ..case.clone() };
        let lines = case.script.iter().flat_map(|s| s.text.lines());
        let kept = lines.filter(|line| KEPT.iter().any(|k| line.starts_with(k))).map(str::to_owned).collect();
        TextSubject { frame, steps, kept }
    }

    fn drop_steps(&self) -> Vec<TextEdit> {
        let mut edits: Vec<TextEdit> =
            chunks(self.steps.len()).into_iter().map(|r| TextEdit::DropSteps(r.collect())).collect();
        edits.extend(self.steps_sharing_a_word().into_iter().map(TextEdit::DropSteps));
        edits
    }

    /// A table and all that is done with it can only go together.
    fn steps_sharing_a_word(&self) -> Vec<Vec<usize>> {
        let mut steps_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, step) in self.steps.iter().enumerate() {
            for token in step.tokens.iter().filter(|t| is_word(&t.text)) {
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

    fn in_each_step(&self, ranges: impl Fn(&[Token]) -> Cuts) -> Vec<TextEdit> {
        let of_step = |(step, s): (usize, &TextStep)| {
            ranges(&s.tokens).into_iter().map(move |(tokens, by)| TextEdit::Replace { step, tokens, by })
        };
        self.steps.iter().enumerate().flat_map(of_step).collect()
    }
}

impl Subject for TextSubject {
    type Edit = TextEdit;

    fn weight(&self) -> u64 {
        self.steps.iter().map(|s| STEP_WEIGHT + s.tokens.iter().map(token_weight).sum::<u64>()).sum()
    }

    fn passes(&self) -> usize {
        6
    }

    fn edits(&self, pass: usize) -> Vec<TextEdit> {
        match pass {
            0 => self.drop_steps(),
            1 => self.in_each_step(lines),
            2 => self.in_each_step(groups),
            3 => self.in_each_step(list_items),
            4 => self.in_each_step(token_ranges),
            _ => self.in_each_step(literals),
        }
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
                let all = &mut next.steps.get_mut(*step)?.tokens;
                replace(all, tokens, by)?;
                if all.is_empty() {
                    next.steps.remove(*step);
                }
            }
        }
        (!next.steps.is_empty()).then_some(next)
    }

    fn case(&self) -> Option<Case> {
        let script: Vec<Step> =
            self.steps.iter().map(|s| Step { text: written(&s.tokens), ask: s.ask.clone() }).collect();
        let is_there = |line: &String| script.iter().any(|s| s.text.contains(line));
        self.kept.iter().all(is_there).then(|| Case { script, ..self.frame.clone() })
    }
}

/// The text of a question that could not be read as a tree. What is asked and claimed is derived anew from each shorter
/// text, so that it is as sound as the first one.
#[derive(Clone)]
pub struct QuestionText {
    source: SqlSource,
    dialect: &'static Dialect,
    origin: Origin,
    tokens: Vec<Token>,
}

impl QuestionText {
    /// Nothing where the question is a tree.
    pub fn of(case: &Case, dialect: &'static Dialect) -> Option<QuestionText> {
        let source: SqlSource = serde_json::from_value(case.source.clone()?).ok()?;
        let tokens = tokens(source.question.text.as_ref()?);
        Some(QuestionText { source, dialect, origin: case.origin, tokens })
    }
}

impl Subject for QuestionText {
    type Edit = (Range<usize>, Vec<Token>);

    fn weight(&self) -> u64 {
        self.tokens.iter().map(token_weight).sum()
    }

    fn passes(&self) -> usize {
        5
    }

    fn edits(&self, pass: usize) -> Vec<Self::Edit> {
        [lines, groups, list_items, token_ranges, literals][pass](&self.tokens)
    }

    fn apply(&self, (range, by): &Self::Edit) -> Option<QuestionText> {
        let mut next = self.clone();
        replace(&mut next.tokens, range, by)?;
        next.source.question.text = Some(written(&next.tokens));
        (!next.tokens.is_empty()).then_some(next)
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

fn lines(tokens: &[Token]) -> Cuts {
    let mut starts: Vec<usize> = (0..tokens.len()).filter(|i| *i == 0 || tokens[*i].space.contains('\n')).collect();
    if starts.len() < 2 {
        return Vec::new();
    }
    starts.push(tokens.len());
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

fn brackets(tokens: &[Token]) -> Vec<(usize, usize)> {
    let opens = (0..tokens.len()).filter(|i| matches!(tokens[*i].text.as_str(), "(" | "[" | "{"));
    let mut found: Vec<(usize, usize)> = opens.filter_map(|open| Some((open, closing(tokens, open)?))).collect();
    found.sort_by_key(|(open, close)| (std::cmp::Reverse(close - open), *open));
    found
}

/// A bracketed group: gone, with the word before it, a plain value, or only what was inside.
fn groups(tokens: &[Token]) -> Cuts {
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
            if !called {
                break;
            }
        }
    }
    cuts
}

/// Members of comma lists, at the top and inside brackets.
fn list_items(tokens: &[Token]) -> Cuts {
    let mut cuts = Vec::new();
    let spans = brackets(tokens).into_iter().map(|(open, close)| open + 1..close);
    for span in std::iter::once(0..tokens.len()).chain(spans) {
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
