use super::*;
use crate::datalog::generate::{Generator, parameters};
use crate::datalog::parse;
use qualm_core::dialect::datalog::{DATALOG_DIALECTS, SOUFFLE};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

/// After the last round no rule derives anything more, although most rounds look only at what is new.
#[test]
fn nothing_is_left_to_derive() {
    const BOUNDS: Bounds = Bounds { tuples: 400, steps: 20_000 };
    let mut recursive = 0;
    for dialect in DATALOG_DIALECTS.iter().filter(|d| !d.name.starts_with("souffle-")) {
        let mut rng = Rng::new(31);
        for _ in 0..60 {
            let parameters = parameters(Size::Medium);
            let program = Generator { rng: &mut rng, dialect, parameters, loose: false }.program();
            let choosy = |at: usize| {
                let relation = &program.relations[at];
                !relation.choice.is_empty() || program.subsumptions.iter().any(|s| s.relation == relation.name)
            };
            let Ok(strata) = check::program(&program, dialect) else { continue };
            let Ok(all) = contents(&program, dialect, BOUNDS) else { continue };
            for rule in &program.rules {
                let at = program.place(&rule.heads[0].relation).unwrap();
                let inner = strata.iter().find(|s| s.relations.contains(&at)).unwrap();
                recursive += u32::from(inner.recursive);
                if choosy(at) {
                    continue;
                }
                let derived = fixpoint::once(&program, dialect, &all, rule).unwrap();
                assert!(derived.is_subset(&all[at]), "{}: {rule:?}\n{program:?}", dialect.name);
            }
        }
    }
    assert!(recursive > 200, "{recursive} rules of recursive relations");
}

/// Thousands of rounds, each of which brings one tuple: a round costs what is new in it.
#[test]
fn a_long_recursion_comes_to_an_end() {
    let text = ".decl s(k:number, x:number)\n.decl o(n:number)\n.output o\ns(1, 1).\n\
        s(1, x + 1) :- s(1, x), x < 1000.\no(n) :- n = count : { s(_, _) }.\n";
    let (program, left_out) = crate::datalog::seeds::read(text, &SOUFFLE);
    assert_eq!(left_out, []);
    let tuples = output(&program.unwrap(), &SOUFFLE, Bounds { tuples: 2_000, steps: 20_000 }).unwrap();
    assert_eq!(tuples.into_iter().collect::<Vec<_>>(), [[Constant::Number(1000)]]);
}

/// What is dominated goes at the end, so which tuples a recursion leaves is not known; that it ends is.
#[test]
fn a_recursion_with_subsumption_is_read() {
    let text = ".decl g(x:number, y:number)\n.decl a(x:number, y:number, c:number) btree_delete\n.output a\n\
        g(1, 2). g(2, 3). a(1, 2, 1).\na(x, y, c + 1) :- a(_, x, c), g(x, y).\na(x, y, c) <= a(_, y, d) :- c > d.\n";
    let (program, left_out) = crate::datalog::seeds::read(text, &SOUFFLE);
    assert_eq!(left_out, []);
    let program = program.unwrap();
    assert_eq!((program.rules.len(), program.subsumptions.len()), (1, 1));
    assert_eq!(parse::program(text).unread, []);
}
