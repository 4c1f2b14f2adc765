use super::*;
use qualm_lang::datalog::parse;

/// What releases say of themselves, and what is made of it.
#[test]
fn options_and_language_follow_the_release() {
    let made = |version: &str, help: &str, compiles| {
        let said = format!("-----\nVersion: {version}\n-----\nCopyright (c) 2016-22 The Souffle Developers.\n");
        build("souffle".into(), compiles, &said, help)
    };
    let new = "  --no-preprocessor\n  --wno=<TYPE>\n";
    let newest = made("2.5\nWord size: 32 bits", new, false).unwrap();
    assert_eq!((newest.dialect.name, newest.no_preprocessor, newest.silences_warnings), ("souffle", true, true));
    assert_eq!(made("2.5-12-gabc", new, false).unwrap().dialect.name, "souffle");
    assert_eq!(made("UNKNOWN", new, false).unwrap().dialect.name, "souffle");
    assert_eq!(made("UNKNOWN", "", false).unwrap().dialect.name, "souffle-1.7");
    assert_eq!(made("2.4\nWord size: 64 bits", new, false).unwrap().dialect.name, "souffle-64");
    assert_eq!(made("2.5\nWord size: 32 bits", new, true).unwrap().dialect.name, "souffle-compiled");
    let old = made("2.2", "", false).unwrap();
    assert_eq!((old.dialect.name, old.no_preprocessor, old.quotes_symbols), ("souffle-2.2", false, true));
    assert_eq!(made("1.7.1", "", false).unwrap().dialect.name, "souffle-1.7");
    assert!(made("1.7.1", "", true).is_err());
    assert!(build("x".into(), false, "gnu tool 1.0", "").is_err());
}

/// The program that every connection begins with is read by our own parser of its dialect, completely.
#[test]
fn the_self_test_is_a_program_of_the_dialect() {
    let parsed = parse::program(SOUFFLE.self_test.program);
    assert!(parsed.unread.is_empty(), "{:?}", parsed.unread);
    assert_eq!(answers::output(SOUFFLE.self_test.program), Some(("p", vec![Kind::Whole, Kind::Symbol])));
}

/// With a Soufflé at hand (`QUALM_SOUFFLE=PATH`), what the texts above say is what it does.
#[test]
fn a_real_one_answers_crashes_and_refuses() {
    let Ok(path) = std::env::var("QUALM_SOUFFLE") else { return };
    let engine = connect(Some(&path)).unwrap();
    let mut session = engine.open().unwrap();
    session.limit_time(60_000);
    let texts = |rows: &Outcome| match rows {
        Outcome::Rows(rows) => rows.cells.iter().map(|c| c.show()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let breaks = ".decl e(a:symbol)\n.decl r(a:symbol)\n.output r\ne(\"a\\nb\").\nr(x) :- e(x).\n";
    assert_eq!(
        session.run(breaks),
        Outcome::Rows(qualm_core::value::Rows {
            columns: 1,
            cells: vec![qualm_core::value::Value::Text("a\nb".into())],
        })
    );
    let crash = ".decl xwwr(A:symbol)\n.decl hles(A:symbol, B:symbol, C:symbol, D:symbol) inline\n\
        .decl crux(A:symbol, B:symbol, C:symbol)\n.decl alpg(A:symbol) magic\n.decl bzja(A:symbol)\nxwwr(\"Y\").\n\
        crux(\"n\", \"n\", \"n\").\nhles(cat(A,\"U\"), A, A, cat(A,\"Q\")) :- xwwr(A).\nalpg(E) :- crux(E, D, A).\n\
        bzja(F) :- alpg(Q), hles(Q, E, F, F).\n.output bzja\n";
    assert!(matches!(session.run(crash), Outcome::Crash(_)), "{:?}", session.run(crash));
    let refused = ".decl p(a:number)\n.output p\np(x) :- q(x).\n";
    assert!(
        matches!(session.run(refused), Outcome::Rejected(r) if r.class == Expected && r.text.starts_with("Error:"))
    );
    let programs: Vec<String> = (0..5)
        .map(|n| format!(".decl e(a:number)\n.decl r(a:number)\n.output r\ne({n}).\nr(x + 1) :- e(x).\n"))
        .collect();
    let asked: Vec<&str> = programs.iter().map(String::as_str).collect();
    session.expect(&asked);
    for (n, program) in asked.iter().enumerate() {
        assert_eq!(texts(&session.run(program)), [(n + 1).to_string()]);
    }
}
