//! Whether values are of the types that a program declares, and whether a dialect has such types.

use super::*;

/// Whether the dialect has values of this kind.
pub fn has_kind(program: &Program, dialect: &DatalogDialect, kind: Kind) -> bool {
    match kind {
        Kind::Built(at) => program.types.get(usize::from(at)).is_some_and(|t| has_type(program, dialect, t)),
        kind => dialect.kinds.contains(&kind) || dialect.loose_kinds.contains(&kind),
    }
}

/// Whether the dialect has such a type. One that needs itself in every branch has no values.
fn has_type(program: &Program, dialect: &DatalogDialect, t: &BuiltType) -> bool {
    let part = if t.is_record() { Part::Records } else { Part::Variants };
    let fine = |a: &Attribute| match a.kind {
        Kind::Built(at) => usize::from(at) < program.types.len(),
        kind => has_kind(program, dialect, kind),
    };
    let named = t.is_record() || t.branches.iter().all(|b| !b.name.is_empty());
    dialect.has(part) && named && !t.branches.is_empty() && t.branches.iter().flat_map(|b| &b.fields).all(fine)
}

/// Whether a value is one of its type, and so on in it.
pub(super) fn is_of_type(value: &Constant, program: &Program) -> bool {
    let Constant::Built(b) = value else { return true };
    let Some(t) = program.types.get(usize::from(b.kind)) else { return false };
    let Some(name) = &b.branch else { return t.is_record() && b.fields.is_empty() };
    t.branch(name).is_some_and(|branch| {
        branch.fields.len() == b.fields.len()
            && branch.fields.iter().zip(&b.fields).all(|(a, f)| a.kind == f.kind() && is_of_type(f, program))
    })
}

impl RuleCheck<'_> {
    pub(super) fn built_kind(&self, b: &Build, kinds: &mut Kinds) -> Result<Option<Kind>, String> {
        let Some(t) = self.program.types.get(usize::from(b.kind)) else {
            return Err("a value whose type is not known".into());
        };
        if !has_type(self.program, self.dialect, t) {
            return Err(format!("the dialect has no type like '{}'", t.name));
        }
        let fields = match &b.branch {
            None if t.is_record() => &[],
            None => return Err(format!("'{}' has no nil", t.name)),
            Some(name) => {
                t.branch(name).ok_or_else(|| format!("'{}' has no branch '{name}'", t.name))?.fields.as_slice()
            }
        };
        if fields.len() != b.fields.len() {
            return Err(format!("a value of '{}' with {} fields", t.name, b.fields.len()));
        }
        for (field, term) in fields.iter().zip(&b.fields) {
            self.kind(term, Some(field.kind), kinds)?;
        }
        Ok(Some(Kind::Built(b.kind)))
    }
}
