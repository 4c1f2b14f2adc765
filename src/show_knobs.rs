//! `qualm knobs`: the settings of a live engine, as a table and as JSON.

use clap::Args;
use qualm_core::escape;
use qualm_core::explore::NamedText;
use qualm_core::fault::Fault;
use qualm_core::files;
use qualm_core::knobs::{KnobFile, Knobs, live};
use qualm_core::limits::FILE_BYTES;
use qualm_host::console;
use qualm_run::isolated;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Show {
    /// Engine; 'qualm engines' lists them
    engine: String,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
    /// Also list every setting that is left alone
    #[arg(long)]
    all: bool,
    /// Use this file of knobs instead of the built-in one
    #[arg(long, value_name = "FILE")]
    knobs: Option<PathBuf>,
}

impl Show {
    pub fn run(self) -> Result<u8, Fault> {
        let file = self.knobs.as_deref().map(read).transpose()?;
        let engine = isolated::connect(&self.engine)?;
        let mut session = engine.open().map_err(Fault::unreachable)?;
        let given = self.knobs.as_ref().map(|p| NamedText { name: p.display().to_string(), text: String::new() });
        let knobs = live(engine.as_ref(), session.as_mut(), file.as_ref())
            .map_err(|why| isolated::knobs_fault(&self.engine, given.as_ref(), why))?;
        match self.json {
            true => outln!("{}", escape::json(&json_of(&engine.version(), &knobs).to_string())),
            false => out!("{}", console::fitted(&escape::lines(&table(&engine.version(), &knobs, self.all)))),
        }
        Ok(0)
    }
}

/// A file of a user's.
pub fn read(path: &Path) -> Result<KnobFile, Fault> {
    let file = KnobFile::read(&path.display().to_string(), &text(path)?).map_err(Fault::usage)?;
    if file.knob.is_empty() {
        let hint = "write [[knob]] with name, values, class and operators, as in the files of the folder 'knobs'";
        return Err(Fault::usage(format!("no knobs in '{}'; {hint}", path.display())));
    }
    Ok(file)
}

pub fn text(path: &Path) -> Result<String, Fault> {
    files::text(path, "the knobs", FILE_BYTES).map_err(Fault::usage)
}

fn json_of(version: &str, knobs: &Knobs) -> serde_json::Value {
    let named = |(name, reason): &(String, String)| json!({"name": name, "reason": reason});
    let knob = |k: &qualm_core::knobs::Knob| {
        json!({
            "name": k.name, "current": k.current, "others": k.others, "class": k.class, "operators": k.operators,
        })
    };
    json!({
        "engine": version,
        "knobs": knobs.knobs.iter().map(knob).collect::<Vec<_>>(),
        "excluded": knobs.excluded.iter().map(named).collect::<Vec<_>>(),
        "unknown": knobs.unknown,
        "absent": knobs.absent,
    })
}

fn table(version: &str, knobs: &Knobs, all: bool) -> String {
    let head = ["setting", "now", "changed to", "class", "operators"].map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(knobs.knobs.iter().map(|k| {
        let operators = k.operators.join(", ");
        [k.name.clone(), k.current.clone(), k.others.join(", "), k.class.name().to_owned(), operators]
    }));
    let mut out = String::new();
    columns(&mut out, &rows);
    out.push_str(&format!("\nleft alone: {}", knobs.excluded.len()));
    if all {
        let rows: Vec<[String; 2]> = knobs.excluded.iter().map(|(n, r)| [n.clone(), r.clone()]).collect();
        out.push('\n');
        columns(&mut out, &rows);
    } else {
        out.push_str(" (--all lists them with the reasons)\n");
    }
    out.push_str(&format!("\nunknown, never changed: {}\n", knobs.unknown.len()));
    let unknown: Vec<[String; 2]> = knobs.unknown.iter().map(|l| [l.name.clone(), l.value.clone()]).collect();
    columns(&mut out, &unknown);
    let counted = |class: qualm_core::knobs::Class| knobs.knobs.iter().filter(|k| k.class == class).count();
    use qualm_core::knobs::Class::*;
    let classes = [Optimiser, Memory, Buffer, Disk, Parallelism].map(|c| format!("{} {}", c.name(), counted(c)));
    out.push_str(&format!(
        "\n{version}: {} knobs ({}), {} left alone, {} unknown, {} not in this release\n",
        knobs.knobs.len(),
        classes.join(", "),
        knobs.excluded.len(),
        knobs.unknown.len(),
        knobs.absent.len()
    ));
    out
}

/// Each column as wide as its longest cell, the last one as it is.
fn columns<const N: usize>(out: &mut String, rows: &[[String; N]]) {
    let width = |at: usize| rows.iter().map(|r| r[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(c, w)| format!("{c:<w$}")).collect();
        out.push_str(&format!("  {}\n", cells.join("  ").trim_end()).replace("  \n", "\n"));
    }
}
