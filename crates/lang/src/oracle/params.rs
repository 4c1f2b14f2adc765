//! Parameters: a prepared statement with bound values. No paper: engines plan such a statement before they know the
//! values, keep the plan, or make another one for each value, and people's programs hardly send anything else.
//!
//! Claim: a query returns the same rows when literals in its conditions are parameters of a prepared statement that is
//! executed with those values, the first time and after several executions, when an engine may have changed from plans
//! for the values at hand to one for all values. It is written as the engine's own client takes it: PREPARE and
//! EXECUTE, with user variables where the dialect has them, or a command of the client that sets parameters.
//!
//! It does not hold, and is not claimed, where an expression is known by its text (keys of GROUP BY, HAVING, ORDER BY).
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c0 > 1;                                         -- the same rows as
//! PREPARE bound_query(INT) AS SELECT c0 FROM t0 WHERE c0 > $1;
//! EXECUTE bound_query(1);
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, equality, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{print, typing};
use qualm_core::case::{Effect, Step};
use qualm_core::dialect::sql::{Binding, Dialect, Kind};
use qualm_core::relation::Relation;
use std::collections::BTreeSet;

pub const SPEC: OracleSpec = OracleSpec {
    name: "params",
    claim: "a prepared statement with bound values returns what the query returns with literals",
    example: "SELECT a FROM t WHERE b > 1  =  PREPARE q AS SELECT a FROM t WHERE b > $1; EXECUTE q(1)",
    weight: 1,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    lacks: |dialect| (dialect.spelling.binding == Binding::None).then_some("bound values (`binding`)"),
    ..PLAIN
};

/// Forms: executed once; and with a plan that is meant for all values.
pub const ONCE: &str = "once";
pub const REPEATED: &str = "repeated";

/// Executions before the one that is compared. Five are what engines are known to decide after.
const EXECUTIONS: usize = 5;

/// Literals that become parameters; further ones stay. Each may cost a statement, and engines have limits.
const PARAMETERS: usize = 50;

/// The prepared statement.
const NAME: &str = "bound_query";

fn propose(g: &mut Generator) -> Option<Question> {
    let binding = g.dialect().spelling.binding;
    if binding == Binding::None {
        return None;
    }
    let form = if keeps_statements(binding) && g.rng.coin() { REPEATED } else { ONCE };
    let mut query = g.query();
    // A condition with a literal in it, where there is none.
    if query.select().is_some_and(|s| s.filter.is_none()) && bound(&query, g.dialect()).is_none() {
        let from = g.outer_from(g.shape.from);
        let filter = Some(g.predicate(g.shape.depth));
        let items = g.items(3);
        g.scope.clear();
        query = Query::of(Select { from, filter, items, ..Select::default() });
    }
    Some(Question::of(query, form))
}

/// Every question about a query that someone else wrote.
pub fn questions(query: &Query) -> Vec<Question> {
    [ONCE, REPEATED].iter().map(|form| Question::of(query.clone(), form)).collect()
}

/// Whether a statement is prepared once and executed often; otherwise the client prepares it each time.
fn keeps_statements(binding: Binding) -> bool {
    !matches!(binding, Binding::None | Binding::Shell | Binding::Braces)
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let binding = at.dialect.spelling.binding;
    if q.text.is_some() || q.form == REPEATED && !keeps_statements(binding) {
        return None;
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    let bound = bound(&q.query, at.dialect)?;
    if columns.is_empty() || bound.values.is_empty() {
        return None;
    }
    let mut script = vec![Step::query("with literals", print::query(&q.query, at.dialect))];
    let execute = match binding {
        Binding::None => return None,
        Binding::Shell => shell(&bound, &mut script, at.dialect)?,
        Binding::Braces => braces(&bound, &mut script, at.dialect)?,
        Binding::Numbered { typed } => numbered(&bound, typed, &mut script, at.dialect)?,
        Binding::Variables => variables(&bound, &mut script, at.dialect)?,
    };
    let label = if q.form == REPEATED {
        for (set, reset) in at.dialect.spelling.generic_plans {
            script.push(Step::with_effect(*set, Effect::Makes { undo: (*reset).into() }));
        }
        script.extend((0..EXECUTIONS).map(|_| Step::with_effect(execute.clone(), Effect::Within)));
        "with bound values, after several executions"
    } else {
        "with bound values"
    };
    script.push(Step::query(label, execute));
    let order = order(&q.query, at);
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality: equality(&columns) } })
}

fn makes(text: String, undo: impl Into<String>) -> Step {
    Step::with_effect(text, Effect::Makes { undo: undo.into() })
}

fn literals(bound: &Bound, dialect: &Dialect) -> Vec<String> {
    bound.values.iter().map(|l| print::expr(&Expr::Literal(l.clone()), dialect)).collect()
}

/// `.parameter set`, a command of the client, which takes off one pair of quotes before it looks at the value.
fn shell(bound: &Bound, script: &mut Vec<Step>, dialect: &Dialect) -> Option<String> {
    for (i, value) in literals(bound, dialect).into_iter().enumerate() {
        let argument = if value.contains(['\'', '"', ' ']) {
            format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
        } else {
            value
        };
        script.push(makes(format!(".parameter set @p{i} {argument}"), format!(".parameter unset @p{i}")));
    }
    Some(bound.text(|i| format!("@p{i}")))
}

/// `SET param_p0 = '1'` and `{p0:Int64}`.
fn braces(bound: &Bound, script: &mut Vec<Step>, dialect: &Dialect) -> Option<String> {
    let mut types = Vec::new();
    for (i, value) in bound.values.iter().enumerate() {
        let (name, text) = match value {
            Literal::Int(i) => ("Int64", i.to_string()),
            Literal::Text(t) => ("String", t.clone()),
            _ => return None,
        };
        types.push(name);
        let text = print::expr(&Expr::text(text), dialect);
        script.push(makes(format!("SET param_p{i} = {text}"), format!("SET param_p{i} = ''")));
    }
    Some(bound.text(|i| format!("{{p{i}:{}}}", types[i])))
}

/// `PREPARE q AS … $1` and `EXECUTE q(1)`.
fn numbered(bound: &Bound, typed: bool, script: &mut Vec<Step>, dialect: &Dialect) -> Option<String> {
    let type_of = |l: &Literal| dialect.plain_type(kind(l)?).map(|t| t.name);
    let types: Vec<&str> = bound.values.iter().map(type_of).collect::<Option<_>>()?;
    let types = if typed { format!("({})", types.join(", ")) } else { String::new() };
    let text = bound.text(|i| format!("${}", i + 1));
    script.push(makes(format!("PREPARE {NAME}{types} AS {text}"), format!("DEALLOCATE {NAME}")));
    Some(format!("EXECUTE {NAME}({})", literals(bound, dialect).join(", ")))
}

/// `SET @p0 = 1`, `PREPARE q FROM '… ?'` and `EXECUTE q USING @p0`.
fn variables(bound: &Bound, script: &mut Vec<Step>, dialect: &Dialect) -> Option<String> {
    let names: Vec<String> = (0..bound.values.len()).map(|i| format!("@p{i}")).collect();
    for (name, value) in names.iter().zip(literals(bound, dialect)) {
        script.push(makes(format!("SET {name} = {value}"), format!("SET {name} = NULL")));
    }
    let text = print::expr(&Expr::text(bound.text(|_| "?".into())), dialect);
    script.push(makes(format!("PREPARE {NAME} FROM {text}"), format!("DEALLOCATE PREPARE {NAME}")));
    // A question mark stands for the next value, whichever it is.
    let used: Vec<&str> = bound.order.iter().map(|i| names[*i].as_str()).collect();
    Some(format!("EXECUTE {NAME} USING {}", used.join(", ")))
}

// ---------------------------------------------------------------- literals to parameters

/// A query whose literals are cut out.
struct Bound {
    values: Vec<Literal>,
    /// The text around the places of parameters: one more than there are places.
    around: Vec<String>,
    /// Which value stands at each place, as the text is read.
    order: Vec<usize>,
}

impl Bound {
    fn text(&self, parameter: impl Fn(usize) -> String) -> String {
        let mut text = self.around[0].clone();
        for (value, behind) in self.order.iter().zip(&self.around[1..]) {
            text += &parameter(*value);
            text += behind;
        }
        text
    }
}

/// What a literal is printed as before its place is cut out, up to its number: words that no pool of values has.
const MARK: &str = "qualm_parameter_";

fn bound(query: &Query, dialect: &'static Dialect) -> Option<Bound> {
    let mut marked = query.clone();
    let mut found = Found { values: Vec::new(), dialect };
    found.query(&mut marked);
    let text = print::query(&marked, dialect);
    let place = format!("'{MARK}");
    let mut pieces = text.split(&place);
    let (mut around, mut order) = (vec![pieces.next()?.to_owned()], Vec::new());
    for piece in pieces {
        let (number, behind) = piece.split_once("_'")?;
        order.push(number.parse::<usize>().ok().filter(|i| *i < found.values.len())?);
        around.push(behind.to_owned());
    }
    // A literal that is printed in another way than others would have been lost.
    let seen: BTreeSet<usize> = order.iter().copied().collect();
    let whole = seen.len() == found.values.len() && !around.iter().any(|t| t.contains(MARK));
    (whole && !order.is_empty()).then_some(Bound { values: found.values, around, order })
}

struct Found {
    values: Vec<Literal>,
    dialect: &'static Dialect,
}

impl Found {
    /// Only conditions, and what conditions and FROM hold: elsewhere an expression may be known by its text.
    fn query(&mut self, q: &mut Query) {
        q.with.iter_mut().for_each(|cte| self.query(&mut cte.query));
        self.body(&mut q.body);
    }

    fn body(&mut self, body: &mut Body) {
        match body {
            Body::Select(s) => {
                for member in &mut s.from {
                    if let Source::Query { query, .. } = &mut member.source {
                        self.query(query);
                    }
                    member.on.iter_mut().for_each(|on| self.condition(on));
                }
                s.filter.iter_mut().for_each(|filter| self.condition(filter));
            }
            Body::Compound { left, right, .. } => {
                self.body(left);
                self.body(right);
            }
            Body::Values(_) => {}
        }
    }

    fn condition(&mut self, e: &mut Expr) {
        match e {
            Expr::Binary(Binary::And | Binary::Or, a, b) => [a, b].into_iter().for_each(|x| self.condition(x)),
            Expr::Unary(Unary::Not, x) | Expr::IsTruth { expr: x, .. } => self.condition(x),
            Expr::Binary(op, a, b) if op.is_comparison() => self.operands([&mut **a, &mut **b]),
            Expr::Between { low, high, .. } => self.operands([&mut **low, &mut **high]),
            Expr::InList { list, .. } => self.operands(list.iter_mut()),
            Expr::Like { pattern, escape: None, .. } => self.operands([&mut **pattern]),
            Expr::Exists { query, .. } | Expr::InQuery { query, .. } => self.query(query),
            _ => {}
        }
    }

    fn operands<'a>(&mut self, operands: impl IntoIterator<Item = &'a mut Expr>) {
        for operand in operands {
            if let Expr::Literal(literal) = operand
                && self.values.len() < PARAMETERS
                && self.fits(literal)
            {
                let marked = Literal::Text(format!("{MARK}{}_", self.values.len()));
                self.values.push(std::mem::replace(literal, marked));
            }
        }
    }

    /// Truth values and, where kinds are strict, NULL have no type of their own; a shell takes one line.
    fn fits(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Int(_) | Literal::Blob(_) => true,
            Literal::Real(r) => r.is_finite(),
            Literal::Text(t) => !t.contains(|c: char| c.is_control() || c == '\\'),
            Literal::Null => self.dialect.dynamic_typing,
            Literal::Bool(_) | Literal::Special(..) => false,
        }
    }
}

fn kind(literal: &Literal) -> Option<Kind> {
    match literal {
        Literal::Int(_) => Some(Kind::Int),
        Literal::Real(_) => Some(Kind::Real),
        Literal::Text(_) => Some(Kind::Text),
        Literal::Blob(_) => Some(Kind::Blob),
        Literal::Bool(_) => Some(Kind::Bool),
        Literal::Special(kind, _) => Some(Kind::Special(*kind)),
        Literal::Null => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::mysql::dialect::MYSQL;
    use qualm_engines::postgres::dialect::POSTGRES;
    use qualm_engines::sqlite::dialect::SQLITE;

    const QUERY: &str = "CREATE TABLE t(a INT, b TEXT); SELECT a FROM t WHERE a IN (1, 2) AND b = 'x ''y' ORDER BY a;";

    fn texts(dialect: &'static Dialect, script: &str, form: &str) -> Option<Vec<String>> {
        derived_texts(script, dialect, |query| Question::of(query, form), derive)
    }

    #[test]
    fn the_shell_of_sqlite_sets_parameters() {
        assert_eq!(
            texts(&SQLITE, QUERY, ONCE).unwrap()[1..],
            [
                ".parameter set @p0 1",
                ".parameter set @p1 2",
                ".parameter set @p2 \"'x ''y'\"",
                "SELECT t.a FROM t WHERE (t.a IN (@p0, @p1)) AND (t.b = @p2) ORDER BY t.a",
            ]
        );
        assert_eq!(texts(&SQLITE, QUERY, REPEATED), None, "the shell prepares each time");
    }

    #[test]
    fn a_long_list_has_few_parameters() {
        let list = vec!["7"; 20_000].join(", ");
        let script = format!("CREATE TABLE t(a INT); SELECT a FROM t WHERE a IN ({list});");
        let texts = texts(&SQLITE, &script, ONCE).unwrap();
        assert_eq!(texts.len(), 1 + PARAMETERS + 1);
        assert!(texts[PARAMETERS + 1].contains("@p49, 7, 7"));
    }

    #[test]
    fn statements_are_prepared_and_executed() {
        let once = texts(&POSTGRES, QUERY, ONCE).unwrap();
        assert!(once[1].starts_with("PREPARE bound_query(") && once[1].contains("(t.b = $3)"), "{}", once[1]);
        assert_eq!(once[2], "EXECUTE bound_query(1, 2, 'x ''y')");
        let repeated = texts(&POSTGRES, QUERY, REPEATED).unwrap();
        assert_eq!(repeated.iter().filter(|t| t.starts_with("EXECUTE")).count(), EXECUTIONS + 1);
        let variables = texts(&MYSQL, QUERY, ONCE).unwrap();
        assert!(variables[4].starts_with("PREPARE bound_query FROM 'SELECT "), "{}", variables[4]);
        assert_eq!(variables[5], "EXECUTE bound_query USING @p0, @p1, @p2");
    }

    #[test]
    fn keys_and_columns_keep_their_literals() {
        let grouped = "CREATE TABLE t(a INT); SELECT a > 1 FROM t GROUP BY a > 1 HAVING a > 1;";
        assert_eq!(texts(&SQLITE, grouped, ONCE), None);
    }
}
