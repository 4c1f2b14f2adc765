//! Characters, words and literals, as both forms write them.

use qualm::dialect::graph::{Form, GraphDialect, Kind};
use qualm::lang::graph::ast::{Literal, Special};

pub type Read<T> = Result<T, String>;

type Reader<'a, 'b, T> = &'b dyn Fn(&mut Scan<'a>) -> Read<T>;

pub struct Scan<'a> {
    pub text: &'a str,
    pub at: usize,
    pub dialect: &'a GraphDialect,
}

impl<'a> Scan<'a> {
    pub fn new(text: &'a str, dialect: &'a GraphDialect) -> Scan<'a> {
        Scan { text, at: 0, dialect }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    pub fn is(&self, sign: &str) -> bool {
        self.rest().starts_with(sign)
    }

    pub fn takes(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    pub fn expect(&mut self, sign: &str) -> Read<()> {
        if self.takes(sign) { Ok(()) } else { Err(format!("'{sign}' is missing before '{}'", self.rest())) }
    }

    pub fn done(&self) -> Read<()> {
        if self.is_done() { Ok(()) } else { Err(format!("'{}' is left", self.rest())) }
    }

    /// The first of these that can be read here.
    pub fn either<T>(&mut self, tried: &[Reader<'a, '_, T>]) -> Read<T> {
        let begun = self.at;
        let mut why = String::new();
        for read in tried {
            self.at = begun;
            match read(self) {
                Ok(found) => return Ok(found),
                Err(said) => why = format!("{why}{said}; "),
            }
        }
        Err(why)
    }

    /// Letters, digits and the underscore; may be empty.
    pub fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    pub fn name(&mut self) -> Read<String> {
        match self.word() {
            "" => Err(format!("no name but '{}'", self.rest())),
            word => Ok(word.into()),
        }
    }

    pub fn integer(&mut self) -> Read<i64> {
        let rest = self.rest();
        let end = rest.char_indices().find(|(i, c)| !(c.is_ascii_digit() || *i == 0 && *c == '-'));
        let digits = &rest[..end.map_or(rest.len(), |(i, _)| i)];
        self.at += digits.len();
        digits.parse().map_err(|e| format!("'{digits}': {e}"))
    }

    fn float(&mut self) -> Read<f64> {
        let rest = self.rest();
        let part = |i: usize, c: char| {
            c.is_ascii_digit() || c == '.' || c == 'e' || c == '-' && (i == 0 || rest.as_bytes()[i - 1] == b'e')
        };
        let end = rest.char_indices().find(|(i, c)| !part(*i, *c)).map_or(rest.len(), |(i, _)| i);
        let digits = &rest[..end];
        if !digits.contains('.') {
            return Err(format!("'{digits}' is no float"));
        }
        self.at += end;
        digits.parse().map_err(|e| format!("'{digits}': {e}"))
    }

    pub fn quoted(&mut self) -> Read<String> {
        self.expect("'")?;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '\'' => {
                    self.at += i + 1;
                    return Ok(text);
                }
                '\\' => text.push(chars.next().ok_or("a text without an end")?.1),
                other => text.push(other),
            }
        }
        Err("a text without an end".into())
    }

    /// What stands where `{}` is in the template.
    fn within(&mut self, template: &str) -> Read<&'a str> {
        let (before, after) = template.split_once("{}").ok_or("a template without a place")?;
        self.expect(before)?;
        let rest = self.rest();
        let end = rest.find(after).ok_or("a template without an end")?;
        self.at += end + after.len();
        Ok(&rest[..end])
    }

    fn point(&mut self) -> Read<Literal> {
        let template = self.dialect.template(Kind::Point).unwrap_or("point({longitude: {x}, latitude: {y}})");
        let (x_at, y_at) = (template.find("{x}").ok_or("no x")?, template.find("{y}").ok_or("no y")?);
        let swapped = y_at < x_at;
        let (first, second) = (x_at.min(y_at), x_at.max(y_at));
        self.expect(&template[..first])?;
        let a = self.float()?;
        self.expect(&template[first + 3..second])?;
        let b = self.float()?;
        self.expect(&template[second + 3..])?;
        Ok(if swapped { Literal::Point(b, a) } else { Literal::Point(a, b) })
    }

    pub fn literal(&mut self) -> Read<Literal> {
        let d = self.dialect;
        let specials =
            [(d.nan, Special::Nan), (d.infinity, Special::Infinity), (d.negative_infinity, Special::NegativeInfinity)];
        for (text, special) in specials {
            if text.is_some_and(|t| self.takes(t)) {
                return Ok(Literal::Special(special));
            }
        }
        type Make = fn(&str) -> Literal;
        let dated: [(Kind, &str, Make); 3] = [
            (Kind::Date, "date('{}')", |t| Literal::Date(t.into())),
            (Kind::LocalTime, "localtime('{}')", |t| Literal::LocalTime(t.into())),
            (Kind::Duration, "duration('{}')", |t| Literal::Duration(t.into())),
        ];
        let begun = self.at;
        for (kind, usual, make) in dated {
            if let Ok(plain) = self.within(d.template(kind).unwrap_or(usual)) {
                return Ok(make(plain));
            }
            self.at = begun;
        }
        if let Ok(point) = self.point() {
            return Ok(point);
        }
        self.at = begun;
        if self.is("'") {
            return self.quoted().map(Literal::Text);
        }
        if self.takes("[") {
            let mut members = Vec::new();
            while !self.takes("]") {
                members.push(self.literal()?);
                self.takes(", ");
            }
            return Ok(Literal::List(members));
        }
        self.plain(begun)
    }

    /// Truth values and numbers, in the dialect's own way if it has one.
    fn plain(&mut self, begun: usize) -> Read<Literal> {
        let d = self.dialect;
        for (word, value) in [("null", Literal::Null), ("true", Literal::Bool(true)), ("false", Literal::Bool(false))] {
            if self.word() == word {
                return Ok(value);
            }
            self.at = begun;
        }
        let wrapped = |kind: Kind| d.template(kind).filter(|t| *t != "{}");
        if wrapped(Kind::Bool).or(wrapped(Kind::Int)).or(wrapped(Kind::Float)).is_some() {
            return Err("a template for plain values: read it here".into());
        }
        if let Ok(float) = self.float() {
            if d.form == Form::Gremlin && d.template(Kind::Float).is_none() {
                self.expect("d")?;
            }
            return Ok(Literal::Float(float));
        }
        self.at = begun;
        self.integer().map(Literal::Int)
    }
}
