//! Programs of people to begin with: files of the Soufflé dialect, one program each.

use super::ast::{Attribute, BuiltType, Fact, Kind, Name, Program, Qualifier, Rule};
use super::check::{self, RuleCheck};
use super::parse;
use super::parse::inline::Placed;
use qualm_core::dialect::datalog::{DatalogDialect, Part};
use qualm_core::explore::{NamedText, Seeds};
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use std::path::{Path, PathBuf};

/// So many of so many programs extend a seed, where there are seeds.
const SHARE: (u32, u32) = (1, 2);

/// The programs in a file or below a folder that leave something for this dialect, and what of them could not be used,
/// as `file:line:column: why`.
pub fn load(place: &Path, dialect: &DatalogDialect) -> Result<(Seeds, Vec<String>), String> {
    let mut found = Vec::new();
    if place.is_dir() {
        found = programs_in(place).map_err(|e| format!("cannot read the seeds in '{}': {e}", place.display()))?;
    } else {
        found.push(place.to_path_buf());
    }
    found.sort();
    let (mut scripts, mut unread) = (Vec::new(), Vec::new());
    let mut room = FILE_BYTES;
    for file in found {
        let name = file.display().to_string();
        let text = files::text(&file, "the seed", room)?;
        room -= text.len() as u64;
        let text = parse::preprocess::preprocessed(&text, Some(&file)).unwrap_or(text);
        let (text, missing) = with_inputs(&text, &file);
        unread.extend(missing.iter().map(|relation| format!("{name}:1:1: the facts of '{relation}' are not here")));
        let (program, left_out) = read(&text, dialect);
        unread.extend(left_out.iter().map(|u| format!("{name}:{}:{}: {}", u.line, u.column, u.why)));
        match program {
            Some(_) => scripts.push(NamedText { name, text }),
            None => unread.push(format!("{name}:1:1: no rule is left for this engine")),
        }
    }
    if scripts.is_empty() {
        let first: String = unread.first().map(|u| format!(" ({u})")).unwrap_or_default();
        let place = place.display();
        return Err(format!("no usable program in '{place}'{first}; give a '.dl' file or a folder of them"));
    }
    Ok((Seeds { scripts, share: SHARE }, unread))
}

/// What of a program can be read and is one of this dialect, and what was left out of it.
pub fn read(text: &str, dialect: &DatalogDialect) -> (Option<Program>, Vec<parse::Unread>) {
    let parse::Parsed { mut program, rules_at, facts_at, mut unread, .. } = parse::program(text);
    let placed = rules_at.into_iter().zip(std::mem::take(&mut program.rules)).collect();
    let placed = parse::inline::written_out(&mut program, placed);
    let types = Program { types: program.types.clone(), ..Program::default() };
    let known = |a: &Attribute| check::has_kind(&types, dialect, a.kind);
    program.relations.retain(|r| r.attributes.iter().all(known) && r.arity() <= dialect.most_attributes);
    let declared = program.relations.clone();
    let fits = |f: &Fact| f.values.iter().all(|v| check::fits(v, dialect));
    let mut places = facts_at.iter();
    program.facts.retain(|f| {
        let (line, column) = places.next().copied().unwrap_or_default();
        let kept = declared.iter().any(|r| r.name == f.relation);
        if kept && !fits(f) {
            unread.push(parse::Unread { line, column, why: "a value that this engine does not have".into() });
        }
        kept && fits(f)
    });
    program.subsumptions.retain(|s| dialect.has(Part::Subsumption) && declared.iter().any(|r| r.name == s.relation));
    // How something is computed is not what a seed is for, and most engines have no words for it.
    for relation in &mut program.relations {
        relation.qualifiers.retain(|q| dialect.qualifiers.contains(q));
    }
    if let Some(whole) = whole(&program, &placed, dialect) {
        return (Some(whole), unread);
    }
    let mut rules = placed;
    rules.iter_mut().for_each(|(_, rule)| check_plan(rule, dialect));
    admit_all(&mut program, &rules, dialect, &mut unread);
    if program.relation(&program.output).is_none() || !program.rules.is_empty() && !program.is_derived(&program.output)
    {
        let last = program.rules.last().map(|r| r.heads[0].relation.clone());
        let first = program.relations.first().map(|r| r.name.clone());
        program.output = last.or(first).unwrap_or_default();
    }
    // Facts alone are something to build on, too.
    let usable = !program.relations.is_empty() && check::program(&program, dialect).is_ok();
    (usable.then_some(program), unread)
}

/// All of the rules at once, where nothing is wrong with any of them.
fn whole(program: &Program, rules: &[Placed], dialect: &DatalogDialect) -> Option<Program> {
    let mut program = program.clone();
    for (_, rule) in rules {
        let mut rule = rule.clone();
        check_plan(&mut rule, dialect);
        program.rules.push(rule);
    }
    let mut fine = check::program(&program, dialect).is_ok();
    if !fine {
        program.by_running = true;
        fine = check::program(&program, dialect).is_ok();
    }
    fine.then_some(program)
}

/// A plan goes if it is none for this dialect.
fn check_plan(rule: &mut Rule, dialect: &DatalogDialect) {
    let mut order = rule.plan.clone();
    order.sort_unstable();
    if !dialect.has(Part::PlanHint) || !order.into_iter().eq(1..=rule.atoms().count()) {
        rule.plan.clear();
    }
}

/// Adds all rules with which the program stays one; the others are left out with their places. Many at once are tried
/// before each alone, because the program may have to be run each time.
fn admit_all(program: &mut Program, rules: &[Placed], dialect: &DatalogDialect, unread: &mut Vec<parse::Unread>) {
    match (admit(program, rules, dialect), rules) {
        (Ok(()), _) => {}
        (Err(why), [((line, column), _)]) => unread.push(parse::Unread { line: *line, column: *column, why }),
        (Err(_), _) => {
            let (first, second) = rules.split_at(rules.len() / 2);
            admit_all(program, first, dialect, unread);
            admit_all(program, second, dialect, unread);
        }
    }
}

/// Adds rules, if the program stays one. Where its rules alone do not show that it ends, running it may; and how
/// something is to be computed gives way to what is computed.
fn admit(program: &mut Program, rules: &[Placed], dialect: &DatalogDialect) -> Result<(), String> {
    let (known, qualified) = (program.by_running, program.relations.clone());
    let mut first = None;
    for attempt in 0..3 {
        match attempt {
            0 => {}
            1 => program.by_running = true,
            _ => program.relations.iter_mut().for_each(|r| r.qualifiers.retain(|q| *q != Qualifier::Inline)),
        }
        match admitted(program, rules, dialect) {
            Ok(()) => return Ok(()),
            Err(why) => first = first.or(Some(why)),
        }
    }
    (program.by_running, program.relations) = (known, qualified);
    Err(first.unwrap_or_default())
}

fn admitted(program: &mut Program, rules: &[Placed], dialect: &DatalogDialect) -> Result<(), String> {
    let Some((_, last)) = rules.last() else { return Ok(()) };
    let alone = RuleCheck { program, dialect };
    rules.iter().try_for_each(|(_, rule)| alone.rule(rule))?;
    // What is wrong only together with the rules before (strata, endless recursion) shows when they join them.
    let output = std::mem::replace(&mut program.output, last.heads[0].relation.clone());
    let before = program.rules.len();
    program.rules.extend(rules.iter().map(|(_, rule)| rule.clone()));
    let checked = check::program(program, dialect);
    program.output = output;
    if checked.is_err() {
        program.rules.truncate(before);
    }
    checked.map(|_| ())
}

/// The program with the facts that `.input` takes from files beside it, or in the folder `facts` there, as Soufflé's
/// own tests have them; and the relations whose facts are not there, too long, or in another form.
pub fn with_inputs(text: &str, file: &Path) -> (String, Vec<Name>) {
    let parsed = parse::program(text);
    let (mut all, mut missing) = (text.to_owned(), Vec::new());
    for name in &parsed.inputs {
        let Some(relation) = parsed.program.relation(name).filter(|_| !parsed.elsewhere.contains(name)) else {
            missing.push(name.clone());
            continue;
        };
        let folder = file.parent().unwrap_or(Path::new("."));
        let plain = name.replace(parse::components::SEPARATOR, ".");
        let found = [folder.join("facts"), folder.to_owned()]
            .iter()
            .map(|f| f.join(format!("{plain}.facts")))
            .find_map(|path| std::fs::read_to_string(path).ok());
        let Some(facts) = found.filter(|facts| facts.len() < INPUT_BYTES) else {
            missing.push(name.clone());
            continue;
        };
        for line in facts.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            if cells.len() != relation.arity() {
                continue;
            }
            let values = cells.iter().zip(&relation.attributes).map(|(cell, a)| match a.kind {
                Kind::Symbol => Some(in_quotes(cell)),
                Kind::Built(_) => {
                    let mut rest = *cell;
                    built(&mut rest, a.kind, &parsed.program.types, 0).filter(|_| rest.trim().is_empty())
                }
                _ => Some((*cell).to_owned()),
            });
            // What is left as it is says where it stands.
            match values.collect::<Option<Vec<String>>>() {
                Some(values) => all.push_str(&format!("\n{name}({}).", values.join(", "))),
                None => missing.push(name.clone()),
            }
        }
    }
    all.push('\n');
    (all, missing)
}

fn in_quotes(symbol: &str) -> String {
    format!("\"{}\"", symbol.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Values in files are nested no deeper.
const NESTED_AT_MOST: usize = 30;

/// A value as a file of facts has it, where symbols have no quotes, as a term: `[1, a b, $Leaf(x)]`.
fn built(rest: &mut &str, kind: Kind, types: &[BuiltType], depth: usize) -> Option<String> {
    let take = |rest: &mut &str, sign: char| -> Option<()> {
        *rest = rest.trim_start().strip_prefix(sign)?;
        Some(())
    };
    let Kind::Built(at) = kind else {
        *rest = rest.trim_start();
        if kind == Kind::Symbol && rest.starts_with('"') {
            let end = rest[1..].find('"')? + 2;
            let quoted = rest[..end].to_owned();
            *rest = &rest[end..];
            return Some(quoted);
        }
        let (cell, after) = rest.split_at(rest.find([',', ']', ')']).unwrap_or(rest.len()));
        *rest = after;
        return Some(if kind == Kind::Symbol { in_quotes(cell) } else { cell.trim().to_owned() });
    };
    let declared = types.get(usize::from(at)).filter(|_| depth < NESTED_AT_MOST)?;
    if let Some(after) = rest.trim_start().strip_prefix("nil") {
        *rest = after;
        return Some("nil".into());
    }
    let (branch, open, close) = if declared.is_record() {
        take(rest, '[')?;
        (declared.branches.first()?, "[".to_owned(), ']')
    } else {
        take(rest, '$')?;
        let (name, after) = rest.split_at(rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()));
        *rest = after;
        let branch = declared.branch(name)?;
        if branch.fields.is_empty() {
            return Some(format!("${name}"));
        }
        take(rest, '(')?;
        (branch, format!("${name}("), ')')
    };
    let mut fields = Vec::with_capacity(branch.fields.len());
    for (place, field) in branch.fields.iter().enumerate() {
        if place > 0 {
            take(rest, ',')?;
        }
        fields.push(built(rest, field.kind, types, depth + 1)?);
    }
    take(rest, close)?;
    Some(format!("{open}{}{close}", fields.join(", ")))
}

/// Longer files of facts are for measuring.
const INPUT_BYTES: usize = 20_000;

/// All programs below a folder, in order of their paths.
pub fn programs_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "dl") {
            files.push(path);
        }
    }
    Ok(())
}
