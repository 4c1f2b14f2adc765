//! µZ in the form of bddbddb: one domain, upper-case variables (lower-case names would be constants to its parser), no
//! arithmetic. Switches are comments that a driver turns into arguments.

use super::*;

struct Bddbddb;

pub fn program(p: &Program, dialect: &DatalogDialect, switches: &[&str]) -> String {
    let mut out: Vec<String> = switches.iter().map(|line| (*line).to_owned()).collect();
    out.push(format!("Z {}", dialect.domain.unwrap_or(64)));
    out.push(String::new());
    for r in &p.relations {
        let attributes: Vec<String> = (0..r.arity()).map(|i| format!("A{i}:Z")).collect();
        let mut line = format!("{}({})", r.name, attributes.join(", "));
        if !p.is_derived(&r.name) {
            line.push_str(" input");
        }
        if r.name == p.output {
            line.push_str(" printtuples");
        }
        out.push(line);
    }
    out.push(String::new());
    out.extend(p.facts.iter().map(|f| Bddbddb.fact(f)));
    out.extend(p.rules.iter().map(|r| Bddbddb.rule(r)));
    lines(out)
}

impl Style for Bddbddb {
    fn var(&self, v: Var) -> String {
        format!("X{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        plain_constant(c)
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        plain_binary(o, &a, &b)
    }

    fn aggregate(&self, a: &Aggregate) -> String {
        format!("{:?}", a.fold)
    }
}
