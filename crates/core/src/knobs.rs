//! Settings of an engine that must not change answers, as data: a file per engine (`knobs/ENGINE.toml`) says what each
//! may be set to, which operators of a plan it concerns, and which settings are left alone and why.
//!
//! The live engine says which settings there are; the file only classifies them. What the file does not know
//! is listed and never flipped. A flip carries its own statements, so that a case needs no file to be made again.

#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::explore::NamedText;
use crate::known::glob;
use crate::plan::Plan;
use crate::session::{Engine, Outcome, Session};
use crate::value::Value;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A file of knobs. In its statements `{name}`, `{value}` and `{current}` stand for a setting, its new and its present
/// value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnobFile {
    /// Lists the settings that the engine has: two columns, name and present value.
    #[serde(default)]
    pub list: String,
    #[serde(default)]
    pub set: String,
    #[serde(default)]
    pub reset: String,
    /// Points belong to the names of settings, as in `datafusion.optimizer.x`; otherwise `a.b` is the part b of a
    /// setting a that is a list.
    #[serde(default)]
    pub dotted_names: bool,
    #[serde(default)]
    pub group: BTreeMap<String, Group>,
    #[serde(default)]
    pub knob: Vec<Row>,
    #[serde(default)]
    pub excluded: Vec<Excluded>,
}

/// Settings that one statement switches off together. `{members}` stands for their names with commas between them,
/// `{mask}` for the number whose bits they are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub set: String,
    pub reset: String,
    /// Lists the members that the engine has, in the first column.
    #[serde(default)]
    pub list: String,
}

/// `A.B` is a member of the group A, if there is one; or the part B of a setting A that is a list (`x=on,y=off`).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    /// As they are written in a statement; a member of a group has none.
    #[serde(default)]
    pub values: Vec<String>,
    pub class: Class,
    /// Words that an operator of a plan must contain for the knob to matter to it; `*` for every plan, `A + B` for
    /// plans with both.
    pub operators: Vec<String>,
    /// The first and the last release that have it.
    #[serde(default)]
    pub since: Option<String>,
    #[serde(default)]
    pub until: Option<String>,
    /// Which bit of the mask a member of a group is.
    #[serde(default)]
    pub bit: Option<u32>,
    /// Only for queries whose answer is known to be determined: it may change which row a limit takes.
    #[serde(default)]
    pub determined: bool,
    /// Knobs that are not flipped together with this one.
    #[serde(default)]
    pub not_with: Vec<String>,
    /// Statements of its own.
    #[serde(default)]
    pub set: Option<String>,
    #[serde(default)]
    pub reset: Option<String>,
}

/// Settings that are left alone.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    /// `*` is any text.
    pub name: String,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    #[serde(alias = "optimizer")]
    Optimiser,
    Memory,
    Buffer,
    Disk,
    Parallelism,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Optimiser => "optimiser",
            Class::Memory => "memory",
            Class::Buffer => "buffer",
            Class::Disk => "disk",
            Class::Parallelism => "parallelism",
        }
    }
}

/// A setting as the live engine has it. Members of groups have the name of the group and a point before theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub name: String,
    pub value: String,
}

impl Live {
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Live {
        Live { name: name.into(), value: value.into() }
    }
}

/// A setting that may be flipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knob {
    /// A member of a group goes by its own name alone.
    pub name: String,
    pub current: String,
    /// What it can be flipped to.
    pub others: Vec<String>,
    pub class: Class,
    pub operators: Vec<String>,
    pub determined: bool,
    pub not_with: Vec<String>,
    /// `{value}` stands for the new value.
    write: Write,
}

/// How a setting is changed and put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Write {
    Alone { set: String, reset: String },
    Member { member: String, set: String, reset: String },
}

/// A knob turned to another value, with all that is needed to write it down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flip {
    pub knob: String,
    pub value: String,
    write: Write,
}

/// The settings of a live engine, classified.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Knobs {
    pub knobs: Vec<Knob>,
    /// Name and reason.
    pub excluded: Vec<(String, String)>,
    /// Settings that the file does not know. Never flipped.
    pub unknown: Vec<Live>,
    /// Rows of the file for settings that this release does not have.
    pub absent: Vec<String>,
}

impl KnobFile {
    /// `name` is where the text is from, for the person who reads the error.
    pub fn read(name: &str, text: &str) -> Result<KnobFile, String> {
        let file: KnobFile = toml::from_str(text).map_err(|e| {
            let line = 1 + e.span().map_or(0, |s| text[..s.start].matches('\n').count());
            format!("cannot read the knobs in '{name}', line {line}: {}", e.message().trim_end())
        })?;
        for row in &file.knob {
            if let Some(why) = file.wrong(row) {
                return Err(format!("the knob '{}' in '{name}' {why}", row.name));
            }
        }
        Ok(file)
    }

    fn wrong(&self, row: &Row) -> Option<&'static str> {
        match self.member(&row.name) {
            Some((group, _)) if group.set.contains("{mask}") && row.bit.is_none_or(|b| b > 31) => {
                Some("is a member of a mask; give its 'bit', 0 to 31")
            }
            Some(_) => None,
            None if row.values.len() < 2 => Some("has fewer than two 'values'; give at least two"),
            None if self.set.is_empty() && row.set.is_none() => Some("has no statement; give 'set' and 'reset'"),
            None => None,
        }
    }

    fn member<'a>(&self, name: &'a str) -> Option<(&Group, &'a str)> {
        let (group, member) = name.split_once('.')?;
        Some((self.group.get(group)?, member))
    }
}

/// The settings of a live engine: as `file` says, or as the engine's own file does.
pub fn live(engine: &dyn Engine, session: &mut dyn Session, file: Option<&KnobFile>) -> Result<Knobs, String> {
    let own;
    let file = match file {
        Some(file) => file,
        None => {
            own = KnobFile::read("the built-in file", engine.knob_file())?;
            &own
        }
    };
    let settings = engine.settings(session, file)?;
    Ok(classify(file, &settings, &release(&engine.version())))
}

/// What the statements `list` of a file say that there is.
pub fn list(session: &mut dyn Session, file: &KnobFile) -> Result<Vec<Live>, String> {
    let mut settings = Vec::new();
    if !file.list.is_empty() {
        for row in rows(session, &file.list, 2)? {
            settings.push(Live::new(&row[0], &row[1]));
        }
    }
    for (name, group) in file.group.iter().filter(|(_, g)| !g.list.is_empty()) {
        for row in rows(session, &group.list, 1)? {
            settings.push(Live::new(format!("{name}.{}", row[0]), ON));
        }
    }
    Ok(settings)
}

const ON: &str = "on";
const OFF: &str = "off";

fn rows(session: &mut dyn Session, text: &str, columns: usize) -> Result<Vec<Vec<String>>, String> {
    let plain = |v: &Value| match v {
        Value::Text(t) => t.clone(),
        Value::Null => String::new(),
        other => other.show(),
    };
    match session.run(text) {
        Outcome::Rows(rows) if rows.columns >= columns => {
            Ok(rows.iter().map(|r| r.iter().map(plain).collect()).collect())
        }
        other => Err(format!("cannot list the settings: '{text}' gave {other:?}")),
    }
}

fn classify(file: &KnobFile, settings: &[Live], release: &str) -> Knobs {
    let mut found = Knobs::default();
    let mut seen = BTreeSet::new();
    for setting in expand(file, settings) {
        let row = file.knob.iter().find(|r| names(file, r, &setting.name) && fits_release(r, release));
        let excluded = file.excluded.iter().find(|e| glob(e.name.as_bytes(), setting.name.as_bytes()));
        match (row, excluded) {
            (Some(row), _) => {
                seen.insert(row.name.clone());
                found.knobs.extend(knob(file, row, &setting));
            }
            (None, Some(e)) => found.excluded.push((setting.name, e.reason.clone())),
            (None, None) => found.unknown.push(setting),
        }
    }
    let absent: BTreeSet<&String> = file.knob.iter().map(|r| &r.name).filter(|n| !seen.contains(*n)).collect();
    found.absent = absent.into_iter().cloned().collect();
    found
}

/// Settings that are lists become one setting for each part, where the file speaks of the parts.
fn expand(file: &KnobFile, settings: &[Live]) -> Vec<Live> {
    let spoken_of = |name: &str| {
        let of = |n: &str| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        !file.group.contains_key(name) && file.knob.iter().any(|r| of(&r.name))
    };
    let mut all = Vec::new();
    for setting in settings {
        if spoken_of(&setting.name) {
            let parts = setting.value.split(',').filter_map(|p| p.split_once('='));
            all.extend(parts.map(|(part, value)| Live::new(format!("{}.{}", setting.name, part.trim()), value.trim())));
        } else {
            all.push(setting.clone());
        }
    }
    all
}

/// A bit of a mask is known by its number, everything else by its name.
fn names(file: &KnobFile, row: &Row, setting: &str) -> bool {
    match (file.member(setting), row.bit) {
        (Some((_, member)), Some(bit)) => {
            member == bit.to_string() && row.name.split('.').next() == setting.split('.').next()
        }
        _ => row.name.eq_ignore_ascii_case(setting),
    }
}

fn knob(file: &KnobFile, row: &Row, setting: &Live) -> Option<Knob> {
    let (name, others, write) = match file.member(&row.name) {
        Some((group, member)) => {
            let written = row.bit.map_or_else(|| member.to_owned(), |bit| bit.to_string());
            let write = Write::Member { member: written, set: group.set.clone(), reset: group.reset.clone() };
            (member, vec![OFF.to_owned()], write)
        }
        None => {
            let others: Vec<String> = row.values.iter().filter(|v| !same_value(v, &setting.value)).cloned().collect();
            (row.name.as_str(), others, alone(file, row, setting))
        }
    };
    (!others.is_empty()).then(|| Knob {
        name: name.to_owned(),
        current: setting.value.clone(),
        others,
        class: row.class,
        operators: row.operators.clone(),
        determined: row.determined,
        not_with: row.not_with.clone(),
        write,
    })
}

fn alone(file: &KnobFile, row: &Row, setting: &Live) -> Write {
    let parts = row.name.split_once('.').filter(|_| !file.dotted_names);
    let (name, part) = parts.map_or((row.name.as_str(), None), |(a, b)| (a, Some(b)));
    let fill = |text: &str| {
        let text = match part {
            Some(part) => text.replace("{value}", &format!("'{part}={{value}}'")),
            None => text.to_owned(),
        };
        text.replace("{name}", name).replace("{current}", &setting.value)
    };
    Write::Alone {
        set: fill(row.set.as_deref().unwrap_or(&file.set)),
        reset: fill(row.reset.as_deref().unwrap_or(&file.reset)),
    }
}

/// Engines write their switches in several ways, and values in files may stand in quotes.
fn same_value(a: &str, b: &str) -> bool {
    let plain = |v: &str| {
        let v = v.trim().trim_matches('\'').to_lowercase();
        match v.as_str() {
            "on" | "true" | "yes" => "1".to_owned(),
            "off" | "false" | "no" => "0".to_owned(),
            _ => v,
        }
    };
    plain(a) == plain(b)
}

// ---------------------------------------------------------------- releases

/// The number in what an engine calls itself: `sqlite 3.54.1` is `3.54.1`.
pub fn release(version: &str) -> String {
    let mut words = version.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.find(|w| w.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default().to_owned()
}

/// Compared part by part, as far as the file says: `until = "16"` holds for 16.4.
fn fits_release(row: &Row, release: &str) -> bool {
    let parts = |text: &str| text.split('.').map_while(|p| p.parse::<u64>().ok()).collect::<Vec<u64>>();
    let here = parts(release);
    let cut = |limit: &Vec<u64>| here.iter().copied().chain(std::iter::repeat(0)).take(limit.len()).collect::<Vec<_>>();
    let since = row.since.as_deref().map(parts).is_none_or(|limit| cut(&limit) >= limit);
    let until = row.until.as_deref().map(parts).is_none_or(|limit| cut(&limit) <= limit);
    here.is_empty() || since && until
}

// ---------------------------------------------------------------- flips

impl Knob {
    pub fn flip(&self, value: &str) -> Flip {
        let write = match &self.write {
            Write::Alone { set, reset } => Write::Alone { set: set.replace("{value}", value), reset: reset.clone() },
            member => member.clone(),
        };
        Flip { knob: self.name.clone(), value: value.to_owned(), write }
    }

    /// Turned to the first of its other values: off, for most.
    pub fn off(&self) -> Flip {
        self.flip(&self.others[0])
    }

    /// Whether the two must not be flipped together.
    pub fn excludes(&self, other: &Knob) -> bool {
        self.not_with.contains(&other.name) || other.not_with.contains(&self.name)
    }

    /// Whether a statement speaks of this setting or of the list it is a member of.
    pub fn is_touched_by(&self, text: &str) -> bool {
        const ANY_SETTING: &[&str] = &["SESSION", "DEFAULT", "PRAGMA", "RESET"];
        let (Write::Alone { reset, .. } | Write::Member { reset, .. }) = &self.write;
        let mut words = reset.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 3);
        words.any(|w| !ANY_SETTING.iter().any(|s| s.eq_ignore_ascii_case(w)) && contains(text, w))
    }

    /// Whether an operator of the plan is one that the knob concerns.
    pub fn concerns(&self, plan: &Plan) -> bool {
        self.operators.iter().any(|words| words == "*" || all_there(words, plan))
    }
}

/// `SEARCH + SEARCH` asks for two operators.
fn all_there(words: &str, plan: &Plan) -> bool {
    let mut taken: Vec<bool> = vec![false; plan.nodes.len()];
    words.split(" + ").all(|word| {
        let free = plan.nodes.iter().zip(&mut taken).find(|(n, taken)| !**taken && contains(&n.operator, word.trim()));
        free.map(|(_, taken)| *taken = true).is_some()
    })
}

/// Without regard to case, and without a copy of the text.
fn contains(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    text.windows(word.len().max(1)).any(|w| w.eq_ignore_ascii_case(word))
}

impl Flip {
    /// `name = value`, for people.
    pub fn words(&self) -> String {
        format!("{} = {}", self.knob, self.value)
    }
}

/// How many statements of a case build its state, where it was made with flips: after them both sides begin.
pub fn state_of_flipped(case: &Case) -> Option<usize> {
    let source = case.source.as_ref().filter(|s| s.pointer("/question/flips").is_some())?;
    source.pointer("/state")?.as_array().map(Vec::len)
}

/// Which knobs are turned: those that concern the plan, or any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    #[default]
    Plan,
    Random,
}

/// What the user says about knobs.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnobOptions {
    /// A file in place of the built-in one.
    #[arg(skip)]
    pub file: Option<NamedText>,
    /// How 'config' picks settings: those that affect the current plan, or any at random
    #[arg(long = "config", value_enum, value_name = "HOW", default_value_t, hide_short_help = true)]
    pub choice: Choice,
}

impl KnobOptions {
    pub fn live(&self, engine: &dyn Engine, session: &mut dyn Session) -> Result<Knobs, String> {
        let file = self.file.as_ref().map(|f| KnobFile::read(&f.name, &f.text)).transpose()?;
        live(engine, session, file.as_ref())
    }
}

/// The flips that a case was made with; none for most.
pub fn of_case(case: &Case) -> Vec<Flip> {
    let flips = case.source.as_ref().and_then(|s| s.pointer("/question/flips"));
    flips.and_then(|flips| serde_json::from_value(flips.clone()).ok()).unwrap_or_default()
}

/// The statements that make the flips, and those that put everything back.
pub fn statements(flips: &[Flip]) -> (Vec<String>, Vec<String>) {
    let (mut set, mut reset): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for flip in flips {
        let back = match &flip.write {
            Write::Alone { set: text, reset } => {
                set.push(text.clone());
                reset
            }
            Write::Member { member, set, reset } => {
                groups.entry(set).or_default().push(member);
                reset
            }
        };
        if !reset.contains(back) {
            reset.push(back.clone());
        }
    }
    set.extend(groups.into_iter().map(|(template, members)| together(template, &members)));
    (set, reset)
}

fn together(template: &str, members: &[&str]) -> String {
    let bits = members.iter().filter_map(|m| m.parse::<u32>().ok());
    let mask = bits.fold(0u32, |mask, bit| mask | 1u32.checked_shl(bit).unwrap_or(0));
    template.replace("{members}", &members.join(",")).replace("{mask}", &format!("0x{mask:x}"))
}
