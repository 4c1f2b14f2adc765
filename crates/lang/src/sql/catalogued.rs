//! Random calls of functions and aggregates that the engine's own catalogue names, beside those that a dialect lists by
//! hand. What they take and give is in the dialect's file; whether this release has them was asked at the start.

use super::ast::*;
use super::generate::Generator;
use super::profile::catalogue_bit;
use super::schema::Taint;
use qualm_core::dialect::sql::{FunctionSpec, Kind, Param};

/// Of so many calls one may take constants of a kind that the database is not about.
pub(super) const ELSEWHERE: u32 = 8;
/// Functions that are looked at for one that was never called.
const LOOKS: u32 = 4;

impl Generator<'_> {
    pub(super) fn has_catalogue(&self) -> bool {
        !self.dialect().catalogued().scalars.is_empty()
    }

    /// A call that gives this kind, where there is one.
    pub(super) fn catalogued_call(&mut self, kind: Kind, depth: u32) -> Option<Expr> {
        let all = &self.dialect().catalogued().scalars;
        let anywhere = self.rng.chance(1, ELSEWHERE);
        // A few looks instead of a list of all that fit: there are hundreds.
        let mut found = None;
        let mut fitting = 0;
        for _ in 0..if all.is_empty() { 0 } else { 24 } {
            let at = self.rng.below(all.len());
            if all[at].result != kind || !self.profile.has_catalogued(at) || !self.can_call(&all[at], anywhere) {
                continue;
            }
            let new = self.profile.is_untried(catalogue_bit(at));
            if new || found.is_none() {
                found = Some(at);
            }
            fitting += 1;
            if new || fitting == LOOKS {
                break;
            }
        }
        let at = found?;
        let spec = &all[at];
        self.used.add(catalogue_bit(at));
        let args = spec.params.iter().map(|p| self.argument(*p, spec.name, kind, depth)).collect();
        Some(Expr::call(spec.name, args))
    }

    /// Whether the database has values of all that it takes; or the engine, where constants will do.
    pub(super) fn can_call(&self, spec: &FunctionSpec, anywhere: bool) -> bool {
        spec.params.iter().all(|p| match p {
            Param::Of(k) => self.is_at_hand(*k) || anywhere && self.profile.has_kind(*k),
            _ => true,
        })
    }

    /// An aggregate over columns of the query at hand; of this kind, where one is wanted.
    pub(super) fn catalogued_aggregate(&mut self, wanted: Option<Kind>) -> Option<Expr> {
        let all = self.dialect().catalogued();
        let count = all.aggregates.len();
        let (at, spec) = (0..8).find_map(|_| {
            let at = (count > 0).then(|| self.rng.below(count))?;
            let spec = &all.aggregates[at];
            let fits = wanted.is_none_or(|kind| kind == spec.result);
            let there = self.profile.has_catalogued(all.scalars.len() + at);
            (fits && there && self.can_call(spec, false)).then_some((at, spec))
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
