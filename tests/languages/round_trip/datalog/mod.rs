//! Reads what the printers of the other forms wrote to trees again, so that a test can say that nothing was lost or
//! changed on the way. It reads exactly what we print, not what people write: seeds are in the Soufflé dialect.

mod smt2;
mod tests;
mod words;

use qualm::dialect::datalog::{DatalogDialect, Form};
use qualm::lang::datalog::ast::*;
use words::{Word, words};

type Read<T> = Result<T, String>;

/// The program that this text says. What a form leaves out (most have no declarations) is taken from `like`.
pub fn program(text: &str, dialect: &DatalogDialect, like: &Program) -> Read<Program> {
    if dialect.form == Form::Souffle {
        let parsed = qualm::lang::datalog::parse::program(text);
        return match parsed.unread.first() {
            None => Ok(parsed.program),
            Some(u) => Err(format!("{}:{}: {}", u.line, u.column, u.why)),
        };
    }
    let is_switch = |line: &str| dialect.switches.iter().any(|s| s.text == line);
    let text: String = text.split_inclusive('\n').filter(|line| !is_switch(line.trim_end())).collect();
    let mut read = Program { relations: like.relations.clone(), ..Program::default() };
    match dialect.form {
        Form::Smt2 => smt2::program(&text, &mut read)?,
        Form::Cozo => cozo(&text, &mut read)?,
        _ => clauses(&text, dialect.form, &mut read)?,
    }
    Ok(read)
}

/// The value of a fact's argument.
fn constant(term: Term) -> Read<Constant> {
    match term {
        Term::Constant(c) => Ok(c),
        Term::Binary(Operator::Subtract, a, b) => match (constant(*a)?, constant(*b)?) {
            (Constant::Number(a), Constant::Number(b)) => Ok(Constant::Number(a - b)),
            other => Err(format!("the difference of {other:?}")),
        },
        other => Err(format!("{other:?} is not constant")),
    }
}

/// The forms whose clauses end with a point.
fn clauses(text: &str, form: Form, read: &mut Program) -> Read<()> {
    let mut reader = Reader { words: words(text)?, at: 0, form };
    if form == Form::Bddbddb || form == Form::Ddlog {
        read.relations.clear();
    }
    while reader.at < reader.words.len() {
        reader.item(read)?;
    }
    Ok(())
}

/// Each line is a list of facts, a rule, or the question. A rule of a relation that is called `countN` is an aggregate
/// of the rule behind it; a relation `R_facts` holds the facts of R.
fn cozo(text: &str, read: &mut Program) -> Read<()> {
    let mut counts: Vec<(String, Aggregate)> = Vec::new();
    for line in text.lines() {
        let mut reader = Reader { words: words(line)?, at: 0, form: Form::Cozo };
        if reader.takes("?") {
            let name = reader.words.iter().rev().find_map(|w| match w {
                Word::Name(n) if !n.starts_with('c') => Some(n.clone()),
                _ => None,
            });
            read.output = name.ok_or("no relation is asked for")?.into();
            continue;
        }
        let name = reader.name()?;
        reader.expect("[")?;
        if name.starts_with("count") && matches!(reader.peek(), Some(Word::Name(n)) if n == "count") {
            let call = reader.words.iter().position(|w| matches!(w, Word::Sign("]"))).ok_or("no head")?;
            reader.at = call + 1;
            reader.expect(":=")?;
            let body = reader.body()?;
            counts.push((name, Aggregate { fold: Fold::Count, target: None, body }));
            continue;
        }
        let columns = reader.terms("]")?;
        if reader.takes("<-") {
            reader.facts(name.trim_end_matches("_facts"), read)?;
            continue;
        }
        reader.expect(":=")?;
        let body = reader.body()?;
        let copied = |l: &Literal| matches!(l, Literal::Atom(a) if a.relation == format!("{name}_facts"));
        if !body.iter().any(copied) {
            read.rules.push(cozo_rule(name, columns, body, &counts)?);
        }
    }
    Ok(())
}

/// Puts what was unified with a column of the head back into the head, and an aggregate back into its comparison.
fn cozo_rule(name: String, columns: Vec<Term>, body: Vec<Literal>, counts: &[(String, Aggregate)]) -> Read<Rule> {
    let mut args = Vec::new();
    let mut kept: Vec<Option<Literal>> = body.into_iter().map(Some).collect();
    for column in columns {
        let Term::Var(v) = column else { return Err("a head holds variables only".into()) };
        if v < words::HEAD {
            args.push(column);
            continue;
        }
        let is_its =
            |l: &Option<Literal>| matches!(l, Some(Literal::Compare(Comparison::Equal, Term::Var(w), _)) if *w == v);
        let at = kept.iter().position(is_its).ok_or("a column of the head that nothing is unified with")?;
        if let Some(Literal::Compare(_, _, term)) = kept[at].take() {
            args.push(term);
        }
    }
    let mut body: Vec<Literal> = kept.into_iter().flatten().collect();
    let is_count = |l: &Literal| matches!(l, Literal::Atom(a) if counts.iter().any(|(n, _)| *n == a.relation.as_str()));
    body.retain(|l| !is_count(l));
    for literal in &mut body {
        let Literal::Compare(_, a, b) = literal else { continue };
        for side in [a, b] {
            if let Term::Var(v) = *side
                && (words::COUNT..words::HEAD).contains(&v)
            {
                let name = format!("count{}", v - words::COUNT);
                let (_, aggregate) = counts.iter().find(|(n, _)| *n == name).ok_or("an aggregate without a rule")?;
                *side = Term::Aggregate(Box::new(aggregate.clone()));
            }
        }
    }
    Ok(Rule::new(Atom::new(name, args), body))
}

struct Reader {
    words: Vec<Word>,
    at: usize,
    form: Form,
}

impl Reader {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.at)
    }

    fn is(&self, sign: &str) -> bool {
        match self.peek() {
            Some(Word::Sign(s)) => *s == sign,
            Some(Word::Name(n)) => n == sign,
            _ => false,
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Read<()> {
        let near = &self.words[self.at.saturating_sub(4)..(self.at + 4).min(self.words.len())];
        if self.is(sign) {
            self.at += 1;
            Ok(())
        } else {
            Err(format!("'{sign}' is missing in {near:?}"))
        }
    }

    fn name(&mut self) -> Read<String> {
        match self.peek() {
            Some(Word::Name(n)) => {
                let name = n.clone();
                self.at += 1;
                Ok(name)
            }
            other => Err(format!("no name but {other:?}")),
        }
    }

    fn number(&mut self) -> Read<i64> {
        match self.peek() {
            Some(Word::Number(n)) => {
                let n = *n;
                self.at += 1;
                i64::try_from(n).map_err(|e| e.to_string())
            }
            other => Err(format!("no number but {other:?}")),
        }
    }

    /// A declaration, a line that names the output, a fact or a rule.
    fn item(&mut self, read: &mut Program) -> Read<()> {
        if self.form == Form::Clingo && self.takes("#") {
            self.expect("show")?;
            read.output = self.name()?.into();
            self.expect("/")?;
            self.number()?;
            return self.expect(".");
        }
        if self.form == Form::Mangle && self.takes("#") {
            self.expect("output")?;
            read.output = self.name()?.into();
            return Ok(());
        }
        if self.form == Form::Bddbddb && self.takes("Z") {
            return self.number().map(|_| ());
        }
        if self.form == Form::Ddlog && (self.is("output") || self.is("relation")) {
            return self.ddlog_relation(read);
        }
        let begun = self.at;
        if self.form == Form::Bddbddb && self.bddbddb_relation(read).is_ok() {
            return Ok(());
        }
        self.at = begun;
        self.clause(read)
    }

    fn bddbddb_relation(&mut self, read: &mut Program) -> Read<()> {
        let name = Name::from(self.name()?);
        self.expect("(")?;
        let mut attributes = Vec::new();
        while !self.takes(")") {
            let attribute = self.name()?;
            self.expect(":")?;
            self.expect("Z")?;
            attributes.push(Attribute { name: attribute.to_lowercase().into(), kind: Kind::Unsigned });
            self.takes(",");
        }
        self.takes("input");
        if self.takes("printtuples") {
            read.output = name.clone();
        }
        read.relations.push(Relation { name, attributes, qualifiers: Vec::new(), choice: Vec::new() });
        Ok(())
    }

    fn ddlog_relation(&mut self, read: &mut Program) -> Read<()> {
        let output = self.takes("output");
        self.expect("relation")?;
        let name = self.relation()?;
        self.expect("(")?;
        let mut attributes = Vec::new();
        while !self.takes(")") {
            let attribute = self.name()?;
            self.expect(":")?;
            let kind = match self.name()?.as_str() {
                "signed" => Kind::Number,
                "bit" => Kind::Unsigned,
                "double" => Kind::Float,
                "string" => Kind::Symbol,
                other => return Err(format!("'{other}' is no type")),
            };
            if self.takes("<") {
                self.number()?;
                self.expect(">")?;
            }
            attributes.push(Attribute { name: attribute.into(), kind });
            self.takes(",");
        }
        if output {
            read.output = name.clone();
        }
        read.relations.push(Relation { name, attributes, qualifiers: Vec::new(), choice: Vec::new() });
        Ok(())
    }

    fn relation(&mut self) -> Read<Name> {
        let name = self.name()?;
        match self.form {
            Form::Ddlog => {
                let first = name.chars().next().filter(char::is_ascii_uppercase);
                let first = first.ok_or_else(|| format!("the relation '{name}' has no capital"))?;
                Ok(format!("{}{}", first.to_ascii_lowercase(), &name[1..]).into())
            }
            _ => Ok(name.into()),
        }
    }

    fn clause(&mut self, read: &mut Program) -> Read<()> {
        let mut heads = vec![self.atom()?];
        while self.takes(",") {
            heads.push(self.atom()?);
        }
        if self.takes(".") {
            for head in heads {
                let values = head.args.into_iter().map(constant).collect::<Read<_>>()?;
                read.facts.push(Fact { relation: head.relation, values });
            }
            return Ok(());
        }
        self.expect(":-")?;
        let body = self.body()?;
        self.expect(".")?;
        read.rules.push(Rule { heads, body, plan: Vec::new() });
        Ok(())
    }

    /// CozoDB's list of tuples.
    fn facts(&mut self, relation: &str, read: &mut Program) -> Read<()> {
        self.expect("[")?;
        while !self.takes("]") {
            self.expect("[")?;
            let values = self.terms("]")?.into_iter().map(constant).collect::<Read<_>>()?;
            read.facts.push(Fact { relation: relation.into(), values });
            self.takes(",");
        }
        Ok(())
    }

    fn atom(&mut self) -> Read<Atom> {
        let relation = self.relation()?;
        let (open, close) = if self.form == Form::Cozo { ("[", "]") } else { ("(", ")") };
        self.expect(open)?;
        Ok(Atom { relation, args: self.terms(close)? })
    }

    /// Terms up to this sign; a comma may stand before it.
    fn terms(&mut self, close: &str) -> Read<Vec<Term>> {
        let mut terms = Vec::new();
        while !self.takes(close) {
            terms.push(self.sum()?);
            if !self.takes(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(terms)
    }

    fn body(&mut self) -> Read<Vec<Literal>> {
        let mut body = vec![self.literal()?];
        while self.takes(",") {
            if self.at == self.words.len() || self.is(";") {
                break;
            }
            body.push(self.literal()?);
        }
        Ok(body)
    }

    fn literal(&mut self) -> Read<Literal> {
        if self.takes("!") || self.takes("not") {
            return Ok(Literal::Not(self.atom()?));
        }
        if self.form == Form::Ddlog && self.takes("var") {
            return self.comparison();
        }
        let begun = self.at;
        let tried: [fn(&mut Reader) -> Read<Literal>; 4] =
            [Reader::comparison, Reader::test, |r| r.atom().map(Literal::Atom), Reader::disjunction];
        let mut why = String::new();
        for read in tried {
            self.at = begun;
            match read(self) {
                Ok(literal) => return Ok(literal),
                Err(said) => why = format!("{why}; {said}"),
            }
        }
        Err(why)
    }

    fn comparison(&mut self) -> Read<Literal> {
        let left = self.term()?;
        let comparison = match self.peek() {
            Some(Word::Sign("=" | "==")) => Comparison::Equal,
            Some(Word::Sign("!=")) => Comparison::NotEqual,
            Some(Word::Sign("<")) => Comparison::Less,
            Some(Word::Sign("<=")) => Comparison::LessEqual,
            Some(Word::Sign(">")) => Comparison::Greater,
            Some(Word::Sign(">=")) => Comparison::GreaterEqual,
            other => return Err(format!("no comparison but {other:?}")),
        };
        // DDlog would compare where we mean to bind, and the other way round.
        let binds =
            self.form == Form::Ddlog && self.at >= 2 && matches!(&self.words[self.at - 2], Word::Name(n) if n == "var");
        if self.form == Form::Ddlog && comparison == Comparison::Equal && binds != self.is("=") {
            return Err("'=' binds, '==' compares".into());
        }
        self.at += 1;
        Ok(Literal::Compare(comparison, left, self.term()?))
    }

    fn test(&mut self) -> Read<Literal> {
        let test = match self.name()?.as_str() {
            "str_includes" => Test::Contains,
            "starts_with" => Test::StartsWith,
            "ends_with" => Test::EndsWith,
            other => return Err(format!("'{other}' is no test")),
        };
        self.expect("(")?;
        let mut sides = self.terms(")")?;
        let part = sides.pop().ok_or("a test of nothing")?;
        let whole = sides.pop().ok_or("a test of one thing")?;
        Ok(Literal::Test(test, part, whole))
    }

    fn disjunction(&mut self) -> Read<Literal> {
        self.expect("(")?;
        let mut arms = vec![self.arm()?];
        while self.takes("or") {
            arms.push(self.arm()?);
        }
        self.expect(")")?;
        Ok(Literal::Or(arms))
    }

    /// One literal, or several in brackets.
    fn arm(&mut self) -> Read<Vec<Literal>> {
        let begun = self.at;
        if let Ok(literal) = self.literal() {
            return Ok(vec![literal]);
        }
        self.at = begun;
        self.expect("(")?;
        let body = self.body()?;
        self.expect(")")?;
        Ok(body)
    }

    /// CozoDB's least number is written as a difference; nothing else stands without brackets.
    fn sum(&mut self) -> Read<Term> {
        let left = self.term()?;
        if self.form == Form::Cozo && self.takes("-") {
            return Ok(Term::binary(Operator::Subtract, left, self.term()?));
        }
        Ok(left)
    }

    fn term(&mut self) -> Read<Term> {
        if self.takes("-") {
            if let Some(Word::Number(n)) = self.peek().cloned() {
                self.at += 1;
                let least = i64::try_from(-(n as i128)).map_err(|e| e.to_string())?;
                return Ok(Term::number(least));
            }
            return Ok(match self.term()? {
                Term::Constant(Constant::Float(f)) => Term::Constant(Constant::Float(-f)),
                other => Term::Negate(Box::new(other)),
            });
        }
        if self.form == Form::Clingo && self.takes("|") {
            let term = self.term()?;
            self.expect("|")?;
            return Ok(Term::Call(Function::Absolute, Box::new(term)));
        }
        if self.form == Form::Clingo && self.takes("#") {
            return self.clingo_aggregate();
        }
        if self.takes("(") {
            let left = self.term()?;
            if self.takes(")") {
                return Ok(left);
            }
            let operator = self.operator()?;
            let right = self.term()?;
            self.expect(")")?;
            return Ok(Term::binary(operator, left, right));
        }
        let word = self.peek().cloned().ok_or("the text ends here")?;
        self.at += 1;
        Ok(match word {
            Word::Number(n) => Term::number(i64::try_from(n).map_err(|e| e.to_string())?),
            Word::Float(f) => Term::Constant(Constant::Float(f)),
            Word::Text(t) => Term::Constant(Constant::Symbol(t.into())),
            Word::Sign("_") => Term::Wildcard,
            Word::Name(name) if self.is("(") => return self.call(&name),
            Word::Name(name) => words::variable(&name, self.form)?,
            Word::Sign(s) => return Err(format!("no term begins with '{s}'")),
        })
    }

    fn operator(&mut self) -> Read<Operator> {
        let word = self.peek().cloned().ok_or("the text ends here")?;
        self.at += 1;
        Ok(match (word, self.form) {
            (Word::Sign("+"), _) => Operator::Add,
            (Word::Sign("-"), _) => Operator::Subtract,
            (Word::Sign("*"), _) => Operator::Multiply,
            (Word::Sign("/"), _) => Operator::Divide,
            (Word::Sign("%"), _) | (Word::Sign("\\"), Form::Clingo) => Operator::Remainder,
            (Word::Sign("&"), _) => Operator::BitAnd,
            (Word::Sign("?"), Form::Clingo) | (Word::Sign("|"), Form::Ddlog) => Operator::BitOr,
            (Word::Sign("^"), _) => Operator::BitXor,
            (Word::Sign("++"), Form::Ddlog) => Operator::Concat,
            (other, _) => return Err(format!("no operator but {other:?}")),
        })
    }

    fn call(&mut self, name: &str) -> Read<Term> {
        self.expect("(")?;
        if name == "to_float" {
            let word = self.peek().cloned();
            self.at += 1;
            self.expect(")")?;
            let float = match word {
                Some(Word::Text(t)) if t == "NAN" => f64::NAN,
                Some(Word::Text(t)) if t == "INF" => f64::INFINITY,
                Some(Word::Text(t)) if t == "NEG_INF" => f64::NEG_INFINITY,
                other => return Err(format!("no float is called {other:?}")),
            };
            return Ok(Term::Constant(Constant::Float(float)));
        }
        let mut args = self.terms(")")?;
        let operator = match (name, args.len()) {
            ("length", 1) => return Ok(Term::Call(Function::Length, Box::new(args.remove(0)))),
            ("lowercase", 1) => return Ok(Term::Call(Function::Lower, Box::new(args.remove(0)))),
            ("uppercase", 1) => return Ok(Term::Call(Function::Upper, Box::new(args.remove(0)))),
            ("abs", 1) => return Ok(Term::Call(Function::Absolute, Box::new(args.remove(0)))),
            ("min", 2) => Operator::Min,
            ("max", 2) => Operator::Max,
            ("concat", 2) => Operator::Concat,
            ("mod", 2) => Operator::Remainder,
            ("fn:plus", 2) => Operator::Add,
            ("fn:minus", 2) => Operator::Subtract,
            ("fn:mult", 2) => Operator::Multiply,
            _ => return Err(format!("'{name}' is no functor")),
        };
        let (b, a) = (args.pop(), args.pop());
        a.zip(b).map(|(a, b)| Term::binary(operator, a, b)).ok_or_else(|| "a functor of nothing".into())
    }

    /// `#sum { target,variables : body }`: the variables only say that each solution counts.
    fn clingo_aggregate(&mut self) -> Read<Term> {
        let fold = match self.name()?.as_str() {
            "count" => Fold::Count,
            "sum" => Fold::Sum,
            "min" => Fold::Min,
            "max" => Fold::Max,
            other => return Err(format!("'{other}' is no fold")),
        };
        self.expect("{")?;
        let mut tuple = self.terms(":")?;
        let body = self.body()?;
        self.expect("}")?;
        let target = (fold != Fold::Count).then(|| tuple.remove(0));
        let mut counted = 0;
        body.iter().for_each(|l| l.each_var(&mut |_| counted += 1));
        let wildcards = body.iter().filter_map(|l| match l {
            Literal::Atom(a) => Some(a.args.iter().filter(|t| matches!(t, Term::Wildcard)).count()),
            _ => None,
        });
        // A wildcard of an atom was given a name in the text, so it stands in the tuple as well.
        if tuple.len() > counted + wildcards.sum::<usize>() {
            return Err("more in the tuple than in the body".into());
        }
        Ok(Term::Aggregate(Box::new(Aggregate { fold, target, body })))
    }
}
