//! Text of the Soufflé dialect to trees, good enough for programs that people wrote. What has no tree (user-defined
//! functors, lattices) is reported with line and column and skipped; the rest is read on. A relation without attributes
//! becomes one that can hold a single value. Recursive descent over words.

pub mod components;
mod fit;
pub mod inline;
mod lex;
pub mod preprocess;
mod terms;
#[cfg(test)]
mod tests;
mod types;

use super::ast::*;
use crate::depth::{Depth, Mark};
pub use fit::UNIT;
use lex::{Place, Token};
use smol_str::SmolStr;

/// What was read, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    pub program: Program,
    /// Where each rule and each fact begins: line and column.
    pub rules_at: Vec<(usize, usize)>,
    pub facts_at: Vec<(usize, usize)>,
    /// Relations whose facts are in files.
    pub inputs: Vec<Name>,
    /// Relations that are written.
    pub outputs: Vec<Name>,
    /// Those of both that say where, or in which form.
    pub elsewhere: Vec<Name>,
    pub unread: Vec<Unread>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub line: usize,
    pub column: usize,
    pub why: String,
}

/// Reads a program. Its output is the last relation that is output and has a tuple or a rule.
pub fn program(text: &str) -> Parsed {
    let (tokens, preprocessed) = lex::tokens(text);
    let (tokens, left_out) = components::written_out(without_annotations(tokens));
    let mut parser =
        Parser { tokens, at: 0, types: Vec::new(), built: Vec::new(), vars: Vec::new(), facts: Vec::new() };
    parser.collect_types();
    let mut parsed = Parsed::default();
    parsed.program.types = parser.built_types();
    let mut facts_at = Vec::new();
    let unread = |place: Place, why: &str| Unread { line: place.line, column: place.column, why: why.into() };
    parsed.unread.extend(left_out);
    parsed.unread.extend(preprocessed.iter().map(|p| unread(*p, "a line for a preprocessor")));
    let mut outputs = Outputs::default();
    while parser.at < parser.tokens.len() {
        let begun = parser.at;
        if let Err(why) = parser.item(&mut parsed.program, &mut outputs) {
            let place = parser.tokens[parser.at.min(parser.tokens.len() - 1)].1;
            parsed.unread.push(unread(place, &why));
            parser.at = parser.at.max(begun);
            parser.skip_item(begun);
        }
        let place = (parser.tokens[begun].1.line, parser.tokens[begun].1.column);
        parsed.rules_at.resize(parsed.program.rules.len(), place);
        facts_at.resize(parser.facts.len(), place);
    }
    fit::settle(&mut parsed, parser.facts, &facts_at);
    parsed.inputs = outputs.read;
    parsed.outputs = outputs.written.clone();
    parsed.elsewhere = outputs.elsewhere;
    let p = &mut parsed.program;
    let filled = |n: &&Name| p.facts.iter().any(|f| f.relation == ***n) || p.is_derived(n);
    let derived = p.relations.iter().map(|r| &r.name).rfind(|n| p.is_derived(n));
    p.output = outputs.written.iter().rfind(filled).or(derived).cloned().unwrap_or_default();
    parsed
}

/// `@[deprecated]` and `@![…]` say nothing about what is derived.
fn without_annotations(tokens: Vec<(Token, Place)>) -> Vec<(Token, Place)> {
    let sign = |at: usize, wanted: &str| matches!(tokens.get(at), Some((Token::Sign(s), _)) if *s == wanted);
    let (mut kept, mut at) = (Vec::with_capacity(tokens.len()), 0);
    while at < tokens.len() {
        let behind = at + 1 + usize::from(sign(at + 1, "!"));
        if !(sign(at, "@") && sign(behind, "[")) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let mut depth = 0;
        at = behind;
        while at < tokens.len() {
            match &tokens[at].0 {
                Token::Sign("[" | "(" | "{") => depth += 1,
                Token::Sign("]" | ")" | "}") => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
    }
    kept
}

/// The subgoals of a body alone, and the names of its variables by their numbers.
pub fn body(text: &str) -> Result<(Vec<Literal>, Vec<String>), String> {
    let (tokens, _) = lex::tokens(&format!("{text} ."));
    let mut parser =
        Parser { tokens, at: 0, types: Vec::new(), built: Vec::new(), vars: Vec::new(), facts: Vec::new() };
    parser.see_depth()?;
    let body = parser.disjunction()?;
    parser.expect(".")?;
    if parser.at < parser.tokens.len() {
        return Err("the text goes on behind the body".into());
    }
    Ok((body, parser.vars))
}

/// Brackets in brackets; and words that may hang together without a comma, each of which may be a level of the tree.
const BRACKETS_AT_MOST: usize = 60;
const WORDS_AT_MOST: usize = 1_000;

type Read<T> = Result<T, String>;

/// Relations that a program reads from files and writes to them.
#[derive(Default)]
struct Outputs {
    read: Vec<Name>,
    written: Vec<Name>,
    elsewhere: Vec<Name>,
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    at: usize,
    /// Each type with the types that it is made of; they may come later in the text.
    types: Vec<(String, Vec<String>)>,
    /// Records and algebraic types, each with its branches and the types of their fields.
    built: Vec<types::Declared>,
    /// Names of the variables of the clause at hand.
    vars: Vec<String>,
    /// Clauses without a body.
    facts: Vec<Atom>,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(t, _)| t)
    }

    fn next(&mut self) -> Read<Token> {
        let token = self.peek().cloned().ok_or("the text ends here")?;
        self.at += 1;
        Ok(token)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(s)) if *s == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Read<()> {
        if self.takes(sign) { Ok(()) } else { Err(format!("'{sign}' is missing")) }
    }

    fn name(&mut self) -> Read<String> {
        match self.peek() {
            Some(Token::Name(n)) => {
                let name = n.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err("a name is missing".into()),
        }
    }

    fn takes_name(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(n)) if n == wanted);
        self.at += usize::from(found);
        found
    }

    /// Goes behind the item that could not be read: a clause ends with its point, a directive with its line and the
    /// brackets that are open there.
    fn skip_item(&mut self, begun: usize) {
        let (first, place) = self.tokens[begun].clone();
        let directive = matches!(first, Token::Directive(_));
        let mut depth = 0i32;
        let mut at = if directive { begun + 1 } else { self.at.max(begun) };
        while let Some((token, here)) = self.tokens.get(at) {
            let over =
                depth == 0 && if directive { here.line > place.line } else { matches!(token, Token::Directive(_)) };
            if over && at > begun {
                break;
            }
            at += 1;
            match token {
                Token::Sign("{" | "[" | "(") => depth += 1,
                Token::Sign("}" | "]" | ")") => depth -= 1,
                Token::Sign(".") if !directive => break,
                _ => {}
            }
        }
        self.at = at;
    }

    /// Refuses an item whose tree may be too deep.
    fn see_depth(&self) -> Read<()> {
        let mut depth = Depth::new(BRACKETS_AT_MOST, WORDS_AT_MOST);
        for (token, _) in &self.tokens[self.at..] {
            let mark = match token {
                Token::Sign("(" | "{" | "[") => Mark::Open,
                Token::Sign(")" | "}" | "]") => Mark::Close,
                Token::Sign("." | "," | ";" | ":-") => Mark::Between,
                _ => Mark::Word,
            };
            if !depth.see(mark) {
                return Err("nested too deeply, or too many operators in a row".into());
            }
            if matches!(token, Token::Sign(".")) {
                break;
            }
        }
        Ok(())
    }

    fn item(&mut self, program: &mut Program, outputs: &mut Outputs) -> Read<()> {
        self.vars.clear();
        self.see_depth()?;
        let Some(Token::Directive(directive)) = self.peek().cloned() else { return self.clause(program) };
        self.at += 1;
        match directive.as_str() {
            "decl" => self.declaration(program, outputs),
            "type" => {
                let name = self.type_declaration()?.name().to_owned();
                self.kind(&name).map(|_| ())
            }
            "number_type" | "symbol_type" => {
                self.name()?;
                Ok(())
            }
            "input" | "output" | "printsize" => loop {
                let name = self.name()?;
                let mut odd = false;
                if self.takes("(") {
                    while !self.takes(")") {
                        odd = true;
                        self.next()?;
                    }
                }
                if odd {
                    outputs.elsewhere.push(name.clone().into());
                }
                match directive.as_str() {
                    "output" => outputs.written.push(name.into()),
                    "input" => outputs.read.push(name.into()),
                    _ => {}
                }
                if !self.takes(",") {
                    return Ok(());
                }
            },
            "plan" => self.plan(program),
            // What a preprocessor obeys.
            "once" => Ok(()),
            "pragma" => {
                while matches!(self.peek(), Some(Token::Text(_))) {
                    self.at += 1;
                }
                Ok(())
            }
            other => {
                self.at -= 1;
                Err(format!("there is no tree for '.{other}'"))
            }
        }
    }

    fn declaration(&mut self, program: &mut Program, outputs: &mut Outputs) -> Read<()> {
        let mut names = vec![self.name()?];
        while self.takes(",") {
            names.push(self.name()?);
        }
        self.expect("(")?;
        let mut attributes = Vec::new();
        while !self.takes(")") {
            let name = self.name()?;
            self.expect(":")?;
            let kind = self.name()?;
            attributes.push(Attribute { name: name.into(), kind: self.kind(&kind)? });
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        let mut relation =
            Relation { name: SmolStr::default(), attributes, qualifiers: Vec::new(), choice: Vec::new() };
        while let Some(Token::Name(word)) = self.peek().cloned() {
            let qualifier = match word.as_str() {
                "brie" => Some(Qualifier::Brie),
                "btree" => Some(Qualifier::Btree),
                "btree_delete" => Some(Qualifier::BtreeDelete),
                "eqrel" => Some(Qualifier::Eqrel),
                "inline" => Some(Qualifier::Inline),
                "no_inline" => Some(Qualifier::NoInline),
                "magic" => Some(Qualifier::Magic),
                "no_magic" => Some(Qualifier::NoMagic),
                "printsize" | "overridable" => None,
                "input" => {
                    outputs.read.extend(names.iter().map(SmolStr::from));
                    None
                }
                "output" => {
                    outputs.written.extend(names.iter().map(SmolStr::from));
                    None
                }
                "choice" => break,
                _ => break,
            };
            relation.qualifiers.extend(qualifier);
            self.at += 1;
        }
        if self.takes_name("choice") {
            self.expect("-")?;
            self.name()?;
            self.choice(&mut relation)?;
        }
        if relation.attributes.is_empty() {
            relation.attributes.push(Attribute { name: fit::UNIT.into(), kind: Kind::Number });
        }
        program.relations.extend(names.into_iter().map(|n| Relation { name: n.into(), ..relation.clone() }));
        Ok(())
    }

    fn choice(&mut self, relation: &mut Relation) -> Read<()> {
        loop {
            let mut key = Vec::new();
            let several = self.takes("(");
            loop {
                let name = self.name()?;
                let at = relation.attributes.iter().position(|a| a.name == name);
                key.push(at.ok_or_else(|| format!("'{name}' is no attribute"))?);
                if !several || !self.takes(",") {
                    break;
                }
            }
            if several {
                self.expect(")")?;
            }
            relation.choice.push(key);
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    /// The order of the first version; the others belong to later rounds of a recursion.
    fn plan(&mut self, program: &mut Program) -> Read<()> {
        let mut first = None;
        loop {
            self.next()?;
            self.expect(":")?;
            self.expect("(")?;
            let mut order = Vec::new();
            while !self.takes(")") {
                if let Token::Number(n) = self.next()? {
                    order.push(usize::try_from(n).map_err(|_| "a place in a plan")?);
                }
                self.takes(",");
            }
            first = first.or(Some(order));
            if !self.takes(",") {
                break;
            }
        }
        if let (Some(rule), Some(order)) = (program.rules.last_mut(), first) {
            rule.plan = order;
        }
        Ok(())
    }

    fn clause(&mut self, program: &mut Program) -> Read<()> {
        let mut heads = vec![self.atom()?];
        if self.takes("<=") {
            return self.subsumption(program, heads.remove(0));
        }
        while self.takes(",") {
            heads.push(self.atom()?);
        }
        if self.takes(".") {
            self.facts.extend(heads);
            return Ok(());
        }
        self.expect(":-")?;
        let body = self.disjunction()?;
        self.expect(".")?;
        let mut rule = Rule { heads, body, plan: Vec::new() };
        fit::hoist_aggregates(&mut rule);
        program.rules.push(rule);
        Ok(())
    }

    fn subsumption(&mut self, program: &mut Program, small: Atom) -> Read<()> {
        let large = self.atom()?;
        let mut body = Vec::new();
        if self.takes(":-") {
            body = self.disjunction()?;
        }
        self.expect(".")?;
        let (mut smaller, mut larger) = (small.args, large.args);
        // Two wildcards are two values, which both heads have to name.
        smaller.iter_mut().chain(&mut larger).for_each(|term| self.name_wildcards(term));
        program.subsumptions.push(Subsumption { relation: small.relation, smaller, larger, body });
        Ok(())
    }

    fn name_wildcards(&mut self, term: &mut Term) {
        match term {
            Term::Wildcard => {
                *term = Term::Var(self.vars.len() as Var);
                self.vars.push(format!("{} of a wildcard", self.vars.len()));
            }
            Term::Build(b) => b.fields.iter_mut().for_each(|field| self.name_wildcards(field)),
            _ => {}
        }
    }

    fn atom(&mut self) -> Read<Atom> {
        let name = self.name()?;
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.takes(")") {
            args.push(self.term()?);
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(Atom::new(name, args))
    }

    /// One conjunction, or a disjunction of several.
    fn disjunction(&mut self) -> Read<Vec<Literal>> {
        let mut arms = vec![self.conjunction()?];
        while self.takes(";") {
            arms.push(self.conjunction()?);
        }
        Ok(if arms.len() == 1 { arms.remove(0) } else { vec![Literal::Or(arms)] })
    }

    fn conjunction(&mut self) -> Read<Vec<Literal>> {
        let mut body = self.literal()?;
        while self.takes(",") {
            body.extend(self.literal()?);
        }
        Ok(body)
    }

    fn literal(&mut self) -> Read<Vec<Literal>> {
        if self.takes("!") {
            if self.takes("(") {
                let group = self.disjunction()?;
                self.expect(")")?;
                return fit::negated(group);
            }
            let question = |t: &Token| matches!(t, Token::Name(n) if n == "contains" || n == "match");
            if self.is("!") || self.peek().is_some_and(question) {
                return fit::negated(self.literal()?);
            }
            return Ok(vec![Literal::Not(self.atom()?)]);
        }
        let always = matches!(self.peek(), Some(Token::Name(n)) if n == "true" || n == "false");
        if always && matches!(self.tokens.get(self.at + 1), Some((Token::Sign("," | "." | ";" | ")" | "}"), _))) {
            let holds = self.takes_name("true") || !self.takes_name("false");
            return Ok(vec![fit::always(holds)]);
        }
        let begun = (self.at, self.vars.len());
        // A comparison may begin like an atom or like a group; what is not one is read again.
        let why = match self.comparison() {
            Ok(literal) => return Ok(vec![literal]),
            Err(why) => why,
        };
        let failed = self.at;
        self.at = begun.0;
        self.vars.truncate(begun.1);
        if self.takes("(") {
            let group = self.disjunction()?;
            self.expect(")")?;
            return Ok(group);
        }
        if let Some(word) = ["contains", "match"].into_iter().find(|w| self.takes_name(w)) {
            return Ok(vec![self.test(word)?]);
        }
        let named = matches!(self.peek(), Some(Token::Name(_)));
        let called = matches!(self.tokens.get(self.at + 1), Some((Token::Sign("("), _)));
        if named && called {
            let atom = self.atom()?;
            if self.at_end() {
                return Ok(vec![Literal::Atom(atom)]);
            }
        }
        self.at = failed;
        Err(why)
    }

    /// Whether a literal can end here.
    fn at_end(&self) -> bool {
        [",", ".", ";", ")", "}"].iter().any(|sign| self.is(sign))
    }

    fn comparison(&mut self) -> Read<Literal> {
        let a = self.term()?;
        let c = match self.next()? {
            Token::Sign("=") => Comparison::Equal,
            Token::Sign("!=") => Comparison::NotEqual,
            Token::Sign("<") => Comparison::Less,
            Token::Sign("<=") => Comparison::LessEqual,
            Token::Sign(">") => Comparison::Greater,
            Token::Sign(">=") => Comparison::GreaterEqual,
            _ => {
                self.at -= 1;
                return Err("a comparison is missing".into());
            }
        };
        Ok(Literal::Compare(c, a, self.term()?))
    }
}
