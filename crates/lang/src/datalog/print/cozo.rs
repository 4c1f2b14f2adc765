//! CozoScript: no declarations; a head holds variables only, so everything else is unified in the body; a relation is
//! either data or rules, so facts beside rules get a relation of their own; an aggregate gets one too.

use super::*;

/// With what a list of arguments ends, and a body.
pub struct Cozo {
    end: &'static str,
    body_end: &'static str,
}

pub const FOR_PEOPLE: Cozo = Cozo { end: "", body_end: "" };
/// CozoDB's parser looks for an element and a comma, and reads the element again where there is none: the last subgoal
/// of a body four times, each with its last argument twice as often. A comma at the end spares it more than half. After
/// it, only a semicolon keeps the next rule's head from being taken for a subgoal.
pub const FOR_THE_PARSER: Cozo = Cozo { end: ",", body_end: ",;" };

pub fn program(p: &Program, switches: &[&str], style: Cozo) -> String {
    let mut out = Vec::new();
    for r in &p.relations {
        out.extend(data(p, r));
    }
    let mut counted = 0;
    for rule in &p.rules {
        for head in &rule.heads {
            out.extend(style.clause(head, &rule.body, &mut counted));
        }
    }
    let switches = lines(switches.iter().map(|line| (*line).to_owned()));
    let query = p.relation(&p.output).map(output_query).unwrap_or_default();
    [lines(out), query, switches].concat()
}

/// The line that asks for a relation.
pub fn output_query(output: &Relation) -> String {
    let columns: Vec<String> = (0..output.arity()).map(|i| format!("c{i}")).collect();
    format!("?[{0}] := {1}[{0}]\n", columns.join(", "), output.name)
}

/// The facts of a relation.
pub fn data(p: &Program, r: &Relation) -> Vec<String> {
    let tuple = |f: &Fact| format!("[{}]", f.values.iter().map(datum).collect::<Vec<_>>().join(", "));
    let facts: Vec<String> = p.facts.iter().filter(|f| f.relation == r.name).map(tuple).collect();
    let columns: Vec<String> = (0..r.arity()).map(|i| format!("c{i}")).collect();
    let columns = columns.join(", ");
    let derived = p.is_derived(&r.name);
    match (facts.is_empty(), derived) {
        (true, true) => Vec::new(),
        (_, false) => vec![format!("{}[{columns}] <- [{}]", r.name, facts.join(", "))],
        (false, true) => vec![
            format!("{}_facts[{columns}] <- [{}]", r.name, facts.join(", ")),
            format!("{0}[{columns}] := {0}_facts[{columns}]", r.name),
        ],
    }
}

/// A value in a list of facts. What has no literal is computed.
fn datum(c: &Constant) -> String {
    match c {
        // The parser reads the digits before the sign.
        Constant::Number(i64::MIN) => format!("{} - 1", i64::MIN + 1),
        Constant::Float(f) if f.is_nan() && f.is_sign_negative() => "-to_float('NAN')".into(),
        Constant::Float(f) if f.is_nan() => "to_float('NAN')".into(),
        Constant::Float(f) if f.is_infinite() => format!("to_float('{}')", if *f > 0.0 { "INF" } else { "NEG_INF" }),
        Constant::Symbol(s) => single_quoted(s),
        other => plain_constant(other),
    }
}

/// Only these strings have escapes; between double quotes a backslash is itself, and blanks at the start are lost.
fn single_quoted(s: &str) -> String {
    let mut out = String::with_capacity(s.len() + 2);
    out.push('\'');
    for c in s.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

impl Cozo {
    /// A rule, after the rules of its aggregates.
    pub fn clause(&self, head: &Atom, body: &[Literal], counted: &mut usize) -> Vec<String> {
        let mut out = Vec::new();
        let mut parts = Vec::new();
        for literal in body {
            match literal {
                Literal::Compare(c, a, b) if a.has_aggregate() || b.has_aggregate() => {
                    let mut sides = Vec::new();
                    for side in [a, b] {
                        let Term::Aggregate(aggregate) = side else {
                            sides.push(self.term(side));
                            continue;
                        };
                        let (name, value) = (format!("count{counted}"), format!("n{counted}"));
                        *counted += 1;
                        let (aggregated, body) = (self.aggregate(aggregate), self.named(&aggregate.body));
                        out.push(format!("{name}[{aggregated}] := {body}{}", self.body_end));
                        parts.push(format!("{name}[{value}]"));
                        sides.push(value);
                    }
                    // Either side has a value of its own by now, or is the variable that gets one.
                    let sign = if *c == Comparison::Equal { "=" } else { self.comparison(*c) };
                    parts.push(format!("{} {sign} {}", sides[0], sides[1]));
                }
                other => parts.push(self.literal(other)),
            }
        }
        let mut columns: Vec<String> = Vec::new();
        for (i, arg) in head.args.iter().enumerate() {
            let text = self.term(arg);
            if matches!(arg, Term::Var(_)) && !columns.contains(&text) {
                columns.push(text);
            } else {
                parts.push(format!("h{i} = {text}"));
                columns.push(format!("h{i}"));
            }
        }
        let (columns, parts) = (columns.join(", "), parts.join(", "));
        out.push(format!("{}[{columns}{}] := {parts}{}", head.relation, self.end, self.body_end));
        out
    }

    /// A body whose wildcards have names, because each solution counts.
    fn named(&self, body: &[Literal]) -> String {
        let mut next = 0;
        let parts: Vec<String> = body
            .iter()
            .map(|l| match l {
                Literal::Atom(a) => {
                    let arg = |t: &Term| match t {
                        Term::Wildcard => {
                            next += 1;
                            format!("w{next}")
                        }
                        other => self.term(other),
                    };
                    let args: Vec<String> = a.args.iter().map(arg).collect();
                    format!("{}[{}{}]", a.relation, args.join(", "), self.end)
                }
                other => self.literal(other),
            })
            .collect();
        parts.join(", ")
    }
}

impl Style for Cozo {
    fn var(&self, v: Var) -> String {
        format!("x{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        match c {
            Constant::Number(n) if *n < 0 => format!("({})", datum(c)),
            Constant::Float(f) if f.is_sign_negative() => format!("({})", datum(c)),
            other => datum(other),
        }
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        match o {
            Operator::Concat => format!("concat({a}, {b})"),
            Operator::Remainder => format!("mod({a}, {b})"),
            other => plain_binary(other, &a, &b),
        }
    }

    fn call(&self, function: Function, t: String) -> String {
        match function {
            Function::Length => format!("length({t})"),
            Function::Lower => format!("lowercase({t})"),
            Function::Upper => format!("uppercase({t})"),
            Function::Absolute => format!("abs({t})"),
            Function::BitNot => format!("bit_not({t})"),
            Function::ToText => format!("to_string({t})"),
            Function::ToNumber => format!("to_int({t})"),
            Function::ToUnsigned => format!("to_uint({t})"),
            Function::ToFloat => format!("to_float({t})"),
            Function::LogicalNot => format!("!({t})"),
            Function::Ordinal => format!("ord({t})"),
        }
    }

    fn test(&self, test: Test, part: &Term, whole: &Term) -> String {
        let name = match test {
            Test::Contains => "str_includes",
            Test::StartsWith => "starts_with",
            Test::EndsWith => "ends_with",
            Test::Matches => "regex_matches",
            Test::Lacks => "!str_includes",
            Test::Differs => "!regex_matches",
        };
        format!("{name}({}, {})", self.term(whole), self.term(part))
    }

    fn aggregate(&self, a: &Aggregate) -> String {
        // Any variable of the body does: none is null, so all solutions are counted.
        let mut var = None;
        a.body.iter().for_each(|l| l.each_var(&mut |v| var = var.or(Some(v))));
        let counted = var.map_or("w1".into(), |v| self.var(v));
        format!("count({})", a.target.as_ref().map_or(counted, |t| self.term(t)))
    }

    fn negated(&self, atom: String) -> String {
        format!("not {atom}")
    }

    fn atom(&self, a: &Atom) -> String {
        format!("{}[{}{}]", a.relation, self.terms(&a.args), self.end)
    }

    fn compare(&self, c: Comparison, a: &Term, b: &Term) -> String {
        // One sign unifies, and binds a variable; the other compares.
        let unifies = matches!(a, Term::Var(_)) || matches!(b, Term::Var(_));
        match c {
            Comparison::Equal if unifies => {
                let (a, b) = if matches!(a, Term::Var(_)) { (a, b) } else { (b, a) };
                format!("{} = {}", self.term(a), self.term(b))
            }
            Comparison::Equal => format!("{} == {}", self.term(a), self.term(b)),
            other => format!("{} {} {}", self.term(a), plain_comparison(other), self.term(b)),
        }
    }

    fn literal(&self, l: &Literal) -> String {
        match l {
            Literal::Atom(a) => self.atom(a),
            Literal::Not(a) => self.negated(self.atom(a)),
            Literal::Compare(c, a, b) => self.compare(*c, a, b),
            Literal::Test(test, a, b) => self.test(*test, a, b),
            Literal::Or(arms) => {
                let arm = |arm: &Vec<Literal>| {
                    let parts: Vec<String> = arm.iter().map(|l| self.literal(l)).collect();
                    if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) }
                };
                format!("({})", arms.iter().map(arm).collect::<Vec<_>>().join(" or "))
            }
        }
    }
}
