//! The text of a program that grows rule by rule, for the engine alone: what stands already is not printed again. Only
//! for the forms whose engines run in this process; beside the start of another process printing a program once more
//! costs nothing.

use super::*;

pub struct GrowingText {
    dialect: &'static DatalogDialect,
    /// Declarations, facts and rules, as far as the form has them.
    declarations: String,
    facts: String,
    rules: String,
    /// The sizes before each rule, to take it back.
    before: Vec<(usize, usize, usize, Var)>,
    /// Names of aggregates that were given, variables that were declared.
    counted: usize,
    vars: Var,
}

impl GrowingText {
    pub fn new(dialect: &'static DatalogDialect) -> GrowingText {
        let (declarations, facts, rules) = Default::default();
        GrowingText { dialect, declarations, facts, rules, before: Vec::new(), counted: 0, vars: 0 }
    }

    fn is_kept(&self) -> bool {
        matches!(self.dialect.form, Form::Cozo | Form::Smt2 | Form::Clingo | Form::Mangle)
    }

    /// Everything anew, because something other than a rule has changed.
    pub fn start(&mut self, program: &Program) {
        *self = GrowingText::new(self.dialect);
        if !self.is_kept() {
            return;
        }
        program.relations.iter().for_each(|r| self.declare(r));
        self.facts = lines(match self.dialect.form {
            Form::Cozo => program.relations.iter().flat_map(|r| cozo::data(program, r)).collect(),
            Form::Smt2 => program.facts.iter().map(|f| smt2::style(self.dialect).fact(f)).collect(),
            Form::Clingo => program.facts.iter().map(|f| clingo::Clingo.fact(f)).collect(),
            _ => program.facts.iter().map(|f| mangle::Mangle.fact(f)).collect::<Vec<_>>(),
        });
        program.rules.iter().for_each(|r| self.push(r));
    }

    pub fn declare(&mut self, r: &Relation) {
        if self.dialect.form == Form::Smt2 {
            let _ = writeln!(self.declarations, "{}", smt2::declaration(r));
        }
    }

    /// Takes the last declaration back, which no rule came after.
    pub fn undeclare(&mut self, r: &Relation) {
        if self.dialect.form == Form::Smt2 {
            self.declarations.truncate(self.declarations.len() - smt2::declaration(r).len() - 1);
        }
    }

    pub fn push(&mut self, rule: &Rule) {
        self.before.push((self.declarations.len(), self.rules.len(), self.counted, self.vars));
        match self.dialect.form {
            Form::Cozo => {
                for head in &rule.heads {
                    let clause = cozo::FOR_THE_PARSER.clause(head, &rule.body, &mut self.counted);
                    self.rules.push_str(&lines(clause));
                }
            }
            Form::Smt2 => {
                self.vars = self.vars.max(rule.fresh_var());
                let _ = writeln!(self.rules, "{}", smt2::style(self.dialect).rule(rule));
            }
            Form::Clingo => {
                let _ = writeln!(self.rules, "{}", clingo::Clingo.rule(rule));
            }
            Form::Mangle => {
                let _ = writeln!(self.rules, "{}", mangle::Mangle.rule(rule));
            }
            _ => {}
        }
    }

    /// Takes the last rule back, and the declaration that came just before it, if one did.
    pub fn pop(&mut self, declared: Option<&Relation>) {
        let Some((declarations, rules, counted, vars)) = self.before.pop() else { return };
        self.rules.truncate(rules);
        (self.counted, self.vars) = (counted, vars);
        self.declarations.truncate(declarations);
        declared.into_iter().for_each(|r| self.undeclare(r));
    }

    /// The whole program with another output. `program` is the same as what was started with and pushed since.
    pub fn text(&self, program: &Program, output: &Relation, switches: &[String]) -> String {
        if !self.is_kept() {
            let program = Program { output: output.name.clone(), ..program.clone() };
            return super::for_the_parser(&program, self.dialect, switches);
        }
        let mut switched = String::new();
        for s in switches.iter().filter_map(|s| self.dialect.switch(s)) {
            let _ = writeln!(switched, "{}", s.text);
        }
        let GrowingText { declarations, facts, rules, .. } = self;
        match self.dialect.form {
            Form::Cozo => [facts, rules, cozo::output_query(output).as_str(), &switched].concat(),
            Form::Smt2 => {
                let (head, sort) = (smt2::ENGINE, smt2::style(self.dialect).sort());
                let vars = smt2::style(self.dialect).vars(self.vars);
                let query = smt2::query(&output.name);
                [head, &switched, &sort, declarations, &vars, facts, rules, &query].concat()
            }
            Form::Clingo => [&switched, facts, rules, clingo::shown(output).as_str()].concat(),
            _ => [mangle::output_query(&output.name).as_str(), facts, rules].concat(),
        }
    }
}
