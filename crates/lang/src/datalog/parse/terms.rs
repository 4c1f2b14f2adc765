//! Terms of the Soufflé dialect, loosest operators first, and questions about symbols.

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
            Token::Name(name) => self.named(&name),
            _ => {
                self.at -= 1;
                Err("this term is not supported".into())
            }
        }
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
                _ => None,
            },
            _ => None,
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
        if let Some(fold) = fold.filter(|_| !self.is("(")) {
            return self.aggregate(fold);
        }
        if !self.takes("(") {
            let at = self.vars.iter().position(|v| v == name).unwrap_or_else(|| {
                self.vars.push(name.to_owned());
                self.vars.len() - 1
            });
            return Ok(Term::Var(at as Var));
        }
        let mut args = vec![self.term()?];
        while self.takes(",") {
            args.push(self.term()?);
        }
        self.expect(")")?;
        let operator = match (name, args.len()) {
            ("strlen", 1) => return Ok(Term::Call(Function::Length, Box::new(args.remove(0)))),
            ("to_string", 1) => return Ok(Term::Call(Function::ToText, Box::new(args.remove(0)))),
            ("to_number", 1) => return Ok(Term::Call(Function::ToNumber, Box::new(args.remove(0)))),
            ("min", 2..) => Operator::Min,
            ("max", 2..) => Operator::Max,
            ("cat", 2..) => Operator::Concat,
            _ => return Err(format!("the functor '{name}' is not supported")),
        };
        args.into_iter().reduce(|a, b| Term::binary(operator, a, b)).ok_or_else(|| "a functor of nothing".into())
    }

    fn aggregate(&mut self, fold: Fold) -> Read<Term> {
        let target = if fold == Fold::Count { None } else { Some(self.term()?) };
        self.expect(":")?;
        let body = if self.takes("{") {
            let body = self.disjunction()?;
            self.expect("}")?;
            body
        } else {
            vec![Literal::Atom(self.atom()?)]
        };
        Ok(Term::Aggregate(Box::new(Aggregate { fold, target, body })))
    }
}
