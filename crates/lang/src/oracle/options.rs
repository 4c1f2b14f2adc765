//! One program under different switches (Mozi's idea, ICSE 2024, for Datalog; Deopt, FSE 2024, varies them too).
//!
//! Claim: switches and qualifiers that only affect the evaluation do not change what a program derives. The
//! first run has none, and no qualifiers; the second has both.
//!
//! ```text
//! .decl r(x:number)                    derives the same as
//! .decl r(x:number) inline             with magic sets on
//! ```

use super::datalog::{DatalogOracle, same};
use super::{Derived, NOTHING};
use crate::datalog::ast::Program;
use crate::datalog::rules::user::UserRule;
use crate::datalog::source::{self, DatalogSource};
use qualm_core::case::Step;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::rng::Rng;

pub const SPEC: DatalogOracle = DatalogOracle {
    name: "options",
    claim: "switches and qualifiers that only affect the evaluation do not change what is derived",
    example: "out(x) :- r(x).  derives the same with and without magic sets",
    weight: 3,
    loose: true,
    propose,
    derive,
    complete: None,
    needs: NOTHING,
};

/// Switches at once; more of them contradict each other too often.
const SWITCHES_AT_MOST: usize = 2;

fn propose(
    program: &Program,
    dialect: &'static DatalogDialect,
    _: &[UserRule],
    rng: &mut Rng,
) -> Option<DatalogSource> {
    let mut source = DatalogSource::new(SPEC.name, dialect, program);
    if dialect.switches.is_empty() && source::plain(program) == *program {
        return None;
    }
    for _ in 0..SWITCHES_AT_MOST.min(dialect.switches.len()) {
        let name = rng.pick(dialect.switches).name.to_owned();
        if !source.other_switches.contains(&name) {
            source.other_switches.push(name);
        }
        if rng.coin() {
            break;
        }
    }
    Some(source)
}

fn derive(source: &DatalogSource, dialect: &'static DatalogDialect) -> Option<Derived> {
    crate::datalog::check::program(&source.program, dialect).ok()?;
    let plain = source::plain(&source.program);
    if !source::is_determined(&plain, dialect) {
        return None;
    }
    let mut switches = source.switches.clone();
    switches.extend(source.other_switches.iter().cloned());
    let script = vec![
        Step::query("plain", source.text(&plain, dialect, &source.switches)),
        Step::query(
            format!("with {}", described(&source.other_switches)),
            source.text(&source.program, dialect, &switches),
        ),
    ];
    (script[0].text != script[1].text).then(|| same(script))
}

fn described(switches: &[String]) -> String {
    if switches.is_empty() { "qualifiers".into() } else { switches.join(", ") }
}
