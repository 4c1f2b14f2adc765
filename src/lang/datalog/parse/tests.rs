use super::*;
use crate::datalog_dialect::SOUFFLE;
use crate::explore::Size;
use crate::lang::datalog::generate::{Generator, parameters};
use crate::lang::datalog::{check, evaluate, print};
use crate::rng::Rng;

/// What is printed is read as what it was, apart from the names of variables.
#[test]
fn what_is_printed_can_be_read() {
    let mut rng = Rng::new(8);
    for _ in 0..300 {
        let mut parameters = parameters(Size::Medium);
        parameters.choice = 10;
        parameters.subsumption = 10;
        let made = Generator { rng: &mut rng, dialect: &SOUFFLE, parameters, loose: true }.program();
        let text = print::program(&made, &SOUFFLE, &["magic-transform".into()]);
        let parsed = program(&text);
        assert_eq!(parsed.unread, [], "{text}");
        check::program(&parsed.program, &SOUFFLE).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!(made.relations, parsed.program.relations, "{text}");
        assert_eq!(made.facts, parsed.program.facts, "{text}");
        let again = print::program(&parsed.program, &SOUFFLE, &["magic-transform".into()]);
        assert_eq!(text.lines().count(), again.lines().count());
        let bounds = evaluate::Bounds { tuples: 500, steps: 20_000 };
        let both = [&made, &parsed.program].map(|p| evaluate::output(p, &SOUFFLE, bounds));
        assert_eq!(both[0], both[1], "{text}\n{again}");
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_place_and_skipped() {
    let text = "\
.type Node <: number
.decl edge(x:Node, y:Node) // the graph
.decl path(x:Node, y:Node)
.decl flag()
edge(4, 5).
.comp C { .decl inner(x:number) inner(1). }
.output path(IO=stdout)
edge(1, 2). edge(2, 3).
flag().
path(x, y) :- edge(x, y).
path(x, z) :- path(x, y), edge(y, z).
path(x, y) :- edge(x, y), z = [x, y].
path(x, y) :- edge(x, y), flag().
edge(3, 4).
";
    let parsed = program(text);
    let told: Vec<String> = parsed.unread.iter().map(|u| format!("{}:{}: {}", u.line, u.column, u.why)).collect();
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(parsed.program.output, "path");
    assert_eq!(parsed.program.facts.len(), 4);
    assert_eq!(parsed.program.rules.len(), 2);
    assert_eq!(evaluate::output(&parsed.program, &SOUFFLE, evaluate::QUICK).unwrap().len(), 10);
}

#[test]
fn number_literals_get_the_kind_of_their_place() {
    let text = ".decl f(x:float, u:unsigned)\n.decl p(x:float)\n.output p\nf(1, 2). f(-0.5, 3).\n\
        p(x + 1) :- f(x, u), u > 2, x < 1.\n";
    let parsed = program(text);
    assert_eq!(parsed.unread, []);
    check::program(&parsed.program, &SOUFFLE).unwrap();
    let tuples = evaluate::output(&parsed.program, &SOUFFLE, evaluate::QUICK).unwrap();
    assert_eq!(tuples.into_iter().collect::<Vec<_>>(), [vec![Constant::Float(0.5)]]);
}
