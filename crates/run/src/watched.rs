//! A session that notes what a hunt reaches: the steps of plans, and the names of functions that were called in
//! what the engine took. Each is a line in a file of its own process, written when it is first met, so that an
//! engine that takes the process down takes nothing of it along. `qualm bench coverage` reads these files.

use qualm_core::plan::Plan;
use qualm_core::session::{Outcome, Session};
use qualm_core::slowness::Work;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Statements whose plans are looked at.
const PLANNED: &[&str] = &["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "VALUES"];

pub struct Watched {
    session: Box<dyn Session>,
    file: File,
    /// Nothing is noted before the hunt itself begins: probes call everything.
    pub begun: Arc<AtomicBool>,
    seen: BTreeSet<String>,
}

impl Watched {
    pub fn new(session: Box<dyn Session>, folder: &Path) -> io::Result<Watched> {
        let file = File::create(folder.join(format!("{}.seen", std::process::id())))?;
        Ok(Watched { session, file, begun: Arc::default(), seen: BTreeSet::new() })
    }

    fn note(&mut self, line: String) {
        if !self.seen.contains(&line) {
            // A line that cannot be written is missing in a table, and nothing else.
            let _ = writeln!(self.file, "{line}");
            self.seen.insert(line);
        }
    }

    fn look_at(&mut self, text: &str) {
        let first = text.trim_start_matches('(').split_whitespace().next().unwrap_or_default();
        if PLANNED.iter().any(|word| first.eq_ignore_ascii_case(word))
            && let Some(plan) = self.session.plan(text)
        {
            plan.nodes.into_iter().for_each(|node| self.note(format!("operator\t{}", node.operator)));
        }
    }
}

/// What all processes that watched noted in a folder: operators and functions.
pub fn read(folder: &Path) -> io::Result<(BTreeSet<String>, BTreeSet<String>)> {
    let (mut operators, mut functions) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(folder)? {
        for line in fs::read_to_string(entry?.path())?.lines() {
            match line.split_once('\t') {
                Some(("operator", name)) => operators.insert(name.to_owned()),
                Some(("function", name)) => functions.insert(name.to_owned()),
                _ => false,
            };
        }
    }
    Ok((operators, functions))
}

/// Words that a bracket follows, outside of quotes.
pub fn called(text: &str) -> BTreeSet<&str> {
    let bytes = text.as_bytes();
    let mut names = BTreeSet::new();
    let (mut at, mut quote, mut word) = (0, None, None);
    while at < bytes.len() {
        let b = bytes[at];
        match quote {
            Some(q) if b == q => quote = None,
            Some(_) => {}
            None if matches!(b, b'\'' | b'"' | b'`') => (quote, word) = (Some(b), None),
            None if b.is_ascii_alphanumeric() || b == b'_' => word = word.or(Some(at)),
            None => {
                if let (b'(', Some(from)) = (b, word) {
                    names.insert(&text[from..at]);
                }
                word = None;
            }
        }
        at += 1;
    }
    names
}

impl Session for Watched {
    fn run(&mut self, text: &str) -> Outcome {
        if !self.begun.load(Ordering::Relaxed) {
            return self.session.run(text);
        }
        self.look_at(text);
        let outcome = self.session.run(text);
        if outcome.is_ok() {
            called(text).into_iter().for_each(|name| self.note(format!("function\t{}", name.to_ascii_lowercase())));
        }
        outcome
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        self.session.plan(query)
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        self.session.estimate(query)
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        self.session.work(query)
    }

    fn reset(&mut self) -> Result<(), String> {
        self.session.reset()
    }

    fn mark(&mut self) {
        self.session.mark();
    }

    fn about(&mut self, source: &dyn Fn() -> Option<String>) {
        self.session.about(source);
    }

    fn allow_work(&mut self, times: u32) {
        self.session.allow_work(times);
    }

    fn limit_time(&mut self, ms: u64) {
        self.session.limit_time(ms);
    }

    fn bundle(&self) -> Option<usize> {
        self.session.bundle()
    }

    fn engine_nanos(&self) -> u64 {
        self.session.engine_nanos()
    }

    fn exhausted(&self) -> Option<&str> {
        self.session.exhausted()
    }

    fn waits(&self) -> bool {
        self.session.waits()
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.session.server_cpu_seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_brackets_are_calls() {
        let text = "SELECT lower(c0), 'upper(x)', \"abs\"(1), max (2) FROM t WHERE f1(g(2)) > (3)";
        assert_eq!(called(text).into_iter().collect::<Vec<_>>(), ["f1", "g", "lower"]);
    }
}
