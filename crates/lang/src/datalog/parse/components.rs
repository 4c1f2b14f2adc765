//! Components, written out: each `.init` becomes the declarations and clauses of its component, named with the name of
//! the instance and two underscores before them. Works on words, before anything else is read.

use super::Unread;
use super::lex::{Place, Token};

type Words = Vec<(Token, Place)>;

/// Instances in instances deeper than this are taken for endless.
const DEPTH: usize = 12;
/// More words than this come of no program of a person.
const WORDS: usize = 400_000;

#[derive(Clone)]
struct Component {
    name: String,
    parameters: Vec<String>,
    bases: Vec<Type>,
    body: Words,
}

/// A component with the types that stand for its parameters.
#[derive(Clone)]
struct Type {
    name: String,
    arguments: Vec<String>,
}

/// What separates the name of an instance from what belongs to it, in names that engines take.
pub const SEPARATOR: &str = "__";

/// The words without components, and the places of those that could not be written out.
pub fn written_out(words: Words) -> (Words, Vec<Unread>) {
    let is_used = |(token, _): &(Token, Place)| matches!(token, Token::Directive(d) if d == "comp" || d == "init");
    if !words.iter().any(is_used) {
        return (words, Vec::new());
    }
    let mut writer = Writer { out: Vec::new(), unread: Vec::new() };
    writer.write(words, &[], 0);
    let Writer { mut out, unread } = writer;
    for (token, _) in &mut out {
        if let Token::Name(name) = token
            && name.contains('.')
        {
            *name = name.replace('.', SEPARATOR);
        }
    }
    (out, unread)
}

struct Writer {
    out: Words,
    unread: Vec<Unread>,
}

impl Writer {
    /// Writes these words out; components of `outer` are known in them.
    fn write(&mut self, words: Words, outer: &[Component], depth: usize) {
        let mut known = outer.to_vec();
        let (rest, defined) = self.definitions(words);
        known.extend(defined);
        let mut at = 0;
        while at < rest.len() {
            if !is_directive(&rest[at].0, "init") {
                self.out.push(rest[at].clone());
                at += 1;
                continue;
            }
            let place = rest[at].1;
            let Some((instance, wanted, next)) = instance(&rest, at + 1) else {
                self.leave(place, "this '.init' cannot be read");
                at += 1;
                continue;
            };
            at = next;
            if depth > DEPTH || self.out.len() > WORDS {
                self.leave(place, "components in components without an end");
                continue;
            }
            match body_of(&wanted, &known, 0) {
                Some(body) => {
                    // Components that are defined inside are seen inside, before their names get a prefix.
                    let (plain, inner) = self.definitions(body);
                    let scope: Vec<Component> = known.iter().cloned().chain(inner).collect();
                    let start = self.out.len();
                    self.write(plain, &scope, depth + 1);
                    prefix(&mut self.out[start..], &instance);
                }
                None => self.leave(place, &format!("there is no component '{}' with such parameters", wanted.name)),
            }
        }
    }

    fn leave(&mut self, place: Place, why: &str) {
        self.unread.push(Unread { line: place.line, column: place.column, why: why.into() });
    }

    /// Takes the definitions of components out of these words.
    fn definitions(&mut self, words: Words) -> (Words, Vec<Component>) {
        let (mut rest, mut found, mut at) = (Vec::with_capacity(words.len()), Vec::new(), 0);
        while at < words.len() {
            if is_directive(&words[at].0, "comp") {
                match definition(&words, at + 1) {
                    Some((component, next)) => {
                        found.push(component);
                        at = next;
                        continue;
                    }
                    None => self.leave(words[at].1, "this '.comp' cannot be read"),
                }
            } else {
                rest.push(words[at].clone());
            }
            at += 1;
        }
        (rest, found)
    }
}

fn is_directive(token: &Token, name: &str) -> bool {
    matches!(token, Token::Directive(d) if d == name)
}

fn is_sign(words: &Words, at: usize, sign: &str) -> bool {
    matches!(words.get(at), Some((Token::Sign(s), _)) if *s == sign)
}

fn name_at(words: &Words, at: usize) -> Option<String> {
    match words.get(at) {
        Some((Token::Name(name), _)) => Some(name.clone()),
        _ => None,
    }
}

/// `Name<A, B>`, and where it ends.
fn type_at(words: &Words, at: usize) -> Option<(Type, usize)> {
    let name = name_at(words, at)?;
    let mut arguments = Vec::new();
    let mut at = at + 1;
    if is_sign(words, at, "<") {
        loop {
            arguments.push(name_at(words, at + 1)?);
            at += 2;
            if !is_sign(words, at, ",") {
                break;
            }
        }
        if !is_sign(words, at, ">") {
            return None;
        }
        at += 1;
    }
    Some((Type { name, arguments }, at))
}

/// `name = Type`, and where it ends.
fn instance(words: &Words, at: usize) -> Option<(String, Type, usize)> {
    let name = name_at(words, at)?;
    let (wanted, end) = type_at(words, at + 2).filter(|_| is_sign(words, at + 1, "="))?;
    Some((name, wanted, end))
}

/// `Name<A> : Base<A>, Other { … }`, and where it ends.
fn definition(words: &Words, at: usize) -> Option<(Component, usize)> {
    let (Type { name, arguments: parameters }, mut at) = type_at(words, at)?;
    let mut bases = Vec::new();
    while is_sign(words, at, if bases.is_empty() { ":" } else { "," }) {
        let (base, next) = type_at(words, at + 1)?;
        bases.push(base);
        at = next;
    }
    if !is_sign(words, at, "{") {
        return None;
    }
    let (begin, mut depth) = (at + 1, 0);
    while at < words.len() {
        depth += i32::from(is_sign(words, at, "{")) - i32::from(is_sign(words, at, "}"));
        at += 1;
        if depth == 0 {
            return Some((Component { name, parameters, bases, body: words[begin..at - 1].to_vec() }, at));
        }
    }
    None
}

/// What a component consists of, with that of its bases, its parameters replaced.
fn body_of(wanted: &Type, known: &[Component], depth: usize) -> Option<Words> {
    let component = known.iter().rfind(|c| c.name == wanted.name)?;
    if component.parameters.len() != wanted.arguments.len() || depth > DEPTH {
        return None;
    }
    let replaced = |name: &String| match component.parameters.iter().position(|p| p == name) {
        Some(at) => wanted.arguments[at].clone(),
        None => name.clone(),
    };
    let own: Words = component
        .body
        .iter()
        .map(|(token, place)| match token {
            Token::Name(name) => (Token::Name(replaced(name)), *place),
            other => (other.clone(), *place),
        })
        .collect();
    let overridden = overridden(&own);
    let mut all = Vec::new();
    for base in &component.bases {
        let base = Type { name: replaced(&base.name), arguments: base.arguments.iter().map(replaced).collect() };
        all.extend(without_clauses_of(body_of(&base, known, depth + 1)?, &overridden));
    }
    all.extend(without_overrides(own));
    Some(all)
}

fn overridden(words: &Words) -> Vec<String> {
    (0..words.len())
        .filter(|at| is_directive(&words[*at].0, "override"))
        .filter_map(|at| name_at(words, at + 1))
        .collect()
}

fn without_overrides(words: Words) -> Words {
    let marked = |at: usize| is_directive(&words[at].0, "override");
    let kept = (0..words.len()).filter(|at| !(marked(*at) || *at > 0 && marked(*at - 1)));
    kept.map(|at| words[at].clone()).collect()
}

/// Without the facts and rules whose head is one of these relations.
fn without_clauses_of(words: Words, relations: &[String]) -> Words {
    if relations.is_empty() {
        return words;
    }
    let (mut kept, mut at, mut inside) = (Vec::with_capacity(words.len()), 0, false);
    while at < words.len() {
        // What a component inside says is not overridden.
        if is_directive(&words[at].0, "comp")
            && let Some((_, next)) = definition(&words, at + 1)
        {
            kept.extend_from_slice(&words[at..next]);
            at = next;
            continue;
        }
        // A declaration names relations as well, behind its directive or behind a comma.
        let declares = at > 0 && (matches!(words[at - 1].0, Token::Directive(_)) || is_sign(&words, at - 1, ","));
        let head = name_at(&words, at).filter(|_| !inside && !declares && is_sign(&words, at + 1, "("));
        if head.as_ref().is_some_and(|name| relations.contains(name)) {
            while at < words.len() && !is_sign(&words, at, ".") {
                at += 1;
            }
            at += 1;
            continue;
        }
        inside = (inside || head.is_some()) && !is_sign(&words, at, ".");
        kept.push(words[at].clone());
        at += 1;
    }
    kept
}

/// Puts the name of the instance before all that is declared in it.
fn prefix(words: &mut [(Token, Place)], instance: &str) {
    let (mut declared, mut types): (Vec<String>, Vec<String>) = Default::default();
    for at in 0..words.len() {
        let of_type = ["type", "number_type", "symbol_type"].iter().any(|d| is_directive(&words[at].0, d));
        let declares = of_type || ["decl", "functor"].iter().any(|d| is_directive(&words[at].0, d));
        let mut next = at + 1;
        while declares && let Some((Token::Name(name), _)) = words.get(next) {
            if of_type { &mut types } else { &mut declared }.push(name.clone());
            // Several relations may be declared at once.
            next += if matches!(words.get(next + 1), Some((Token::Sign(","), _))) { 2 } else { usize::MAX - next };
        }
        // So are the branches of an algebraic type: `= Leaf {` or `| Node {`.
        let sign = |at: usize, sign: &str| matches!(words.get(at), Some((Token::Sign(s), _)) if *s == sign);
        if (sign(at, "=") || sign(at, "|"))
            && sign(at + 2, "{")
            && let Some((Token::Name(branch), _)) = words.get(at + 1)
        {
            declared.push(branch.clone());
        }
    }
    for at in 0..words.len() {
        let Token::Name(name) = &words[at].0 else { continue };
        let sign = |at: Option<usize>, signs: &[&str]| {
            let there = at.and_then(|at| words.get(at));
            matches!(there, Some((Token::Sign(s), _)) if signs.contains(s))
        };
        let before = at.checked_sub(1);
        // A relation and a type may have one name. Behind a colon stands a type, unless it is the body of an aggregate.
        let after_colon = sign(before, &[":"]) && !sign(Some(at + 1), &["("]);
        let after_type = sign(before, &["<:", "|"]) || before.is_some_and(|at| is_directive(&words[at].0, "type"));
        let is_type = after_colon || after_type && !sign(Some(at + 1), &["{"]);
        let both = declared.contains(name) && types.contains(name);
        let renamed = match is_type {
            true => types.contains(name),
            false => declared.contains(name) || types.contains(name) && !both,
        };
        if renamed {
            let name = format!("{instance}.{name}");
            words[at].0 = Token::Name(name);
        }
    }
}
