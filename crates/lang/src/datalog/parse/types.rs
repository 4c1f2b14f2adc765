//! Types of the Soufflé dialect: names for kinds, unions, records and algebraic types, which may all come later in the
//! text than what uses them.

use super::*;

/// A record or an algebraic type as it is written: branches with names of fields and their types. That of a record has
/// no name.
#[derive(Clone)]
pub(super) struct Declared {
    pub name: String,
    pub branches: Vec<(String, Vec<(String, String)>)>,
}

/// What a declaration says.
pub(super) enum Type {
    /// A name for one of these types; nothing where it is a kind of symbol of its own.
    Name(String, Vec<String>),
    Built(Declared),
}

impl Type {
    pub fn name(&self) -> &str {
        match self {
            Type::Name(name, _) => name,
            Type::Built(declared) => &declared.name,
        }
    }
}

impl Parser {
    pub(super) fn kind(&self, name: &str) -> Read<Kind> {
        self.kind_within(name, 0)
    }

    fn kind_within(&self, name: &str, depth: usize) -> Read<Kind> {
        match name {
            "number" => Ok(Kind::Number),
            "unsigned" => Ok(Kind::Unsigned),
            "float" => Ok(Kind::Float),
            "symbol" => Ok(Kind::Symbol),
            other => {
                if let Some(at) = self.built.iter().position(|t| t.name == other) {
                    return u16::try_from(at).map(Kind::Built).map_err(|_| "too many types".into());
                }
                let unknown = || format!("the type '{other}' is not known");
                let (_, members) = self.types.iter().find(|(n, _)| n == other).ok_or_else(unknown)?;
                if depth > self.types.len() {
                    return Err(format!("the type '{other}' is made of itself"));
                }
                members.first().map_or(Ok(Kind::Symbol), |m| self.kind_within(m, depth + 1))
            }
        }
    }

    /// All types of the text; those that cannot be read are reported when their turn comes.
    pub(super) fn collect_types(&mut self) {
        for at in 0..self.tokens.len() {
            let Token::Directive(directive) = &self.tokens[at].0 else { continue };
            let base = match directive.as_str() {
                "number_type" => Some("number"),
                "symbol_type" => Some("symbol"),
                "type" => None,
                _ => continue,
            };
            self.at = at + 1;
            let read = match base {
                Some(base) => self.name().map(|name| Type::Name(name, vec![base.to_owned()])),
                None => self.type_declaration(),
            };
            match read {
                Ok(Type::Name(name, members)) => self.types.push((name, members)),
                Ok(Type::Built(declared)) => self.built.push(declared),
                Err(_) => {}
            }
        }
        self.at = 0;
    }

    /// The records and algebraic types with kinds for their fields. One that has a field of an unknown type keeps its
    /// place, and has no branches.
    pub(super) fn built_types(&self) -> Vec<BuiltType> {
        let attribute = |(name, kind): &(String, String)| -> Read<Attribute> {
            Ok(Attribute { name: name.into(), kind: self.kind(kind)? })
        };
        let branch = |(name, fields): &(String, Vec<(String, String)>)| -> Read<Branch> {
            Ok(Branch { name: name.into(), fields: fields.iter().map(attribute).collect::<Read<_>>()? })
        };
        let made = |t: &Declared| BuiltType {
            name: t.name.clone().into(),
            branches: t.branches.iter().map(branch).collect::<Read<_>>().unwrap_or_default(),
        };
        self.built.iter().map(made).collect()
    }

    pub(super) fn type_declaration(&mut self) -> Read<Type> {
        let name = self.name()?;
        let mut members = Vec::new();
        if self.takes("<:") {
            members.push(self.name()?);
        } else if self.takes("=") {
            if self.takes("[") {
                let fields = self.fields("]")?;
                return Ok(Type::Built(Declared { name, branches: vec![(String::new(), fields)] }));
            }
            let mut branches = Vec::new();
            loop {
                members.push(self.name()?);
                if self.takes("{") {
                    let branch = members.pop().unwrap_or_default();
                    branches.push((branch, self.fields("}")?));
                }
                if !self.takes("|") {
                    break;
                }
            }
            if !branches.is_empty() {
                let built = Type::Built(Declared { name, branches });
                return if members.is_empty() { Ok(built) } else { Err("a branch without fields in brackets".into()) };
            }
        }
        Ok(Type::Name(name, members))
    }

    /// Names and types up to the closing bracket.
    fn fields(&mut self, end: &str) -> Read<Vec<(String, String)>> {
        let mut fields = Vec::new();
        while !self.takes(end) {
            let name = self.name()?;
            self.expect(":")?;
            fields.push((name, self.name()?));
            if !self.takes(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(fields)
    }
}
