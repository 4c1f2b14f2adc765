//! `qualm export --as csv` and `--as sqlite`: all hunts of a folder as tables for other programs.

use clap::ValueEnum;
use qualm_core::fault::Fault;
use qualm_run::history::{self, Cache, History, database};
use qualm_run::report::collect;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// One row per bug
    Bugs,
    /// One row per hunt, with its figures
    Hunts,
    /// One row each time that a bug was found or replayed
    Events,
}

fn read(folder: &Path) -> Result<History, Fault> {
    let found = collect::collect(&[folder.to_path_buf()])?;
    Ok(history::read(&found, &mut Cache::default()))
}

pub fn csv(folder: &Path, table: Table) -> Result<String, Fault> {
    let history = read(folder)?;
    let mut out = String::new();
    match table {
        Table::Bugs => {
            let columns =
                "product,fingerprint,kind,title,status,fixed_in,first_seen,last_seen,hunts,quiet,seen,oracles,versions";
            let _ = writeln!(out, "{columns}");
            for b in &history.bugs {
                let (hunts, quiet, seen) = (b.hunts.to_string(), b.quiet.to_string(), b.seen.to_string());
                row(
                    &mut out,
                    &[
                        &b.product,
                        &b.fingerprint,
                        b.kind.name(),
                        &b.title,
                        b.status.words(),
                        b.fixed_in.as_deref().unwrap_or_default(),
                        &database::iso(b.first_seen),
                        &database::iso(b.last_seen),
                        &hunts,
                        &quiet,
                        &seen,
                        &b.oracles.join(" "),
                        &b.versions.join(";"),
                    ],
                );
            }
        }
        Table::Hunts => {
            let columns = "hunt,began,engine,version,seconds,cpu_seconds,checks,checks_per_second,statements,databases,\
                           plans,plan_pairs,vacuous_share,rejected_share,findings,new,regressed";
            let _ = writeln!(out, "{columns}");
            for h in &history.hunts {
                let numbers = [
                    h.seconds.to_string(),
                    h.cpu_seconds.to_string(),
                    h.checks.to_string(),
                    format!("{:.3}", h.checks_per_second()),
                    h.statements.to_string(),
                    h.databases.to_string(),
                    h.plans.to_string(),
                    h.plan_pairs.to_string(),
                    h.vacuous_share.to_string(),
                    h.rejected_share.to_string(),
                    h.findings.to_string(),
                    h.new.to_string(),
                    h.back.to_string(),
                ];
                let began = database::iso(h.at);
                let mut cells = vec![h.name.as_str(), &began, &h.engine, &h.version];
                cells.extend(numbers.iter().map(String::as_str));
                row(&mut out, &cells);
            }
        }
        Table::Events => {
            let _ = writeln!(out, "product,fingerprint,at,hunt,version,what,oracle,seen,folder");
            for (b, e) in history.bugs.iter().flat_map(|b| b.events.iter().map(move |e| (b, e))) {
                let (at, seen) = (database::iso(e.at), e.seen.to_string());
                let cells: [&str; 9] =
                    [&b.product, &b.fingerprint, &at, &e.hunt, &e.version, e.what.words(), &e.oracle, &seen, &e.folder];
                row(&mut out, &cells);
            }
        }
    }
    Ok(out)
}

/// RFC 4180. A cell that a spreadsheet would take for a formula begins with a quote sign, as spreadsheets write it.
fn row(out: &mut String, cells: &[&str]) {
    let cell = |text: &&str| {
        let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let text = if formula { format!("'{text}") } else { (*text).to_owned() };
        match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    let _ = writeln!(out, "{}", cells.iter().map(cell).collect::<Vec<_>>().join(","));
}

pub fn sqlite(folder: &Path, out: &Path) -> Result<(), Fault> {
    if out == Path::new("-") {
        return Err(Fault::usage("a database needs a file: --out FILE"));
    }
    read(folder)?;
    let file: PathBuf = out.to_path_buf();
    database::write_to(folder, &file).map_err(|e| Fault::usage(format!("cannot write '{}': {e}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_cells() {
        let mut out = String::new();
        row(&mut out, &["a,b", "say \"x\"", "=1+1", "two\nlines", "plain"]);
        assert_eq!(out, "\"a,b\",\"say \"\"x\"\"\",'=1+1,\"two\nlines\",plain\n");
    }
}
