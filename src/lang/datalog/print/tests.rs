use super::*;
use crate::datalog_dialect::DATALOG_DIALECTS;
use crate::explore::Size;
use crate::lang::datalog::evaluate::{self, QUICK};
use crate::lang::datalog::generate::{Generator, parameters};
use crate::rng::Rng;

/// Two programs of each dialect, as they are written; parameters are raised so that every part shows.
#[test]
fn each_dialect_has_its_own_words() {
    for dialect in DATALOG_DIALECTS {
        let mut rng = Rng::new(17);
        let mut text = String::new();
        for _ in 0..2 {
            let mut parameters = parameters(Size::Medium);
            parameters.negation = 50;
            parameters.aggregate = 40;
            parameters.disjunction = 40;
            parameters.eqrel = 30;
            parameters.subsumption = 30;
            parameters.choice = 20;
            let made = Generator { rng: &mut rng, dialect, parameters, loose: false }.program();
            let switches: Vec<String> = dialect.switches.iter().take(1).map(|s| s.name.to_owned()).collect();
            text.push_str(&program(&made, dialect, &switches));
            text.push_str("----\n");
        }
        insta::assert_snapshot!(dialect.name, text);
    }
}

/// Programs with the answers of the evaluator, one file per line of JSON, for trying printers on real engines: written
/// only where QUALM_DUMP names a folder.
#[test]
fn programs_can_be_written_for_real_engines() {
    let Ok(folder) = std::env::var("QUALM_DUMP") else { return };
    for dialect in DATALOG_DIALECTS {
        let mut rng = Rng::new(99);
        let mut lines = String::new();
        while lines.lines().count() < 300 {
            let parameters = parameters(Size::Medium);
            let made = Generator { rng: &mut rng, dialect, parameters, loose: false }.program();
            let Ok(tuples) = evaluate::output(&made, dialect, QUICK) else { continue };
            let arity = made.relation(&made.output).unwrap().arity();
            let rows = evaluate::rows(&tuples, arity);
            let line = serde_json::json!({"program": program(&made, dialect, &[]), "answer": rows});
            let _ = writeln!(lines, "{line}");
        }
        std::fs::write(format!("{folder}/{}.jsonl", dialect.name), lines).unwrap();
    }
}
