//! The Datalog drivers against real engines: the releases that `./x setup` fetches, and those that are linked in.
//! Soufflé and DDlog cannot be fetched: they are tested where they are on PATH.

mod support;

use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::engine::{self, ConnectError};
use qualm::isolated::Isolated;
use qualm::process::Scratch;
use qualm::relation::{FailureKind, Relation, Verdict};
use qualm::session::{Outcome, RejectionClass, Session};
use qualm::value::Value;
use std::path::Path;
use std::sync::Arc;
use support::sessions::{engine, rejection, session};

/// The tuples, sorted, as a person writes them.
fn tuples(session: &mut dyn Session, program: &str) -> Vec<String> {
    let rows = match session.run(program) {
        Outcome::Rows(rows) => rows,
        other => panic!("{program}: {other:?}"),
    };
    let show = |row: &[Value]| row.iter().map(Value::show).collect::<Vec<_>>().join(",");
    let mut all: Vec<String> = rows.iter().map(show).collect();
    all.sort();
    all
}

fn library(release: &str) -> String {
    format!("z3:{}", engine::z3::releases_folder().join(release).join("libz3.so").display())
}

fn program(release: &str) -> String {
    format!("z3:{}", engine::z3::releases_folder().join(release).join("z3").display())
}

const RULES: &str = "(define-sort Z () (_ BitVec 6))\n(declare-rel e (Z Z))\n(declare-rel p (Z Z))\n\
    (declare-rel n (Z Z))\n(declare-var x Z)\n(declare-var y Z)\n(declare-var z Z)\n\
    (rule (e (_ bv1 6) (_ bv2 6)))\n(rule (e (_ bv2 6) (_ bv63 6)))\n(rule (=> (e x y) (p x y)))\n\
    (rule (=> (and (p x y) (e y z)) (p x z)))\n(rule (=> (and (p x y) (not (e x y))) (n x y)))\n";

fn rules(query: &str) -> String {
    format!("(set-option :fp.engine datalog)\n{RULES}(query {query} :print-answer true)\n")
}

#[test]
fn z3_derives_the_same_by_library_and_by_program() {
    for spec in [library("4.8.7"), library("5.4.0"), format!("{},smt2", program("4.11.2")), program("5.4.0")] {
        let mut s = session(&spec);
        assert_eq!(tuples(s.as_mut(), &rules("p")), ["1,2", "1,63", "2,63"], "{spec}");
        assert_eq!(tuples(s.as_mut(), &rules("n")), ["1,63"], "{spec}");
        let nothing = rules("e").replace("(rule (e ", "(rule (p ");
        assert_eq!(tuples(s.as_mut(), &nothing), [""; 0], "{spec}");
        let (class, text) = rejection(s.as_mut(), &rules("p").replace("(rule (=> (e x y)", "(rule (=> (f x y)"));
        assert_eq!(class, RejectionClass::Expected, "{spec}: {text}");
        assert!(text.contains("unknown") && text.contains('f'), "{spec}: {text}");
        let (class, text) = rejection(s.as_mut(), "(declare-rel e ()) (query");
        assert_eq!(class, RejectionClass::Expected, "{spec}: {text}");
        // After an error the session goes on as before.
        assert_eq!(tuples(s.as_mut(), &rules("n")), ["1,63"], "{spec}");
    }
}

#[test]
fn z3_takes_every_switch_of_its_dialect_and_forgets_it() {
    for spec in [library("5.4.0"), program("4.11.2"), "z3:4.8.7".to_owned()] {
        let engine = engine(&spec);
        let dialect = engine.datalog().unwrap();
        let mut s = engine.open().unwrap();
        for switch in dialect.switches {
            // Options stand before what they are for, in both forms.
            let text = format!("{}\n{}", switch.text, dialect.self_test.program);
            assert_eq!(tuples(s.as_mut(), &text), ["1,2"], "{spec} {}", switch.name);
        }
        let unknown = match spec.ends_with(".so") {
            true => "(set-option :fp.xform.nonsense true)",
            false => "# switch fp.xform.nonsense=true",
        };
        let (class, text) = rejection(s.as_mut(), &format!("{unknown}\n{}", dialect.self_test.program));
        assert_eq!(class, RejectionClass::Expected, "{text}");
        assert!(text.contains("nonsense"), "{text}");
    }
}

const FIGURE_4: &str = "Z 64\n\nin1(A:Z) input\nin2(A:Z, B:Z) input\nr(A:Z, B:Z)\nout(A:Z) printtuples\n\
    in1(49).\nin1(10).\nin2(25,10).\nin2(16,13).\nin2(24,22).\nr(V,M) :- in2(V,M), in1(M).\n";

/// Z3 issue 4870: a join of a relation with itself gives values that are in no fact.
#[test]
fn z3_issue_4870_is_in_4_8_7() {
    let (plain, joined) =
        (format!("{FIGURE_4}out(F) :- r(F,C).\n"), format!("{FIGURE_4}out(F) :- r(F,C), r(F,A), r(F,B).\n"));
    let mut old = session("z3:4.8.7");
    assert_eq!(tuples(old.as_mut(), &plain), ["25"]);
    assert!(tuples(old.as_mut(), &joined).len() > 50);
    let mut new = session("z3:4.11.2");
    assert_eq!(tuples(new.as_mut(), &plain), ["25"]);
    assert_eq!(tuples(new.as_mut(), &joined), ["25"]);
}

/// Z3 issues 6446 and 6447: constants in conditions.
#[test]
fn z3_issues_6446_and_6447_are_in_4_11_2() {
    let mut s = session("z3:4.11.2");
    let first = "Z 128\n\nh(A:Z, B:Z) input\ng(A:Z) printtuples\nh(71,29).\nh(80,8).\nh(76,77).\n\
        g(E) :- h(D,E), 8 != E, 71 < D.\n";
    // Only 77 is right.
    assert_eq!(tuples(s.as_mut(), first), ["29", "77", "8"]);
    let second = "Z 128\n\nsrc(A:Z) input\nout(A:Z) printtuples\nsrc(1).\nout(F) :- src(F), 72 != F, 97 = F.\n";
    assert_eq!(tuples(s.as_mut(), second).len(), 1, "nothing is right");
}

/// A wrong result of 5.4.0: 10 is not greater than 10. Without inlining it is right.
#[test]
fn z3_5_4_0_derives_too_much() {
    let text = "(define-sort Z () (_ BitVec 4))\n(declare-rel e0 (Z Z))\n(declare-rel e1 (Z Z))\n(declare-rel e2 (Z))\n\
        (declare-rel r0 (Z))\n(declare-rel r1 (Z))\n(declare-rel r2 (Z Z))\n(declare-var v0 Z)\n(declare-var v1 Z)\n\
        (declare-var v2 Z)\n(declare-var v3 Z)\n(declare-var v4 Z)\n(rule (e0 (_ bv5 4) (_ bv0 4)))\n\
        (rule (e0 (_ bv10 4) (_ bv14 4)))\n(rule (e1 (_ bv13 4) (_ bv10 4)))\n(rule (e2 (_ bv12 4)))\n\
        (rule (=> (and (e1 v0 v1) (e1 v2 v3) (e2 v4)) (r0 v1)))\n\
        (rule (=> (and (r0 v0) (e0 v1 v0) (not (e2 v0))) (r1 v1)))\n\
        (rule (=> (and (r0 v0) (r0 v1) (e0 v0 v2) (not (e1 v2 v2)) (bvugt v0 v1)) (r2 v2 v0)))\n\
        (rule (=> (and (r1 v0)) (r2 v0 v0)))\n(query r2 :print-answer true)\n";
    let with = |options: &str| format!("(set-option :fp.engine datalog)\n{options}{text}");
    for spec in [library("5.4.0"), program("5.4.0")] {
        let mut s = session(&spec);
        assert_eq!(tuples(s.as_mut(), &with("")), ["14,10"], "{spec}");
        let off = "(set-option :fp.xform.inline_eager false)\n";
        assert_eq!(tuples(s.as_mut(), &with(off)), [""; 0], "{spec}");
        // An option is of its program alone.
        assert_eq!(tuples(s.as_mut(), &with("")), ["14,10"], "{spec}");
    }
}

#[test]
fn z3_in_the_form_of_bddbddb_distinguishes_errors_from_empty_answers() {
    for spec in ["z3:4.8.7", "z3:4.11.2"] {
        let mut s = session(spec);
        let head = "Z 64\n\ne(A:Z) input\no(A:Z) input\nf(A:Z)\np(A:Z) printtuples\ne(5).\ne(60).\no(60).\n";
        assert_eq!(tuples(s.as_mut(), &format!("{head}p(X) :- e(X), !o(X).\n")), ["5"], "{spec}");
        assert_eq!(tuples(s.as_mut(), &format!("{head}p(X) :- e(X), f(X).\n")), [""; 0], "{spec}");
        let (class, text) = rejection(s.as_mut(), &format!("{head}p(X) :- e(X), g(X).\n"));
        assert_eq!(class, RejectionClass::Expected, "{spec} {text}");
        let (class, text) = rejection(s.as_mut(), &format!("{head}p(X) :- e(X), !f(X).\nf(X) :- e(X), !p(X).\n"));
        assert!(text.contains("not stratified") && class == RejectionClass::Expected, "{spec} {text}");
    }
}

#[test]
fn a_z3_that_cannot_read_programs_is_refused() {
    match engine::connect("z3:4.13.3,datalog") {
        Err(e @ ConnectError::Unreachable(_)) => {
            assert!(e.to_string().contains("self-test") && e.to_string().contains("failed to parse file"), "{e}");
        }
        Err(other) => panic!("{other}"),
        Ok(engine) => panic!("{} passes", engine.version()),
    }
    // The form that this release can read is what it gets unasked.
    assert_eq!(engine("z3:4.13.3").datalog().unwrap().name, "z3-smt2");
    assert_eq!(engine("z3:4.8.7").datalog().unwrap().name, "z3-datalog-interned");
    assert_eq!(engine("z3:4.11.2").datalog().unwrap().name, "z3-datalog");
    assert!(matches!(engine::connect("z3:5.4.0,prolog"), Err(ConnectError::Usage(_))));
    assert!(matches!(engine::connect("z3:/bin/true"), Err(ConnectError::Unreachable(e)) if e.contains("not Z3")));
}

/// Sixteen million tuples: more than there is time for, in process and out of it.
#[test]
fn a_long_program_of_z3_is_stopped_and_the_session_goes_on() {
    let wide = "(set-option :fp.engine datalog)\n(define-sort Z () (_ BitVec 6))\n(declare-rel n (Z))\n\
        (declare-rel p (Z Z Z Z))\n(declare-var a Z)\n(declare-var b Z)\n(declare-var c Z)\n(declare-var d Z)\n";
    let facts: String = (0..64).map(|i| format!("(rule (n (_ bv{i} 6)))\n")).collect();
    let rules = "(rule (=> (and (n a) (n b) (n c) (n d) (not (= a b)) (not (= c d)) (bvult a d)) (p a b c d)))\n";
    let text = format!("{wide}{facts}{rules}(query p :print-answer true)\n");
    for spec in [library("5.4.0"), program("5.4.0")] {
        let mut s = session(&spec);
        let (class, why) = rejection(s.as_mut(), &text);
        assert_eq!(class, RejectionClass::Limit, "{spec}: {why}");
        assert_eq!(tuples(s.as_mut(), &self::rules("n")), ["1,63"], "{spec}");
    }
}

/// clingo cannot be interrupted while it grounds, so the parent ends its process; the next case finds a new one.
#[test]
fn a_long_program_of_clingo_ends_with_its_process() {
    let scratch = Arc::new(Scratch::create().unwrap());
    let qualm = Path::new(env!("CARGO_BIN_EXE_qualm"));
    let mut isolated = Isolated::open(qualm, "clingo:5.8.2", 1_000, scratch).map_err(|f| f.text).unwrap();
    let case = |text: &str| Case {
        format: CASE_FORMAT,
        language: Language::Datalog,
        oracle: "test".into(),
        rules: Vec::new(),
        script: vec![Step::query("only", text)],
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    };
    let long = "p(0).\np(X+1) :- p(X), X < 2000000000.\n#show p/1.\n";
    for _ in 0..2 {
        let evidence = isolated.run(&case(long));
        assert!(matches!(evidence.verdict, Verdict::Broke { kind: FailureKind::Hang, .. }), "{:?}", evidence.verdict);
        let evidence = isolated.run(&case("p(1).\n#show p/1.\n"));
        assert!(matches!(&evidence.answers[..], [Outcome::Rows(rows)] if rows.iter().count() == 1), "{evidence:?}");
    }
}

#[test]
fn clingo_answers_with_typed_values() {
    let engine = engine("clingo:5.8.2");
    assert_eq!(engine.version(), "clingo 5.8.2");
    let mut s = engine.open().unwrap();
    let facts = "e(1,\"a\\\"b\").\ne(-2147483648,\"\").\n";
    assert_eq!(tuples(s.as_mut(), &format!("{facts}p(X,Y) :- e(X,Y).\n#show p/2.\n")), ["-2147483648,''", "1,'a\"b'"]);
    assert_eq!(tuples(s.as_mut(), &format!("{facts}p(X) :- e(X,_), not e(X,\"\").\n#show p/1.\n")), ["1"]);
    assert_eq!(tuples(s.as_mut(), &format!("{facts}p(N) :- N = #count {{ X : e(X,_) }}.\n#show p/1.\n")), ["2"]);
    assert_eq!(tuples(s.as_mut(), &format!("{facts}p(X) :- e(X,X).\n#show p/1.\n")), [""; 0]);
    for (wrong, says) in [
        ("p(X) :- not e(X,X).\n#show p/1.\n", "unsafe"),
        ("p(1) :- \n#show p/1.\n", "syntax error"),
        ("p(1) :- not q(1).\nq(1) :- not p(1).\n#show p/1.\n", "more than one model"),
        ("p(1).\n", "show"),
    ] {
        let (class, text) = rejection(s.as_mut(), wrong);
        assert!(class == RejectionClass::Expected && text.contains(says), "{class:?} {text}");
    }
    let dialect = engine.datalog().unwrap();
    for switch in dialect.switches {
        let text = format!("{}\n{}", switch.text, dialect.self_test.program);
        assert_eq!(tuples(s.as_mut(), &text), ["1,'a'"], "{}", switch.name);
    }
    let (class, text) = rejection(s.as_mut(), "% switch --nonsense=1\np(1).\n#show p/1.\n");
    assert!(class == RejectionClass::Expected && text.contains("nonsense"), "{class:?} {text}");
}

#[cfg(feature = "cozo")]
mod cozo {
    use super::*;

    #[test]
    fn answers_have_typed_values_and_errors_are_reported() {
        let mut s = session("cozo");
        let text = "?[a, b] <- [[1, 'x'], [-9223372036854775807, ''], [1.0, null], [true, -0.0]]";
        let all = ["-9223372036854775807,''", "1,'x'", "1.0,NULL", "TRUE,-0.0"];
        assert_eq!(tuples(s.as_mut(), text), all);
        assert_eq!(tuples(s.as_mut(), "e[a] <- [[1]]\n?[a] := e[a], a > 1"), [""; 0]);
        // CozoDB panics on a rule without a body; the session outlives it.
        assert!(matches!(s.run("?[a] := "), Outcome::Crash(how) if how.contains("unwrap")));
        for wrong in ["?[a] :=: ", "?[a] := nothing[a]", "e[a] <- [[1]]\n?[b] := e[a]", ":create t {a}"] {
            assert_eq!(rejection(s.as_mut(), wrong).0, RejectionClass::Expected, "{wrong}");
        }
    }

    /// For people, for the parser, and with facts that the driver leaves in the text because of a comment.
    #[test]
    fn a_program_may_be_written_in_three_ways() {
        use qualm::dialect::datalog::COZO;
        use qualm::explore::Size;
        use qualm::lang::datalog::generate::{Generator, parameters};
        use qualm::lang::datalog::print;
        let mut s = session("cozo");
        let mut rows = 0;
        for seed in 0..150 {
            let mut rng = qualm::rng::Rng::new(seed);
            let parameters = parameters(Size::Medium);
            let program = Generator { rng: &mut rng, dialect: &COZO, parameters, loose: seed % 2 == 0 }.program();
            let text = print::program(&program, &COZO, &[]);
            let mut answers = [format!("# facts stay here\n{text}"), text.clone()].map(|t| s.run(&t)).to_vec();
            answers.push(s.run(&print::for_the_parser(&program, &COZO, &[])));
            // Written out, so that a NaN is like itself.
            let [plain, read_once, hasty] = [0, 1, 2].map(|i| format!("{:?}", answers[i]));
            if let Outcome::Rows(found) = &answers[0] {
                rows += found.iter().count();
                assert!(plain == read_once && plain == hasty, "{text}\n{plain}\n{read_once}\n{hasty}");
            }
        }
        assert!(rows > 100, "{rows} rows");
    }

    #[test]
    fn a_long_program_is_stopped() {
        let mut s = session("cozo");
        let begun = std::time::Instant::now();
        let text = "p[x] <- [[0]]\nq[x] := p[x]\nq[y] := q[x], y = x + 1, y < 100000000\n?[count(x)] := q[x]";
        assert_eq!(rejection(s.as_mut(), text).0, RejectionClass::Limit);
        assert!(begun.elapsed().as_secs() < 60);
        assert_eq!(tuples(s.as_mut(), "?[a] <- [[1]]"), ["1"]);
    }

    /// The same bug by hunting, from nothing: a range scan and an operator compare −0.0 in different ways.
    #[test]
    fn issue_122_is_found_by_hunting_and_gets_small() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let args =
            ["hunt", "cozo", "--oracle", "options", "--checks", "6000", "--seed", "122", "--workers", "1", "--out"];
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_qualm")).args(args).arg(&out).output().unwrap();
        assert_eq!(ran.status.code(), Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
        let mut small = false;
        for finding in std::fs::read_dir(out.join("findings")).unwrap() {
            let finding = finding.unwrap().path();
            let read = |name: &str| std::fs::read_to_string(finding.join(name)).unwrap();
            let (script, program) = (read("repro.dl"), read("program-1.cozo"));
            if !program.contains("-0.0") {
                continue;
            }
            assert!(script.contains("; expected "), "{script}");
            let rules = program.lines().filter(|l| l.contains(" := ")).count();
            let facts: usize = program.lines().filter(|l| l.contains(" <- ")).map(|l| l.matches('[').count() - 2).sum();
            small |= rules + facts <= 8;
        }
        assert!(small, "{}", String::from_utf8_lossy(&ran.stdout));
    }

    /// CozoDB issue 122: after the magic sets rewrite −0.0 is not less than 0.
    #[test]
    fn issue_122_is_in_0_7_6() {
        let text = "a[A, B] <- [[-0.0, null], [0.0, null]]\nb[A, B] := a[A, B], A >= 0\nc[A] := a[_, A]\n\
            ?[A, B] := c[B], b[A, B]\n";
        let mut s = session("cozo");
        assert_eq!(tuples(s.as_mut(), text), ["-0.0,NULL", "0.0,NULL"]);
        assert_eq!(tuples(s.as_mut(), &format!("{text}:disable_magic_rewrite true\n")), ["0.0,NULL"]);
    }
}

#[cfg(feature = "mangle")]
#[test]
fn mangle_answers_with_typed_values() {
    let mut s = session("mangle");
    let facts = "e(1, \"a\").\ne(-2, \"b\").\n";
    let program = |rule: &str| format!("# output p\n{facts}{rule}\n");
    assert_eq!(tuples(s.as_mut(), &program("p(X, Y) :- e(X, Y).")), ["-2,'b'", "1,'a'"]);
    assert_eq!(tuples(s.as_mut(), &program("p(X) :- e(X, Y), !e(X, \"b\").")), ["1"]);
    assert_eq!(tuples(s.as_mut(), &program("p(X) :- e(X, \"c\").")), [""; 0]);
    // A wrong result of 0.9.2: a variable that stands twice in an atom is not compared with itself.
    assert_eq!(tuples(s.as_mut(), &program("p(X) :- e(X, X).")), ["'a'", "'b'"]);
    for wrong in ["p(X) :- e(X", "p(X) :- e(Y, Z), !p(Y).", "q(1)."] {
        assert_eq!(rejection(s.as_mut(), &program(wrong)).0, RejectionClass::Expected, "{wrong}");
    }
}

#[test]
fn what_is_not_built_in_says_how_to_get_it() {
    for name in ["cozo", "mangle"] {
        match engine::connect(name) {
            Ok(engine) => assert!(engine.version().starts_with(name)),
            Err(e) => assert!(e.to_string().contains("--features embedded"), "{e}"),
        }
    }
}

/// No registry has these two. Where the user has one, it must pass its self-test and distinguish errors from empty
/// answers.
#[test]
fn souffle_and_ddlog_are_brought_by_the_user() {
    for (name, nothing, wrong) in [
        (
            "souffle",
            ".decl p(a:number)\n.output p\np(x) :- p(x), x > 1.\n",
            ".decl p(a:number)\n.output p\np(x) :- q(x).\n",
        ),
        (
            "ddlog",
            "output relation P(a: signed<64>)\nP(x) :- P(x), x > 1.\n",
            "output relation P(a: bool)\nP(x) :- Q(x).\n",
        ),
    ] {
        let on_path =
            std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|d| d.join(name).exists());
        match engine::connect(name) {
            Ok(engine) => {
                let mut s = engine.open().unwrap();
                assert_eq!(tuples(s.as_mut(), nothing), [""; 0]);
                assert_eq!(rejection(s.as_mut(), wrong).0, RejectionClass::Expected);
            }
            Err(e) => assert!(!on_path && e.to_string().contains("no package registry"), "{e}"),
        }
    }
}

/// Programs of people, from the command line to the engine: what does not fit is reported with its place.
#[test]
fn seeds_are_read_and_what_does_not_fit_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let hunt = |file: &str, text: &str| {
        let seeds = folder.path().join("seeds");
        let _ = std::fs::remove_dir_all(&seeds);
        std::fs::create_dir(&seeds).unwrap();
        std::fs::write(seeds.join(file), text).unwrap();
        let args = ["hunt", "clingo:5.8.2", "--seeds", "seeds", "--checks", "40", "--workers", "1", "--out", "out"];
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_qualm"))
            .args(args)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + String::from_utf8_lossy(&out.stderr).as_ref();
        (out.status.code().unwrap(), text)
    };
    let edges = ".decl edge(a:number, b:number)\n.decl path(a:number, b:number)\n.output path\n\
        edge(1, 2). edge(2, 3).\npath(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).\n";
    let (code, text) =
        hunt("path.dl", &format!("{edges}path(x, y) :- edge(x, y), y = @f(x).\npath(x + 1, x) :- path(x, _).\n"));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("seeds/path.dl:7:31: this term is not supported"), "{text}");
    assert!(text.contains("seeds/path.dl:8:1: the recursion of 'path' may not end"), "{text}");
    let (code, text) = hunt("bad.dl", ".decl p(x:Nothing)\np(x) :- q(x.\n");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("seeds/bad.dl:1:18: the type 'Nothing' is not known"), "{text}");
}

/// Incremental rule evaluation against real engines.
mod ire {
    use super::*;
    use qualm::case::{Case, Origin};
    use qualm::lang::datalog::ast::{Atom, Attribute, Constant, Fact, Kind, Literal, Program, Relation, Rule, Term};
    use qualm::lang::datalog::ire::{complete, facts};
    use qualm::lang::datalog::source::DatalogSource;
    use qualm::lang::datalog::{parse, print};
    use qualm::relation::{Guard, Relation as Claim, Verdict};
    use std::collections::BTreeSet;

    /// Facts of one value each, and a rule that copies them.
    fn copied(kind: Kind, values: &[Constant]) -> Program {
        let relation = |name: &str| Relation {
            name: name.into(),
            attributes: vec![Attribute { name: "a".into(), kind }],
            qualifiers: Vec::new(),
            choice: Vec::new(),
        };
        let atom = |name: &str| Atom::new(name, vec![Term::Var(0)]);
        Program {
            by_running: false,
            relations: vec![relation("e"), relation("r")],
            facts: values.iter().map(|v| Fact { relation: "e".into(), values: vec![v.clone()] }).collect(),
            rules: vec![Rule::new(atom("r"), vec![Literal::Atom(atom("e"))])],
            output: "r".into(),
            ..Program::default()
        }
    }

    /// What is read from an answer and written as facts is answered again, bit by bit, alone and with all others.
    pub fn facts_come_back(spec: &str, more: &[Constant]) {
        let engine = engine(spec);
        let dialect = engine.datalog().unwrap();
        let mut s = engine.open().unwrap();
        for kind in dialect.kinds.iter().chain(if dialect.floats_by_bits { dialect.loose_kinds } else { &[] }) {
            let mut values = facts::special(*kind, dialect);
            values.extend(more.iter().filter(|c| c.kind() == *kind).cloned());
            assert!(values.len() > 3, "{spec} {kind:?}");
            let each = values.iter().map(|v| vec![v.clone()]).chain([values.clone()]);
            for some in each {
                let text = print::program(&copied(*kind, &some), dialect, &[]);
                let rows = match s.run(&text) {
                    Outcome::Rows(rows) => rows,
                    other => panic!("{spec} {text}: {other:?}"),
                };
                let back = facts::tuples(&rows, &[*kind], dialect);
                let expected: BTreeSet<Vec<Constant>> = some.iter().map(|v| vec![v.clone()]).collect();
                assert_eq!(back, Some(expected), "{spec} {text}");
            }
        }
    }

    #[test]
    fn facts_are_carried_without_loss() {
        facts_come_back(&library("5.4.0"), &[]);
        facts_come_back("z3:4.11.2", &[]);
        facts_come_back("clingo:5.8.2", &[Constant::Number(-2147483647)]);
    }

    #[cfg(feature = "cozo")]
    #[test]
    fn cozo_carries_facts_without_loss() {
        let floats = [-f64::NAN, 5e-324, 1.7976931348623157e308, 1e21, 123456789.125].map(Constant::Float);
        facts_come_back("cozo", &floats);
        facts_come_back("cozo", &[i64::MIN, i64::MAX].map(Constant::Number));
    }

    #[cfg(feature = "mangle")]
    #[test]
    fn mangle_carries_facts_without_loss() {
        facts_come_back("mangle", &[i64::MIN, i64::MAX].map(Constant::Number));
    }

    /// The case of a program, in the dialect of Soufflé, on an engine.
    pub fn case(spec: &str, text: &str) -> (Case, Verdict) {
        case_of(spec, &parse::program(text).program)
    }

    pub fn case_of(spec: &str, program: &Program) -> (Case, Verdict) {
        let engine = engine(spec);
        let source = DatalogSource::new("ire", engine.datalog().unwrap(), program);
        let mut s = engine.open().unwrap();
        let (case, evidence) = complete::case(&source, Origin::default(), s.as_mut()).expect("a case");
        // What is stored is judged as what was run.
        let again = case.run(s.as_mut());
        assert_eq!(again.verdict, evidence.verdict);
        (case, again.verdict)
    }

    fn answers(verdict: &Verdict) -> (usize, usize) {
        match verdict {
            Verdict::Violated(d) => (d.left_rows, d.right_rows),
            other => panic!("{other:?}"),
        }
    }

    const TOO_MUCH: &str = ".decl e0(a:unsigned, b:unsigned)\n.decl e1(a:unsigned, b:unsigned)\n\
        .decl e2(a:unsigned)\n.decl r0(a:unsigned)\n.decl r1(a:unsigned)\n.decl r2(a:unsigned, b:unsigned)\n\
        .output r2\ne0(5, 0). e0(10, 14). e1(13, 10). e2(12).\nr0(b) :- e1(a, b), e1(c, d), e2(e).\n\
        r1(b) :- r0(a), e0(b, a), !e2(a).\nr2(c, a) :- r0(a), r0(b), e0(a, c), !e1(c, c), a > b.\n\
        r2(a, a) :- r1(a).\n";

    #[test]
    fn the_wrong_result_of_z3_5_4_0_is_a_case_and_another_release_is_right() {
        let (case, verdict) = case(&library("5.4.0"), TOO_MUCH);
        assert_eq!(answers(&verdict), (1, 0));
        // r0, r1 and both rules of r2 alone, r2 put together, and the program.
        assert_eq!(case.queries().count(), 6);
        assert!(matches!(&case.claim, Claim::Guarded { guards, .. } if guards.len() == 4));
        assert!(matches!(case.run(session(&library("4.8.7")).as_mut()).verdict, Verdict::Holds { .. }));
    }

    #[test]
    fn a_reference_that_answers_otherwise_claims_nothing() {
        let (mut case, _) = case(&library("5.4.0"), TOO_MUCH);
        let Claim::Guarded { guards, .. } = &mut case.claim else { panic!("no guards") };
        let Guard::Is { rows, .. } = &mut guards[0] else { panic!("another guard") };
        rows.cells[0] = Value::Int(11);
        assert!(matches!(case.run(session(&library("5.4.0")).as_mut()).verdict, Verdict::NotComparable { .. }));
    }

    /// Cycles and negation with a real engine: Figure 4 of the paper with one more relation to ask for.
    #[test]
    fn figure_4_on_clingo_and_z3() {
        let text = |kind: &str| {
            format!(
                ".decl a(x:{kind})\n.decl b(x:{kind})\n.decl n(x:{kind})\n.decl c(x:{kind})\n.decl d(x:{kind})\n\
                .output d\na(1). a(2). a(3). n(1).\nb(x) :- n(x).\nc(x) :- a(x), !b(x).\nd(x) :- c(x).\n\
                c(x) :- d(x).\nb(x) :- a(x), x = 2.\n"
            )
        };
        for (spec, kind) in [("clingo:5.8.2".to_owned(), "number"), (library("5.4.0"), "unsigned")] {
            let (case, verdict) = case(&spec, &text(kind));
            assert_eq!(verdict, Verdict::Holds { vacuous: false }, "{spec} {:#?}", case.script);
        }
    }

    #[cfg(feature = "cozo")]
    #[test]
    fn cozo_issue_122_is_a_case() {
        let text = ".decl a(x:float, y:number)\n.decl b(x:float, y:number)\n.decl c(x:number)\n\
            .decl d(x:float, y:number)\n.output d\na(-0.0, 1). a(0.0, 1).\nb(x, y) :- a(x, y), x >= 0.\n\
            c(y) :- a(_, y).\nd(x, y) :- c(y), b(x, y).\n";
        let mut program = parse::program(text).program;
        // An integer beside a float: that is what the bug is about.
        let Literal::Compare(_, _, zero) = &mut program.rules[0].body[1] else { panic!("no comparison") };
        *zero = Term::number(0);
        let (_, verdict) = case_of("cozo", &program);
        assert_eq!(answers(&verdict), (2, 1));
    }
}
