use super::*;
use qualm_engines::sqlite::dialect::SQLITE;

const TABLES: &str = "CREATE TABLE t(a INT, b INT); CREATE TABLE u(c TEXT);";

fn rules(text: &str) -> Result<Vec<UserRule>, String> {
    read(&NamedText { name: "mine.toml".into(), text: text.into() }, &SQLITE)
}

fn rule(over: &str, pattern: &str, replacement: &str, more: &str) -> String {
    format!(
        "[[rule]]\nname = \"r\"\nover = \"{over}\"\npattern = \"{pattern}\"\nreplacement = \"{replacement}\"\n\
         relation = \"same\"\n{more}"
    )
}

/// Every rewriting of a query by a rule, with its precondition.
fn rewritten(rule: &str, query: &str) -> Vec<(String, Option<String>)> {
    let rules = rules(rule).unwrap();
    let mut parsed = parse::script(&format!("{TABLES}{query}"), &SQLITE);
    let Some(What::Query(q)) = parsed.pop().map(|p| p.what) else { panic!("the query is not read") };
    let rule = &rules[0];
    (0..rule.sites(&q, &Schema::default()))
        .filter_map(|site| {
            let mut q = q.clone();
            let applied = rule.apply(site, &mut q)?;
            Some((print::query(&q, &SQLITE), applied.precondition.map(|p| format!("{} = {}", p.sql, p.expect))))
        })
        .collect()
}

#[test]
fn a_predicate_is_rewritten_under_its_precondition() {
    let text = rule(
        "predicate",
        "$C = $e",
        "$C = $e AND $C IS NOT NULL",
        "precondition = \"SELECT count(*) FROM $T WHERE $C IS NULL\"\nexpect = 0\n",
    );
    let got = rewritten(&text, "SELECT a FROM t AS x WHERE a = 1 OR NOT x.b = a + 1");
    let precondition = |c: &str| Some(format!("SELECT count(*) FROM t AS x WHERE x.{c} IS NULL = 0"));
    assert_eq!(
        got,
        [
            (
                "SELECT x.a FROM t AS x WHERE ((x.a = 1) AND (x.a IS NOT NULL)) OR (NOT (x.b = (x.a + 1)))".into(),
                precondition("a")
            ),
            (
                "SELECT x.a FROM t AS x WHERE (x.a = 1) OR (NOT ((x.b = (x.a + 1)) AND (x.b IS NOT NULL)))".into(),
                precondition("b")
            ),
        ]
    );
    // A column of a subquery or on the open side of an outer join has no table to ask.
    assert_eq!(rewritten(&text, "SELECT c FROM u LEFT JOIN t ON 1 WHERE t.a = 1"), []);
    assert_eq!(rewritten(&text, "SELECT c FROM t LEFT JOIN u ON c = 'a' WHERE t.a = 1").len(), 1);
    assert_eq!(rewritten(&text, "SELECT s.a FROM (SELECT a FROM t) AS s WHERE s.a = 1"), []);
}

#[test]
fn expressions_and_tables_are_rewritten() {
    let double = rule("expression", "$e1 + $e2", "$e2 + $e1", "");
    assert_eq!(
        rewritten(&double, "SELECT a + b FROM t WHERE abs(a + 1) > 2").into_iter().map(|r| r.0).collect::<Vec<_>>(),
        ["SELECT t.b + t.a FROM t WHERE abs(t.a + 1) > 2", "SELECT t.a + t.b FROM t WHERE abs(1 + t.a) > 2"]
    );
    let nested =
        rule("table", "$T", "(SELECT * FROM $T)", "precondition = \"SELECT count(*) > 0 FROM $T\"\nexpect = 1");
    assert_eq!(
        rewritten(&nested, "SELECT x.a FROM t AS x, u"),
        [
            ("SELECT x.a FROM (SELECT * FROM t) AS x, u".into(), Some("SELECT count(*) > 0 FROM t = 1".into())),
            ("SELECT x.a FROM t AS x, (SELECT * FROM u) AS u".into(), Some("SELECT count(*) > 0 FROM u = 1".into())),
        ]
    );
    let same = rule("predicate", "$C = $C", "$C IS NOT NULL", "");
    assert_eq!(rewritten(&same, "SELECT a FROM t WHERE a = b AND b = b").len(), 1);
    let joined = rule(
        "predicate",
        "$T1.$C1 = $T2.$C2",
        "$T2.$C2 = $T1.$C1",
        "precondition = \"SELECT count(*) FROM $T2\"\nexpect = 1",
    );
    assert_eq!(
        rewritten(&joined, "SELECT a FROM t, u WHERE a = c"),
        [("SELECT t.a FROM t, u WHERE u.c = t.a".into(), Some("SELECT count(*) FROM u = 1".into()))]
    );
}

#[test]
fn errors_say_where_and_what_to_do() {
    for (text, why) in [
        ("", "mine.toml:1: no rule here; write [[rule]] with name, over, pattern, replacement and relation"),
        ("[[rule]]\nname = 1\n", "mine.toml:2: invalid type: integer `1`, expected a string"),
        (
            &rule("predicate", "$C = ", "$C", ""),
            "mine.toml:4: pattern '$C = ' of rule 'r': Expected: an expression, found: EOF",
        ),
        (
            &rule("predicate", "$C = $x", "$C", ""),
            "mine.toml:4: unknown metavariable '$x'; known ones: $p (predicate), $e (expression), $C (column), \
             $L (literal), $T (table), optionally followed by a number",
        ),
        (
            &rule("predicate", "$C", "$C AND $p", ""),
            "mine.toml:5: '$p' is in the replacement of rule 'r' but not in its pattern",
        ),
        (
            &rule("predicate", "$p", "$p", "precondition = \"SELECT 1 FROM $T\"\nexpect = 0"),
            "mine.toml:7: '$T' is in the precondition of rule 'r' but not in its pattern",
        ),
        (
            &rule("predicate", "$p", "$p", "precondition = \"SELECT 1\""),
            "mine.toml:7: precondition 'SELECT 1' of rule 'r': add the expected result: expect = 0",
        ),
        (&rule("predicate", "$p", "$p", "expect = 1"), "mine.toml:1: rule 'r' has 'expect' but no 'precondition'"),
        (
            &rule("table", "(SELECT 1)", "$T", ""),
            "mine.toml:4: pattern '(SELECT 1)' of rule 'r': a pattern over tables must be $T or the name of a table",
        ),
        (
            &rule("predicate", "$p", "$p", "").replace("same", "less"),
            "mine.toml:6: relation 'less' of rule 'r': unknown relation; write relation = \"same\", \"contains\" or \
             \"contained\"",
        ),
        (
            &rule("predicate", "$p", "$p", &rule("predicate", "$p", "$p", "")),
            "mine.toml:8: a second rule 'r'; give each its own name",
        ),
    ] {
        assert_eq!(rules(text).unwrap_err(), why);
    }
    assert_eq!(
        rules(&rule("query", "$p", "$p", "")).unwrap_err(),
        "mine.toml:3: over 'query' of rule 'r': unknown place; write over = \"predicate\" or \"expression\" or \
         \"table\""
    );
    assert_eq!(
        rules(&rule("table", "$T", "(SELECT * FROM $T)", "").replace("same", "contains")).unwrap_err(),
        "mine.toml:1: rule 'r': only a rule over predicates may have another relation than \"same\""
    );
    assert_eq!(rules("language = \"datalog\"\n[[rule]]\n").unwrap_err(), "mine.toml:2: missing field `name`");
    let other = format!("language = \"datalog\"\n{}", rule("predicate", "$p", "$p", ""));
    assert_eq!(
        rules(&other).unwrap_err(),
        "mine.toml:1: rules of language = \"datalog\", but that of the engine is \"sql\""
    );
}
