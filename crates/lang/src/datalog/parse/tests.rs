use super::*;
use crate::datalog::generate::{Generator, parameters};
use crate::datalog::{check, evaluate, print};
use proptest::prelude::*;
use qualm_core::dialect::datalog::SOUFFLE;
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

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
fn what_cannot_be_read_is_reported_with_its_place_and_skipped() {
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
path(x, y) :- edge(x, y), z = @f(x, y).
path(x, y) :- edge(x, y), flag().
edge(3, 4).
";
    let parsed = program(text);
    let listed: Vec<String> = parsed.unread.iter().map(|u| format!("{}:{}: {}", u.line, u.column, u.why)).collect();
    insta::assert_snapshot!(listed.join("\n"));
    assert_eq!(parsed.program.output, "path");
    assert_eq!(parsed.program.facts.len(), 5);
    assert_eq!(parsed.program.rules.len(), 3);
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

/// Small programs in the style of Soufflé's own tests: what of each is read, and what it derives.
const STYLES: &[(&str, usize, usize, usize)] = &[
    // Types that come later in the text, made of others; old names for types.
    (
        ".type Place = City | Town\n.type City = Name\n.type Town\n.type Name <: symbol\n.symbol_type Word\n\
         .decl at(p:Place, w:Word)\n.decl out(p:Place)\n.output out()\nat(\"a\", \"b\"). at(\"c\", \"d\").\n\
         out(p) :- at(p, _).\n",
        1,
        0,
        2,
    ),
    // Relations without attributes.
    (
        ".decl edge(a:number, b:number) eqrel\n.decl some()\n.decl none()\n.decl said(s:symbol)\n.output said\n\
         edge(1, 2).\nsome() :- edge(1, _).\nnone() :- edge(7, _).\nsaid(\"some\") :- some().\n\
         said(\"none\") :- edge(_, _), !none().\n",
        4,
        0,
        2,
    ),
    // Facts that are computed, symbols that are added, signs before signs.
    (
        ".decl word(s:symbol, n:number)\n.decl two(s:symbol)\n.output two\nword(\"a\" + \"b\", 2 * 3 - 1).\n\
         word(cat(\"c\", \"d\"), --2).\ntwo(s + \"!\" + t) :- word(s, n), word(t, m), n < m.\n",
        1,
        0,
        1,
    ),
    // Disjunction, groups, aggregates with and without braces, comments in between.
    (
        ".decl e(a:number, b:number)\n.decl node(a:number)\n.decl most(a:number, n:number)\n.output most\n\
         e(1, 2). e(1, 3). /* and\n one more */ e(2, 3). // done\nnode(a) :- e(a, _) ; e(_, a).\n\
         most(a, n) :- node(a), n = count : { e(a, _) }, (n > 1 ; a = 3), s = sum b : e(_, b), s = 8.\n",
        2,
        0,
        2,
    ),
    // Subsumption, qualifiers, choice, plans, switches of relations.
    (
        ".pragma \"magic-transform\" \"*\"\n.decl a(x:unsigned, y:number) magic\n\
         .decl b(x:unsigned, y:number) btree_delete\n.output b\na(1, -2). a(1, 9). a(2, 5).\n\
         b(x, y) :- a(x, y), a(x, z), z >= y.\n.plan 0:(2,1)\n\
         b(x, y) <= b(x, z) :- y < z.\n",
        1,
        0,
        2,
    ),
    // Directives that we do not know, qualifiers that we have not, the power of numbers.
    (
        ".decl e(a:number, b:number)\n.decl p(a:number, b:number) lattice_like\n.output p\n.debug_delta p()\n\
         e(1, 2). e(2, 3).\np(x, y) :- e(x, y).\n    .strict\np(x, z) :- p(x, y), e(y, z).\n\
             .plan 1:(2,1), 2:(1,2)\n\
         p(x, y ^ 2) :- e(x, y).\n",
        3,
        3,
        5,
    ),
    // Patterns and parts of symbols.
    (
        ".decl s(x:symbol)\n.decl out(x:symbol, n:number)\n.output out\ns(\"abba\"). s(\"bcab\"). s(\"x\").\n\
         out(x, strlen(x)) :- s(x), match(\"a.*\", x).\nout(x, 0) :- s(x), match(\".*ab\", x), contains(\"c\", x).\n\
         out(x, 1) :- s(x), match(\"x\", x).\nout(x, 2) :- s(x), match(\"[a-z]+\", x), match(\"a$\", x).\n",
        3,
        1,
        3,
    ),
    // Components are written out; records, algebraic types and ranges. What has no tree: functors of others.
    (
        ".comp Graph<N> {\n    .decl e(a:N, b:N)\n    e(x, y) :- e(y, x).\n}\n.init g = Graph<number>\n\
         .type Pair = [a:number, b:number]\n.type Tree = Leaf {} | Node { l:Tree }\n.functor f(x:number):number\n\
         .decl p(x:Pair)\n.decl q(x:number)\n.decl r(x:number)\n.output r\ng.e(1, 2).\nq(1). q(2).\n\
         p([x, x]) :- q(x).\nr(x) :- g.e(x, _).\nr(@f(x)) :- q(x).\nr(x) :- q(x), x = range(0, 2).\nr(x) :- q(x).\n",
        5,
        2,
        2,
    ),
    (
        ".decl ?(x:number, y:number)\n.decl s(x:symbol)\n.decl f(x:float)\n.decl wide(a:number, b:number, c:number, \
         d:number, e:number, f:number, g:number, h:number, i:number, j:number)\n.decl out(x:symbol, y:number)\n\
         .output out\n?(6, 3). ?(8, 2).\ns(\"abba\"). s(\"bcab\").\n@[note(a, \"b\")]\n\
         wide(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).\nf(x) :- x = range(1.25, 3.25).\n\
         out(x, 0) :- s(x), !match(\"a.*\", x).\nout(x, 1) :- s(x), !contains(\"c\", x).\n\
         out(x, 2) :- s(x), !!contains(\"c\", x).\n\
         out(x, n) :- s(x), n = max (a * b) : ?(a, b), !match(\".*ab\", x).\n\
         out(\"w\", a) :- wide(a, _, _, _, _, _, _, _, _, _), !(f(5.0)).\n",
        6,
        0,
        5,
    ),
];

#[test]
fn programs_in_the_style_of_the_public_ones_are_read() {
    let (mut read, mut skipped) = (0, 0);
    for (text, rules, unread, tuples) in STYLES {
        let parsed = program(text);
        let listed: Vec<String> = parsed.unread.iter().map(|u| format!("{}:{}: {}", u.line, u.column, u.why)).collect();
        assert!(parsed.unread.iter().all(|u| u.line > 0 && u.column > 0), "{listed:?}");
        assert_eq!(
            (parsed.program.rules.len(), parsed.unread.len()),
            (*rules, *unread),
            "{text}\n{}",
            listed.join("\n")
        );
        check::program(&parsed.program, &SOUFFLE).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let found = evaluate::output(&parsed.program, &SOUFFLE, evaluate::QUICK).unwrap();
        assert_eq!(found.len(), *tuples, "{text}\n{found:?}");
        read += rules;
        skipped += unread;
    }
    println!("{} programs: {read} rules read, {skipped} items skipped", STYLES.len());
    if let Ok(folder) = std::env::var("QUALM_DL") {
        try_programs_in(&folder);
    }
}

/// `QUALM_DL=FOLDER cargo test --lib style_of_the_public -- --nocapture` tries the parser on programs of others too.
fn try_programs_in(folder: &str) {
    let (mut files, mut whole, mut rules, mut skipped) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (fits, left_out) = crate::datalog::seeds::read(&std::fs::read_to_string(&path).unwrap(), &SOUFFLE);
        files += 1;
        whole += usize::from(left_out.is_empty());
        rules += fits.map_or(0, |p| p.rules.len());
        skipped += left_out.len();
        for u in left_out {
            println!("{}:{}:{}: {}", path.display(), u.line, u.column, u.why);
        }
    }
    println!("{files} programs, {whole} of them whole: {rules} rules read, {skipped} items skipped");
}

/// Words of the dialect in any order, with other characters between them.
fn any_words() -> impl Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        ".decl ",
        ".output ",
        ".input ",
        ".type ",
        ".comp ",
        ".init ",
        ".plan ",
        ".pragma ",
        ".functor ",
        "p",
        "q",
        "x",
        "y",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ":",
        "::",
        "=",
        "!=",
        "<=",
        "<:",
        ",",
        ".",
        ".\n",
        ";",
        ":-",
        "!",
        "_",
        "-",
        "+",
        "*",
        "/",
        "%",
        "^",
        "$",
        "@",
        "|",
        "\"",
        "\"a\"",
        "\\",
        "1",
        "0",
        "0x",
        "0b1",
        "2.5",
        "1e9",
        "7u",
        "9223372036854775807",
        "2147483648",
        "number",
        "symbol",
        "count",
        "sum",
        "min",
        "mean",
        "match",
        "contains",
        "cat",
        "substr",
        "range",
        "as",
        "nil",
        "inline",
        "choice-domain",
        "eqrel",
        "override",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "#define A\n",
        "é",
        "\u{0}",
        "p(x:number)",
        "p(x) :- q(x).",
        "q(1).",
        "p(x).",
    ]);
    let other = "\\PC{0,3}".prop_map(|s| s);
    let part = prop_oneof![9 => words.prop_map(str::to_owned), 1 => other];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// A program that is one, with pieces of it taken out, doubled, or put elsewhere.
fn mutated() -> impl Strategy<Value = String> {
    let place = || any::<proptest::sample::Index>();
    let changes = proptest::collection::vec((place(), place(), place(), 0..3u8), 0..4);
    (any::<u64>(), 0..STYLES.len() * 2, changes).prop_map(|(seed, style, changes)| {
        let mut text: Vec<char> = match STYLES.get(style) {
            Some((text, ..)) => text.chars().collect(),
            None => {
                let mut rng = Rng::new(seed);
                let parameters = parameters(Size::Small);
                let made = Generator { rng: &mut rng, dialect: &SOUFFLE, parameters, loose: true }.program();
                print::program(&made, &SOUFFLE, &[]).chars().collect()
            }
        };
        for (from, length, to, change) in changes {
            let from = from.index(text.len().max(1));
            let end = (from + length.index(12)).min(text.len());
            let piece: Vec<char> = text[from.min(end)..end].to_vec();
            if change != 1 {
                text.drain(from.min(end)..end);
            }
            if change != 0 {
                let to = to.index(text.len() + 1);
                text.splice(to..to, piece);
            }
        }
        text.into_iter().collect()
    })
}

/// Whatever the text, it is read or reported, and what is usable of it can be printed, computed and extended.
#[test]
fn no_text_breaks_the_reader() {
    let config = proptest::test_runner::Config { cases: 600, failure_persistence: None, ..Default::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(config, rng);
    let done = runner.run(&prop_oneof![any_words(), mutated()], |text| {
        let (usable, _) = crate::datalog::seeds::read(&text, &SOUFFLE);
        if let Some(program) = usable {
            let printed = print::program(&program, &SOUFFLE, &[]);
            let _ = evaluate::output(&program, &SOUFFLE, evaluate::QUICK);
            prop_assert!(!printed.is_empty());
            let mut rng = Rng::new(1);
            let parameters = parameters(Size::Small);
            let _ = Generator { rng: &mut rng, dialect: &SOUFFLE, parameters, loose: true }.extend(&program);
        }
        Ok(())
    });
    done.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A fact with a variable is none; it once broke the reader.
#[test]
fn a_fact_with_a_variable_is_reported() {
    let parsed = program(".decl p(x:number)\n.output p\np(x).\n");
    assert_eq!(parsed.unread.iter().map(|u| u.why.as_str()).collect::<Vec<_>>(), ["a fact that is not constant"]);
}

/// The least number of all is one.
#[test]
fn the_least_number_is_kept() {
    let text = ".decl p(x:number)\n.decl q(x:number)\n.output q\np(-2147483648). p(-2147483649).\nq(x) :- p(x).\n";
    let (usable, unread) = crate::datalog::seeds::read(text, &SOUFFLE);
    assert_eq!(usable.unwrap().facts.len(), 1);
    assert_eq!(unread.len(), 1);
}

/// Instances of components, with parameters, bases, overridden relations and instances inside.
#[test]
fn components_are_written_out() {
    let text = ".comp Reach<T> {\n  .decl edge(a:T, b:T)\n  .decl path(a:T, b:T) overridable\n\
          path(a, b) :- edge(a, b).\npath(a, c) :- path(a, b), edge(b, c).\n}\n\
        .comp Both<T> : Reach<T> {\n  .comp Names { .decl name(n:symbol)\n name(\"x\"). }\n  .init inner = Names\n\
          .override path\n  path(b, a) :- edge(a, b).\n}\n\
        .init one = Reach<number>\n.init two = Both<symbol>\n\
        one.edge(1, 2). one.edge(2, 3).\ntwo.edge(\"a\", \"b\").\n\
        .decl out(a:symbol, n:symbol, c:number)\n.output out\n\
        out(a, n, c) :- two.path(a, _), two.inner.name(n), one.path(1, c).\n";
    let parsed = program(text);
    assert_eq!(parsed.unread, []);
    let names: Vec<&str> = parsed.program.relations.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["one__edge", "one__path", "two__edge", "two__path", "two__inner__name", "out"]);
    check::program(&parsed.program, &SOUFFLE).unwrap();
    let tuples = evaluate::output(&parsed.program, &SOUFFLE, evaluate::QUICK).unwrap();
    let shown: Vec<String> = tuples.iter().map(|t| t.iter().map(|c| evaluate::value(c).show()).collect()).collect();
    assert_eq!(shown, ["'b''x'2", "'b''x'3"]);
    let missing = program(".init x = Nothing\n.decl p(a:number)\n");
    assert_eq!(missing.unread.len(), 1);
}

/// Aggregates inside terms, powers, shifts, conversions, divisions and recursion that running shows to end.
#[test]
fn what_running_shows_to_end_is_usable() {
    let text = ".decl e(a:number)\n.decl n(a:number)\n.decl p(a:number, s:symbol)\n.output p\ne(2). e(3).\n\
        n(1).\nn(x * 2) :- n(x), x * 2 < 20.\n\
        p(12 / x + sum y : { e(y) }, to_string(x ^ 2)) :- e(x).\n\
        p(to_number(cat(\"4\", \"2\")), \"n\") :- n(8 bshr 1 bshl 2), x = bnot 0, n(-x).\n";
    let (usable, unread) = crate::datalog::seeds::read(text, &SOUFFLE);
    assert_eq!(unread, []);
    let usable = usable.unwrap();
    assert!(usable.by_running);
    let tuples = evaluate::output(&usable, &SOUFFLE, evaluate::QUICK).unwrap();
    let shown: Vec<String> = tuples.iter().map(|t| t.iter().map(|c| evaluate::value(c).show()).collect()).collect();
    assert_eq!(shown, ["9'9'", "11'4'", "42'n'"]);
    let endless = text.replace(", x * 2 < 20", "").replace("x * 2", "x + 2");
    let (_, unread) = crate::datalog::seeds::read(&endless, &SOUFFLE);
    assert_eq!(unread.iter().map(|u| u.why.as_str()).collect::<Vec<_>>(), ["the recursion of 'n' may not end"]);
}

/// Records and algebraic types, made in heads and facts and taken apart in bodies; ranges, parts of symbols, questions
/// by patterns, what always holds, negated groups, variables of an aggregate that have the name of others.
#[test]
fn built_values_and_functors_mean_what_they_mean() {
    let text = ".type Pair = [a:number, s:symbol]\n.type List = [head:number, tail:List]\n\
        .type Tree = Leaf {n:number} | Node {l:Tree, r:Tree} | None {}\n\
        .decl p(x:Pair)\n.decl l(x:List)\n.decl t(x:Tree)\n.decl out(n:number, s:symbol)\n.output out\n\
        p([1, \"ab\"]). p(nil). l([1, [2, nil]]). t($Node($Leaf(4), $None)). t($None).\n\
        l(y) :- l([_, y]), y != nil.\n\
        out(n, substr(s, 1, 5)) :- p([n, s]), match(\"a[a-c]\", s), true.\n\
        out(n, \"l\") :- l([n, nil]).\n\
        out(n, \"t\") :- t(x), x = $Node($Leaf(n), _).\n\
        out(n, \"r\") :- n = range(7, 9), !( n = 8 ; p([n, \"ab\"]) ).\n\
        out(n, \"f\") :- p([x, _]), n = sum x : { l([x, _]) }, x = 1.\n\
        out(10, \"never\") :- false.\n\
        out(count : { t($None) } + 20, \"c\").\n";
    let (usable, unread) = crate::datalog::seeds::read(text, &SOUFFLE);
    assert_eq!(unread, []);
    let usable = usable.unwrap();
    let printed = print::program(&usable, &SOUFFLE, &[]);
    for program in [&usable, &program(&printed).program] {
        let tuples = evaluate::output(program, &SOUFFLE, evaluate::QUICK).unwrap();
        let shown: Vec<String> = tuples.iter().map(|t| t.iter().map(|c| evaluate::value(c).show()).collect()).collect();
        assert_eq!(shown, ["1'b'", "2'l'", "3'f'", "4't'", "7'r'", "21'c'"], "{printed}");
    }
}

/// The tuples of the output, as numbers.
fn derived(text: &str) -> Vec<Vec<i64>> {
    let (usable, left_out) = crate::datalog::seeds::read(text, &SOUFFLE);
    assert_eq!(left_out, [], "{text}");
    let bounds = evaluate::Bounds { tuples: 500, steps: 20_000 };
    let tuples = evaluate::output(&usable.unwrap(), &SOUFFLE, bounds).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    let number = |c: &Constant| if let Constant::Number(n) = c { *n } else { panic!("{c:?}") };
    tuples.iter().map(|t| t.iter().map(number).collect()).collect()
}

/// They mean something only where they are used.
#[test]
fn inlined_rules_that_bind_nothing_are_written_out() {
    let head = ".decl e(x:number, y:number)\n.decl o(x:number, y:number)\n.output o\ne(1, 1). e(1, 2). e(3, 2).\n\
        .decl same(x:number, y:number) inline\nsame(x, y) :- x = y.\n\
        .decl near(x:number, y:number, d:number) inline\n\
        near(x, y, d) :- x < y, d = y - x.\nnear(x, y, d) :- y < x, d = x - y.\n";
    let with = |rule: &str| derived(&format!("{head}{rule}\n"));
    assert_eq!(with("o(x, y) :- e(x, y), same(x, y)."), [[1, 1]]);
    assert_eq!(with("o(x, y) :- e(x, y), !same(x, y)."), [[1, 2], [3, 2]]);
    assert_eq!(with("o(x, 0) :- e(x, _), same(x, 3)."), [[3, 0]]);
    assert_eq!(with("o(x, d) :- e(x, y), near(x, y, d)."), [[1, 1], [3, 1]]);
    assert_eq!(with("o(x, d) :- e(x, y), near(x, y, d), near(y, x, 1), !same(x, 1)."), [[3, 1]]);
    let records = ".type P = [x:number, y:number]\n.decl e(p:P)\n.decl o(x:number)\n.output o\ne([1, 2]). e([4, 8]).\n\
        .decl product(p:P, n:number) inline\nproduct([a, b], n) :- n = a * b.\no(n) :- e(p), product(p, n).\n";
    assert_eq!(derived(records), [[2], [32]]);
}

#[test]
fn aggregates_are_asked_in_disjunctions() {
    let text = ".decl e(x:number, y:number)\n.decl o(x:number)\n.output o\ne(1, 1). e(1, 2). e(3, 2). e(4, 9).\n\
        o(x) :- e(x, y), (2 = count : { e(x, _) } ; 0 = count : { e(z, y), z < x }, y > 8).\n";
    assert_eq!(derived(text), [[1], [4]]);
    let bound = ".decl e(x:number, y:number)\n.decl o(x:number)\n.output o\n\
        o(n) :- e(x, _), (n = count : { e(x, _) } ; n = x).\n";
    assert_eq!(crate::datalog::seeds::read(bound, &SOUFFLE).1.len(), 1, "an aggregate that binds");
}
