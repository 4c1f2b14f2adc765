use super::*;
use crate::datalog::evaluate::{Bounds, Failure};
use qualm_core::dialect::datalog::DATALOG_DIALECTS;

/// Every program is one of its dialect, and most have an answer.
#[test]
fn programs_are_well_formed_and_say_something() {
    for dialect in DATALOG_DIALECTS {
        let mut rng = Rng::new(11);
        let (mut empty, mut big) = (0, 0);
        const PROGRAMS: usize = 200;
        for _ in 0..PROGRAMS {
            let parameters = parameters(Size::Medium);
            let mut generator = Generator { rng: &mut rng, dialect, parameters, loose: false };
            let program = generator.program();
            check::program(&program, dialect).unwrap();
            match evaluate::output(&program, dialect, Bounds { tuples: 1_000, steps: 100_000 }) {
                Ok(tuples) if tuples.is_empty() => empty += 1,
                Ok(_) => {}
                Err(Failure::TooBig) => big += 1,
                Err(Failure::Undetermined(_)) => {}
                Err(Failure::Refused(why)) => panic!("{why}\n{program:?}"),
            }
        }
        assert!(empty * 10 < PROGRAMS, "{}: {empty} of {PROGRAMS} programs say nothing", dialect.name);
        assert!(big * 20 < PROGRAMS, "{}: {big} of {PROGRAMS} programs are too big", dialect.name);
    }
}

#[test]
fn a_seed_means_the_same_program() {
    let dialect = &qualm_core::dialect::datalog::SOUFFLE;
    let make = || {
        let mut rng = Rng::new(5);
        Generator { rng: &mut rng, dialect, parameters: parameters(Size::Large), loose: true }.program()
    };
    assert_eq!(make(), make());
}
