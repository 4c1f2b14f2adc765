//! Records and algebraic types: random types, values of them, terms that make such values and take them apart.

use super::*;

/// Values nested deeper than this are not made.
const DEEP: usize = 2;
/// Values of each type to choose from.
const VALUES: usize = 4;

impl Generator<'_> {
    /// Now and then types of the program's own, with values of them in the pool. What a field holds is exact: a value
    /// is told apart by its text.
    pub(super) fn types(&mut self, growing: &mut Growing) {
        let parts: Vec<Part> =
            [Part::Records, Part::Variants].into_iter().filter(|part| self.dialect.has(*part)).collect();
        if parts.is_empty() || !self.percent(self.parameters.built) {
            return;
        }
        for _ in 0..self.rng.range(1, 2) {
            let at = growing.program.types.len();
            let Ok(kind) = u16::try_from(at).map(Kind::Built) else { return };
            let fields: Vec<Kind> =
                growing.pool.iter().map(|(kind, _)| *kind).filter(|kind| *kind != Kind::Float).collect();
            if fields.is_empty() {
                return;
            }
            let taken = |name: &str, p: &Program| p.types.iter().any(|t| t.name == name);
            let number = (at..).find(|i| !taken(&format!("T{i}"), &growing.program)).unwrap_or(at);
            let record = *self.rng.pick(&parts) == Part::Records;
            let names: Vec<Name> = match record {
                true => vec!["".into()],
                false => (0..self.rng.range(2, 3)).map(|i| format_smolstr!("B{number}_{i}")).collect(),
            };
            let branches = names.into_iter().enumerate().map(|(i, name)| {
                let most = if record { 3 } else { 2 };
                let count = self.rng.range(usize::from(record), most);
                // The first branch of a type, which every value can end with, does not need the type itself.
                let own = record || i > 0;
                let field = |i: usize| {
                    let kind = if own && self.rng.chance(1, 6) { kind } else { *self.rng.pick(&fields) };
                    Attribute { name: format_smolstr!("f{i}"), kind }
                };
                Branch { name, fields: (0..count).map(field).collect() }
            });
            let branches = branches.collect();
            growing.program.types.push(BuiltType { name: format_smolstr!("T{number}"), branches });
            let mut values: Vec<Constant> = (0..VALUES).map(|_| self.built_value(growing, kind, 0)).collect();
            values.dedup();
            growing.pool.push((kind, values));
        }
    }

    /// A value of a type.
    pub(super) fn built_value(&mut self, growing: &Growing, kind: Kind, depth: usize) -> Constant {
        let Kind::Built(at) = kind else { return self.pooled(growing, kind) };
        let nil = || Constant::Built(Box::new(BuiltValue { kind: at, branch: None, fields: Vec::new() }));
        let Some(t) = growing.program.types.get(usize::from(at)) else { return nil() };
        if t.branches.is_empty() || t.is_record() && (depth > DEEP || self.rng.chance(1, 8)) {
            return nil();
        }
        let branch = if depth > DEEP { &t.branches[0] } else { self.rng.pick(&t.branches) };
        let fields = branch.fields.iter().map(|f| match f.kind {
            Kind::Built(_) => self.built_value(growing, f.kind, depth + 1),
            kind => self.pooled(growing, kind),
        });
        let fields = fields.collect();
        Constant::Built(Box::new(BuiltValue { kind: at, branch: Some(branch.name.clone()), fields }))
    }

    /// A pattern that this value fits, with variables for some of its fields.
    pub(super) fn pattern(&mut self, value: &BuiltValue, witness: &mut Witness) -> Term {
        let fields = value.fields.iter().map(|field| {
            let same: Vec<Var> = (0..witness.values.len())
                .filter(|v| witness.values[*v].as_ref() == Some(field))
                .map(|v| v as Var)
                .collect();
            match field {
                Constant::Built(inner) if self.rng.chance(1, 3) => self.pattern(inner, witness),
                _ if self.percent(self.parameters.wildcard) => Term::Wildcard,
                _ if self.percent(self.parameters.constant) => Term::Constant(field.clone()),
                _ if !same.is_empty() && self.percent(self.parameters.join) => Term::Var(*self.rng.pick(&same)),
                _ => witness.fresh(field.clone()),
            }
        });
        let fields = fields.collect();
        Build { kind: value.kind, branch: value.branch.clone(), fields }.folded()
    }

    /// A term that makes a value of a type out of variables and constants.
    pub(super) fn build(&mut self, kind: Kind, growing: &Growing, witness: &Witness) -> Option<Term> {
        let Kind::Built(at) = kind else { return None };
        let t = growing.program.types.get(usize::from(at)).filter(|t| !t.branches.is_empty())?;
        let branch = self.rng.pick(&t.branches);
        let mut fields = Vec::with_capacity(branch.fields.len());
        for field in &branch.fields {
            let vars = witness.of_kind(field.kind);
            fields.push(match vars.is_empty() || self.rng.chance(1, 5) {
                true => Term::Constant(self.pooled(growing, field.kind)),
                false => Term::Var(*self.rng.pick(&vars)),
            });
        }
        Some(Build { kind: at, branch: Some(branch.name.clone()), fields }.folded())
    }
}
