//! Random calls of functions and aggregates that the engine's own catalogue names, beside those that a dialect lists by
//! hand. What they take and give is in the dialect's file; whether this release has them was asked at the start.

use super::ast::*;
use super::generate::Generator;
use super::profile::catalogue_bit;
use super::schema::Taint;
use qualm_core::dialect::sql::{FunctionSpec, Kind, Param};

impl Generator<'_> {
    pub(super) fn has_catalogue(&self) -> bool {
        !(self.dialect().catalogue)().scalars.is_empty()
    }

    /// A call that gives this kind, where there is one.
    pub(super) fn catalogued_call(&mut self, kind: Kind, depth: u32) -> Option<Expr> {
        let all = &(self.dialect().catalogue)().scalars;
        // A few looks instead of a list of all that fit: there are hundreds.
        let (at, spec) = (0..24).find_map(|_| {
            let at = (!all.is_empty()).then(|| self.rng.below(all.len()))?;
            let fits = all[at].result == kind && self.profile.has_catalogued(at) && self.can_call(&all[at]);
            fits.then(|| (at, &all[at]))
        })?;
        self.used.add(catalogue_bit(at));
        let args = spec.params.iter().map(|p| self.argument(*p, spec.name, kind, depth)).collect();
        Some(Expr::call(spec.name, args))
    }

    fn can_call(&self, spec: &FunctionSpec) -> bool {
        spec.params.iter().all(|p| !matches!(p, Param::Of(k) if !self.is_at_hand(*k)))
    }

    /// An aggregate over columns of the query at hand; of this kind, where one is wanted.
    pub(super) fn catalogued_aggregate(&mut self, wanted: Option<Kind>) -> Option<Expr> {
        let all = (self.dialect().catalogue)();
        let count = all.aggregates.len();
        let (at, spec) = (0..8).find_map(|_| {
            let at = (count > 0).then(|| self.rng.below(count))?;
            let spec = &all.aggregates[at];
            let fits = wanted.is_none_or(|kind| kind == spec.result);
            let there = self.profile.has_catalogued(all.scalars.len() + at);
            (fits && there && self.can_call(spec)).then_some((at, spec))
        })?;
        let mut args = Vec::with_capacity(spec.params.len());
        for param in spec.params {
            match param {
                Param::Of(kind) => {
                    let fits = |t: &super::schema::Traits| t.kind == *kind && t.taint == Taint::Clear && t.exact;
                    args.push(self.own_column(fits).pop()?);
                }
                other => args.push(self.argument(*other, spec.name, spec.result, 0)),
            }
        }
        self.used.add(catalogue_bit(all.scalars.len() + at));
        let function = spec.name.into();
        Some(Expr::Aggregate(Box::new(Aggregate { function, args, distinct: false, filter: None })))
    }
}
