use crate::datalog::{check, parse};
use qualm_core::dialect::datalog::SOUFFLE;

/// Soufflé calls a record ungrounded if it is under a negation and not known in full.
#[test]
fn a_built_value_under_a_negation_has_no_wildcards() {
    let refused = |rule: &str| {
        let text = format!(
            ".type P = [a: number, b: number]\n.decl e(p: P, x: number)\n.decl r(x: number)\n.output r\n\
             e([1, 2], 3).\n{rule}\n"
        );
        let parsed = parse::program(&text);
        assert_eq!(parsed.unread, [], "{text}");
        check::program(&parsed.program, &SOUFFLE).err()
    };
    for rule in ["r(x) :- e(_, x), !e([x, _], x).", "r(x) :- e(_, x), !e([_, _], _)."] {
        assert_eq!(refused(rule).as_deref(), Some("a wildcard inside a term"), "{rule}");
    }
    for rule in ["r(x) :- e(_, x), !e([x, 2], _).", "r(x) :- e([_, 2], x), !e(_, 4).", "r(x) :- e([x, _], _)."] {
        assert_eq!(refused(rule), None, "{rule}");
    }
}
