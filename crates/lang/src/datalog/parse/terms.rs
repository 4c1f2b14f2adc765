//! Terms of the Soufflé dialect, loosest operators first, and questions about symbols.

use super::super::patterns;
use super::*;

impl Parser {
    pub(super) fn term(&mut self) -> Read<Term> {
        let mut left = self.sum()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Name(n)) if n == "band" => Operator::BitAnd,
                Some(Token::Name(n)) if n == "bor" => Operator::BitOr,
                Some(Token::Name(n)) if n == "bxor" => Operator::BitXor,
                Some(Token::Name(n)) if n == "bshl" => Operator::ShiftLeft,
                Some(Token::Name(n)) if n == "bshr" => Operator::ShiftRight,
                Some(Token::Name(n)) if n == "bshru" => Operator::ShiftRightUnsigned,
                Some(Token::Name(n)) if n == "land" => Operator::LogicalAnd,
                Some(Token::Name(n)) if n == "lor" => Operator::LogicalOr,
                Some(Token::Name(n)) if n == "lxor" => Operator::LogicalXor,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Term::binary(operator, left, self.sum()?);
        }
    }

    fn sum(&mut self) -> Read<Term> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Sign("+")) => Operator::Add,
                Some(Token::Sign("-")) => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Term::binary(operator, left, self.product()?);
        }
    }

    fn product(&mut self) -> Read<Term> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Sign("*")) => Operator::Multiply,
                Some(Token::Sign("/")) => Operator::Divide,
                Some(Token::Sign("%")) => Operator::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Term::binary(operator, left, self.unary()?);
        }
    }

    fn unary(&mut self) -> Read<Term> {
        if !self.takes("-") {
            if self.takes_name("lnot") {
                return Ok(Term::Call(Function::LogicalNot, Box::new(self.unary()?)));
            }
            if self.takes_name("bnot") {
                return Ok(Term::Call(Function::BitNot, Box::new(self.unary()?)));
            }
            let term = self.primary()?;
            // The tightest of all, and from right to left.
            return if self.takes("^") { Ok(Term::binary(Operator::Power, term, self.unary()?)) } else { Ok(term) };
        }
        Ok(match self.unary()? {
            Term::Constant(Constant::Number(n)) => Term::number(-n),
            Term::Constant(Constant::Unsigned(n)) if n == 1 << 63 => Term::number(i64::MIN),
            Term::Constant(Constant::Float(f)) => Term::Constant(Constant::Float(-f)),
            other => Term::Negate(Box::new(other)),
        })
    }

    fn primary(&mut self) -> Read<Term> {
        match self.next()? {
            Token::Number(n) => Ok(Term::number(n)),
            Token::Unsigned(n) => Ok(Term::Constant(Constant::Unsigned(n))),
            Token::Float(f) => Ok(Term::Constant(Constant::Float(f))),
            Token::Text(t) => Ok(Term::Constant(Constant::Symbol(t.into()))),
            Token::Sign("_") => Ok(Term::Wildcard),
            Token::Sign("(") => {
                let term = self.term()?;
                self.expect(")")?;
                Ok(term)
            }
            Token::Sign("[") => {
                let fields = self.arguments("]")?;
                Ok(Term::Build(Box::new(Build { kind: fit::UNKNOWN, branch: Some("".into()), fields })))
            }
            Token::Sign("$") => self.branch(),
            Token::Name(name) if name == "nil" => {
                Ok(Term::Build(Box::new(Build { kind: fit::UNKNOWN, branch: None, fields: Vec::new() })))
            }
            Token::Name(name) => self.named(&name),
            _ => {
                self.at -= 1;
                Err("this term is not supported".into())
            }
        }
    }

    /// `$Leaf(x)`, or `$Leaf` where it has no fields. Branches of all types have different names.
    fn branch(&mut self) -> Read<Term> {
        let Ok(name) = self.name() else { return Ok(Term::Apply(Functor::Counter, Vec::new())) };
        let has = |t: &types::Declared| t.branches.iter().any(|(branch, _)| *branch == name);
        let at = self.built.iter().position(has).ok_or_else(|| format!("there is no branch '{name}'"))?;
        let fields = if self.takes("(") { self.arguments(")")? } else { Vec::new() };
        Ok(Term::Build(Box::new(Build { kind: at as u16, branch: Some(name.into()), fields })))
    }

    /// Terms up to the closing bracket.
    fn arguments(&mut self, end: &str) -> Read<Vec<Term>> {
        let mut args = Vec::new();
        while !self.takes(end) {
            args.push(self.term()?);
            if !self.takes(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(args)
    }

    /// `contains(part, whole)`, and of the patterns those that say how a symbol begins or ends.
    pub(super) fn test(&mut self, word: &str) -> Read<Literal> {
        self.expect("(")?;
        let place = self.at;
        let part = self.term()?;
        self.expect(",")?;
        let whole = self.term()?;
        self.expect(")")?;
        if word == "contains" {
            return Ok(Literal::Test(Test::Contains, part, whole));
        }
        let plain = |s: &str| s.bytes().all(|b| b.is_ascii_alphanumeric());
        let test = match &part {
            // A pattern without anything special in it matches itself.
            Term::Constant(Constant::Symbol(s)) if s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ') => {
                return Ok(Literal::Compare(Comparison::Equal, part, whole));
            }
            Term::Constant(Constant::Symbol(s)) => match (s.strip_prefix(".*"), s.strip_suffix(".*")) {
                (_, Some(start)) if plain(start) => Some((Test::StartsWith, start.into())),
                (Some(end), _) if plain(end) => Some((Test::EndsWith, end.into())),
                _ if patterns::is_known(s) => Some((Test::Matches, s.clone())),
                _ => None,
            },
            Term::Wildcard => None,
            _ => return Ok(Literal::Test(Test::Matches, part, whole)),
        };
        let Some((test, symbol)) = test else {
            self.at = place;
            return Err("this pattern is not supported".into());
        };
        Ok(Literal::Test(test, Term::Constant(Constant::Symbol(symbol)), whole))
    }

    fn named(&mut self, name: &str) -> Read<Term> {
        let fold = match name {
            "count" => Some(Fold::Count),
            "sum" => Some(Fold::Sum),
            "min" => Some(Fold::Min),
            "max" => Some(Fold::Max),
            "mean" => Some(Fold::Mean),
            _ => None,
        };
        if let Some(fold) = fold.filter(|_| !self.is("(") || self.folds_a_group()) {
            return self.aggregate(fold);
        }
        if !self.takes("(") {
            let at = self.vars.iter().position(|v| v == name).unwrap_or_else(|| {
                self.vars.push(name.to_owned());
                self.vars.len() - 1
            });
            return Ok(Term::Var(at as Var));
        }
        if name == "autoinc" {
            return self.expect(")").map(|()| Term::Apply(Functor::Counter, Vec::new()));
        }
        if name == "as" {
            return self.taken_as();
        }
        let mut args = vec![self.term()?];
        while self.takes(",") {
            args.push(self.term()?);
        }
        self.expect(")")?;
        let function = match name {
            "strlen" => Some(Function::Length),
            "to_string" => Some(Function::ToText),
            "to_number" => Some(Function::ToNumber),
            "to_unsigned" => Some(Function::ToUnsigned),
            "to_float" => Some(Function::ToFloat),
            "ord" => Some(Function::Ordinal),
            _ => None,
        };
        if let (Some(function), 1) = (function, args.len()) {
            return Ok(Term::Call(function, Box::new(args.remove(0))));
        }
        let operator = match (name, args.len()) {
            ("substr", 3) => return Ok(Term::Apply(Functor::Substring, args)),
            ("range", 2 | 3) => return Ok(Term::Apply(Functor::Range, args)),
            ("min", 2..) => Operator::Min,
            ("max", 2..) => Operator::Max,
            ("cat", 2..) => Operator::Concat,
            _ => return Err(format!("the functor '{name}' is not supported")),
        };
        args.into_iter().reduce(|a, b| Term::binary(operator, a, b)).ok_or_else(|| "a functor of nothing".into())
    }

    /// Whether what is in brackets here is the beginning of what an aggregate folds: `max (a / b) : r(a, b)`.
    fn folds_a_group(&self) -> bool {
        let mut depth = 0;
        for (at, (token, _)) in self.tokens[self.at..].iter().enumerate() {
            match token {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return matches!(self.tokens.get(self.at + at + 1), Some((Token::Sign(":"), _)));
            }
        }
        false
    }

    /// `as(x, type)`: the same value, where the type has the same kind of values.
    fn taken_as(&mut self) -> Read<Term> {
        let term = self.term()?;
        self.expect(",")?;
        let name = self.name()?;
        self.expect(")")?;
        // One of another kind is refused where it does not fit.
        self.kind(&name).map(|_| term)
    }

    fn aggregate(&mut self, fold: Fold) -> Read<Term> {
        let before = self.vars.len();
        let target = if fold == Fold::Count { None } else { Some(self.term()?) };
        self.expect(":")?;
        let body = if self.takes("{") {
            let body = self.disjunction()?;
            self.expect("}")?;
            body
        } else {
            vec![Literal::Atom(self.atom()?)]
        };
        let mut aggregate = Term::Aggregate(Box::new(Aggregate { fold, target, body }));
        self.own_target(&mut aggregate, before);
        Ok(aggregate)
    }

    /// What is folded belongs to the aggregate, also where a variable outside has the same name. `before` is how many
    /// variables there were before it.
    fn own_target(&mut self, term: &mut Term, before: usize) {
        let Term::Aggregate(aggregate) = &*term else { return };
        let mut own: Vec<Var> = Vec::new();
        aggregate.target.iter().for_each(|t| t.each_var(&mut |v| own.push(v)));
        own.sort_unstable();
        own.dedup();
        // A name that no text has: what comes behind the aggregate is another variable.
        let hidden = |at: usize| format!("{at} of an aggregate");
        own.iter().filter(|v| **v as usize >= before).for_each(|v| self.vars[*v as usize] = hidden(*v as usize));
        own.retain(|v| (*v as usize) < before);
        let first = self.vars.len() as Var;
        self.vars.extend((0..own.len()).map(|i| hidden(first as usize + i)));
        term.each_var_mut(&mut |v| {
            if let Some(at) = own.iter().position(|o| o == v) {
                *v = first + at as Var;
            }
        });
    }
}
