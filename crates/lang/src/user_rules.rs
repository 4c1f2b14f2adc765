//! Rewrite rules that a user writes in a TOML file, as far as all languages share them: the keys, what is wrong with
//! them and in which line. What a pattern means is known to `sql/rules_file.rs`, `datalog/rules/user.rs` and
//! `graph/rewrite/user.rs`.

use qualm_core::case::Language;
use qualm_core::explore::NamedText;
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Spanned;

/// What the rewritten query's result must be to that of the query as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleRelation {
    #[default]
    Same,
    /// It has all the rows, and perhaps more.
    Contains,
    /// It has no others, and perhaps fewer.
    Contained,
}

/// A rule's name and its relation.
pub type NamedRelation = (String, RuleRelation);

pub const ALL_RELATIONS: &[RuleRelation] = &[RuleRelation::Same, RuleRelation::Contains, RuleRelation::Contained];

impl RuleRelation {
    pub const fn name(self) -> &'static str {
        match self {
            RuleRelation::Same => "same",
            RuleRelation::Contains => "contains",
            RuleRelation::Contained => "contained",
        }
    }

    pub fn is_same(&self) -> bool {
        *self == RuleRelation::Same
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    language: Option<Spanned<String>>,
    #[serde(default)]
    rule: Vec<Spanned<WrittenRule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRule {
    pub name: Spanned<String>,
    over: Spanned<String>,
    pub pattern: Spanned<String>,
    pub replacement: Spanned<String>,
    relation: Spanned<String>,
    pub precondition: Option<Spanned<String>>,
    pub expect: Option<Spanned<i64>>,
}

/// Where in the text something is wrong, and what.
pub type Wrong = (usize, String);

/// A rule that holds on any data, as a case keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserText {
    #[serde(default, skip_serializing_if = "RuleRelation::is_same")]
    pub relation: RuleRelation,
    pub pattern: String,
    pub replacement: String,
}

/// The part of such a rule that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Pattern,
    Replacement,
}

impl WrittenRule {
    /// An error about one of its texts.
    pub fn wrong(&self, field: &Spanned<String>, what: &str, why: &str) -> Wrong {
        (field.span().start, format!("{what} '{}' of rule '{}': {why}", field.get_ref(), self.name.get_ref()))
    }

    pub fn relation(&self) -> Result<RuleRelation, Wrong> {
        let known = ALL_RELATIONS.iter().find(|r| r.name() == self.relation.get_ref());
        let why = "unknown relation; write relation = \"same\", \"contains\" or \"contained\"";
        known.copied().ok_or_else(|| self.wrong(&self.relation, "relation", why))
    }

    /// Where the rule may be applied, one of the names in the table.
    pub fn over<T: Copy>(&self, table: &[(&str, T)]) -> Result<T, Wrong> {
        let found = table.iter().find(|(name, _)| name == self.over.get_ref());
        found.map(|(_, over)| *over).ok_or_else(|| {
            let names: Vec<String> = table.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.wrong(&self.over, "over", &format!("unknown place; write over = {}", names.join(" or ")))
        })
    }

    /// A rule of a language whose rules hold on any data and are applied in one sort of place.
    pub fn plain<R>(
        &self,
        over: &str,
        make: impl FnOnce(&str, &UserText) -> Result<R, (Part, String)>,
    ) -> Result<R, Wrong> {
        self.over(&[(over, ())])?;
        self.refuse_precondition()?;
        let text = UserText {
            relation: self.relation()?,
            pattern: self.pattern.get_ref().clone(),
            replacement: self.replacement.get_ref().clone(),
        };
        make(self.name.get_ref(), &text).map_err(|(part, why)| match part {
            Part::Pattern => self.wrong(&self.pattern, "pattern", &why),
            Part::Replacement => self.wrong(&self.replacement, "replacement", &why),
        })
    }

    fn refuse_precondition(&self) -> Result<(), Wrong> {
        match (&self.precondition, &self.expect) {
            (Some(text), _) => Err(self.wrong(text, "precondition", "only rules of SQL can have one; leave it out")),
            (None, Some(number)) => Err((number.span().start, "'expect' belongs to a precondition".into())),
            (None, None) => Ok(()),
        }
    }
}

pub fn load(file: &Path) -> Result<NamedText, String> {
    let text = files::text(file, "the rules", FILE_BYTES)?;
    Ok(NamedText { name: file.display().to_string(), text })
}

/// As a file writes it.
fn key(language: Language) -> String {
    language.title().to_lowercase()
}

/// The language that the file is for: SQL unless it names another.
pub fn language(source: &NamedText) -> Result<Language, String> {
    of_file(&source.text).map(|(_, language)| language).map_err(|wrong| placed(source, wrong))
}

/// The rules of a file for this language. Errors say file, line, what is wrong and what to do.
pub fn read<R>(
    source: &NamedText,
    wanted: Language,
    make: impl Fn(&WrittenRule, usize) -> Result<R, Wrong>,
) -> Result<Vec<R>, String> {
    rules_of(&source.text, wanted, make).map_err(|wrong| placed(source, wrong))
}

fn placed(source: &NamedText, (at, why): Wrong) -> String {
    let line = 1 + source.text.as_bytes()[..at.min(source.text.len())].iter().filter(|b| **b == b'\n').count();
    format!("{}:{line}: {why}", source.name)
}

fn of_file(text: &str) -> Result<(Written, Language), Wrong> {
    let written: Written =
        toml::from_str(text).map_err(|e| (e.span().map_or(0, |s| s.start), e.message().trim_end().to_owned()))?;
    let Some(named) = &written.language else { return Ok((written, crate::sql::LANGUAGE)) };
    let Some(language) = Language::ALL.into_iter().find(|l| key(*l) == *named.get_ref()) else {
        let known = Language::ALL.map(|l| format!("\"{}\"", key(l))).join(", ");
        return Err((named.span().start, format!("unknown language '{}'; known: {known}", named.get_ref())));
    };
    Ok((written, language))
}

fn rules_of<R>(
    text: &str,
    wanted: Language,
    make: impl Fn(&WrittenRule, usize) -> Result<R, Wrong>,
) -> Result<Vec<R>, Wrong> {
    let (written, language) = of_file(text)?;
    if language != wanted {
        let at = written.language.map_or(0, |l| l.span().start);
        let (has, wants) = (key(language), key(wanted));
        return Err((at, format!("rules of language = \"{has}\", but that of the engine is \"{wants}\"")));
    }
    if written.rule.is_empty() {
        return Err((0, "no rule here; write [[rule]] with name, over, pattern, replacement and relation".into()));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut rules = Vec::with_capacity(written.rule.len());
    for rule in &written.rule {
        let name = &rule.get_ref().name;
        if name.get_ref().trim().is_empty() {
            return Err((name.span().start, "a rule without a name; give it one".into()));
        }
        rules.push(make(rule.get_ref(), rule.span().start)?);
        if names.contains(&name.get_ref().as_str()) {
            let why = format!("a second rule '{}'; give each its own name", name.get_ref());
            return Err((name.span().start, why));
        }
        names.push(name.get_ref());
    }
    Ok(rules)
}

/// What came of trying a rule where the right answer is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// Rewritten queries that were run, and those that a precondition kept from being judged.
    pub applied: u64,
    pub kept_out: u64,
    /// Results compared that were not empty.
    pub judged: u64,
    /// What the engine said when it took the query but not the rewritten one, the first time.
    pub refused: Option<String>,
    pub counterexample: Option<String>,
}
