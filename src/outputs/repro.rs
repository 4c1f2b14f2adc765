//! A finding as a program of its own that needs only the engine's own client: a shell script, a Python script, a C
//! program. Each runs the statements, prints what came, and exits with 1 if the bug is there and with 0 if it is not.

use super::export::Material;
use qualm_core::case::Case;
use qualm_core::fault::Fault;
use qualm_core::relation::{Combine, Order, Relation};
use std::fmt::Write;

/// What the answers must be to each other, in forms that a small program can check.
enum Check {
    /// The rows of some queries together are those of others. Ordered, a bag or a set.
    Equal(Vec<usize>, Vec<usize>, Order),
    /// So many rows as a number says.
    Count { rows: usize, count: usize },
    /// The engine lives.
    Survives,
}

fn check(case: &Case) -> Result<Check, Fault> {
    Ok(match case.claim.unguarded() {
        Relation::Same { left, right, order, .. } => Check::Equal(vec![*left], vec![*right], *order),
        Relation::Partition { whole, parts, combine: Combine::Bag, .. } => {
            Check::Equal(vec![*whole], parts.clone(), Order::Bag)
        }
        Relation::Partition { whole, parts, combine: Combine::Set, .. } => {
            Check::Equal(vec![*whole], parts.clone(), Order::Set)
        }
        Relation::CountIs { rows, count } => Check::Count { rows: *rows, count: *count },
        Relation::Survives => Check::Survives,
        _ => {
            let text = "this claim has no short program of its own; use --as suite, or the script in its folder";
            return Err(Fault::usage(text));
        }
    })
}

fn header(material: &Material, comment: &str, how: &str) -> String {
    let lines = [
        material.title.clone(),
        format!("found in {}", material.version),
        how.to_owned(),
        "exit code 1: the bug is there; 0: it is not; 2: it could not be run".into(),
    ];
    lines.iter().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{comment} {}", qualm_core::escape::line(line));
        out
    })
}

fn numbers(list: &[usize]) -> String {
    list.iter().map(|i| (i + 1).to_string()).collect::<Vec<_>>().join(" ")
}

// ---------------------------------------------------------------- shell

/// The engine's own client, how it is started, and what it runs first so that it prints bare rows.
fn client(engine: &str) -> Result<(&'static str, &'static str), Fault> {
    Ok(match engine.split(':').next().unwrap_or_default() {
        "sqlite" => ("sqlite3 -batch :memory:", ".headers off\n.mode quote"),
        "duckdb" => ("duckdb -batch :memory:", ".headers off\n.mode list\n.nullvalue NULL"),
        "postgres" => ("psql -X -q -A -t -P null=NULL", ""),
        "mysql" => ("mysql -N -B --force scratch", ""),
        "mariadb" => ("mariadb -N -B --force scratch", ""),
        "clickhouse" | "chdb" => ("clickhouse local --multiquery", ""),
        other => {
            let other = if other.is_empty() { "this engine" } else { other };
            return Err(Fault::usage(format!("no client of {other} is known for a script; use --as suite")));
        }
    })
}

pub fn shell(material: &Material) -> Result<String, Fault> {
    let (command, first) = client(&material.engine)?;
    let check = check(material.case)?;
    let mut script = String::new();
    let mut query = 0;
    for line in first.lines() {
        let _ = writeln!(script, "{line}");
    }
    for step in &material.case.script {
        if let Some(label) = &step.label {
            query += 1;
            let _ = writeln!(script, "-- {}\nSELECT '==== {query} ====';", qualm_core::escape::line(label));
        }
        let end = if step.text.starts_with('.') || step.text.trim_end().ends_with(';') { "" } else { ";" };
        let _ = writeln!(script, "{}{end}", step.text);
    }
    let mut end = "END_OF_SCRIPT".to_owned();
    while script.lines().any(|line| line == end) {
        end.push('_');
    }
    let judge = match &check {
        Check::Equal(left, right, order) => {
            let sort = match order {
                Order::Bag => "sort",
                Order::Set => "sort -u",
                Order::List => "cat",
            };
            format!(
                "left=$(for i in {}; do answer \"$i\"; done | {sort})\nright=$(for i in {}; do answer \"$i\"; done | \
                 {sort})\n[ \"$left\" = \"$right\" ] && {{ echo 'the same: no bug'; exit 0; }}\n\
                 echo 'DIFFERENT: the bug is there'\nexit 1\n",
                numbers(left),
                numbers(right)
            )
        }
        Check::Count { rows, count } => format!(
            "rows=$(answer {} | wc -l | tr -d ' ')\ncount=$(answer {} | tr -d ' ')\n[ \"$count\" = NULL ] && count=0\n\
             [ \"$rows\" = \"$count\" ] && {{ echo 'the same: no bug'; exit 0; }}\n\
             echo \"$rows rows, but $count were counted: the bug is there\"\nexit 1\n",
            rows + 1,
            count + 1
        ),
        Check::Survives => "[ \"$status\" -lt 128 ] && { echo 'it lives: no bug'; exit 0; }\n\
                            echo \"the client died ($status): the bug is there\"\nexit 1\n"
            .to_owned(),
    };
    let how = format!("needs '{}'; CLIENT=... for another one", command.split(' ').next().unwrap_or_default());
    Ok(format!(
        "#!/bin/sh\n{}\nset -u\nout=$(mktemp) || exit 2\ntrap 'rm -f \"$out\"' EXIT\nstatus=0\n\
         ${{CLIENT:-{command}}} >\"$out\" 2>&1 <<'{end}' || status=$?\n{script}{end}\ncat \"$out\"\n\
         answer() {{ awk -v n=\"$1\" '/==== [0-9]+ ====/ {{ on = ($0 ~ \"==== \" n \" ====\"); next }} on' \
         \"$out\"; }}\n\
         {}{judge}",
        header(material, "#", &how),
        if matches!(check, Check::Survives) { "" } else { "grep -q '==== 1 ====' \"$out\" || exit 2\n" },
    ))
}

// ---------------------------------------------------------------- Python

pub fn python(material: &Material) -> Result<String, Fault> {
    let (module, connect) = match material.engine.split(':').next().unwrap_or_default() {
        "sqlite" => ("sqlite3", "sqlite3.connect(\":memory:\", isolation_level=None)"),
        "duckdb" => ("duckdb", "duckdb.connect()"),
        _ => return Err(Fault::usage("Python scripts are for sqlite and duckdb; use --as shell")),
    };
    only_statements(material.case)?;
    let mut steps = String::new();
    for step in &material.case.script {
        let label = step.label.as_ref().map_or("None".to_owned(), |l| literal(l));
        let _ = writeln!(steps, "    ({label}, {}),", literal(&step.text));
    }
    let judge = match check(material.case)? {
        Check::Equal(left, right, order) => {
            let list = |side: &[usize]| format!("[row for i in {side:?} for row in answers[i]]");
            let form = match order {
                Order::Bag => "sorted(map(repr, rows))",
                Order::Set => "sorted(set(map(repr, rows)))",
                Order::List => "list(map(repr, rows))",
            };
            format!("form = lambda rows: {form}\nbug = form({}) != form({})\n", list(&left), list(&right))
        }
        Check::Count { rows, count } => {
            format!("bug = len(answers[{rows}]) != (answers[{count}][0][0] or 0)\n")
        }
        Check::Survives => "bug = False  # a crash would have ended this program\n".to_owned(),
    };
    let how = format!("python3 THIS_FILE; needs the module '{module}'");
    Ok(format!(
        "{}\nimport sys\nimport {module}\n\nSTEPS = [\n{steps}]\n\ndatabase = {connect}\nanswers = []\n\
         for label, statement in STEPS:\n    try:\n        cursor = database.execute(statement)\n        \
         rows = cursor.fetchall() if label is not None else []\n    except Exception as error:\n        \
         print(\"cannot run\", statement, error)\n        sys.exit(2)\n    if label is not None:\n        \
         print(label)\n        for row in rows:\n            print(\"   \", row)\n        answers.append(rows)\n\n\
         {judge}print(\"the bug is there\" if bug else \"no bug\")\nsys.exit(1 if bug else 0)\n",
        header(material, "#", &how)
    ))
}

/// JSON's strings are also Python's.
fn literal(text: &str) -> String {
    serde_json::to_string(text).expect("a text")
}

/// Commands of a shell are not statements.
fn only_statements(case: &Case) -> Result<(), Fault> {
    match case.script.iter().find(|step| step.text.starts_with('.')) {
        Some(step) => {
            let shown = qualm_core::escape::line(&step.text);
            Err(Fault::usage(format!("'{shown}' is a command of the engine's shell; use --as shell")))
        }
        None => Ok(()),
    }
}

// ---------------------------------------------------------------- C

pub fn c(material: &Material) -> Result<String, Fault> {
    if material.engine.split(':').next() != Some("sqlite") {
        return Err(Fault::usage("C programs are for sqlite; use --as shell"));
    }
    only_statements(material.case)?;
    let mut steps = String::new();
    for step in &material.case.script {
        let label = step.label.as_ref().map_or("0".to_owned(), |l| c_literal(l));
        let _ = writeln!(steps, "  {{{label}, {}}},", c_literal(&step.text));
    }
    let queries = material.case.queries().count();
    let list = |side: &[usize]| {
        let items: Vec<String> = side.iter().map(ToString::to_string).collect();
        format!("(int[]){{{}}}, {}", items.join(", "), side.len())
    };
    let judge = match check(material.case)? {
        Check::Equal(left, right, order) => {
            let order = match order {
                Order::List => 0,
                Order::Bag => 1,
                Order::Set => 2,
            };
            format!("!equal({}, {}, {order})", list(&left), list(&right))
        }
        Check::Count { rows, count } => format!("answers[{rows}].n != number(&answers[{count}])"),
        Check::Survives => "0 /* a crash would have ended this program */".to_owned(),
    };
    let how = "cc THIS_FILE -lsqlite3 -o repro && ./repro";
    Ok(format!(
        "{}#include <sqlite3.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         static const struct {{ const char *label, *text; }} steps[] = {{\n{steps}}};\n{C_CODE}\n\
         static struct answer answers[{}];\n{C_EQUAL}\nint main(void) {{\n{C_RUN}  int bug = {judge};\n  \
         puts(bug ? \"the bug is there\" : \"no bug\");\n  return bug ? 1 : 0;\n}}\n",
        header(material, "//", how),
        queries.max(1)
    ))
}

/// Bytes that mean something to a compiler, or nothing to a reader, as octal numbers.
fn c_literal(text: &str) -> String {
    let mut out = "\"".to_owned();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                out.push('\\');
                out.push(byte as char);
            }
            b' '..=b'~' => out.push(byte as char),
            other => {
                let _ = write!(out, "\\{other:03o}");
            }
        }
    }
    out.push('"');
    out
}

const C_CODE: &str = r#"
struct answer { char **rows; int n; };

/* A row with the type of each value, so that 1 and '1' differ. */
static char *row_text(sqlite3_stmt *s) {
  char *text = sqlite3_mprintf("");
  for (int i = 0; i < sqlite3_column_count(s); i++) {
    const unsigned char *bytes = sqlite3_column_blob(s, i);
    int length = sqlite3_column_bytes(s, i), type = sqlite3_column_type(s, i);
    switch (type) {
      case SQLITE_NULL: text = sqlite3_mprintf("%z|NULL", text); break;
      case SQLITE_FLOAT: text = sqlite3_mprintf("%z|%!.17g", text, sqlite3_column_double(s, i)); break;
      case SQLITE_INTEGER: text = sqlite3_mprintf("%z|%lld", text, sqlite3_column_int64(s, i)); break;
      default:
        text = sqlite3_mprintf("%z|%s", text, type == SQLITE_TEXT ? "'" : "x'");
        for (int k = 0; k < length; k++) {
          const char *form = type == SQLITE_TEXT && bytes[k] >= ' ' && bytes[k] < 127 ? "%z%c" : "%z\\%02x";
          text = sqlite3_mprintf(form, text, bytes[k]);
        }
        text = sqlite3_mprintf("%z'", text);
    }
  }
  return text;
}
"#;

const C_EQUAL: &str = r#"
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static struct answer together(int *which, int n, int order) {
  struct answer all = {0, 0};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < answers[which[i]].n; k++) {
      all.rows = realloc(all.rows, (all.n + 1) * sizeof *all.rows);
      all.rows[all.n++] = answers[which[i]].rows[k];
    }
  if (order && all.n) qsort(all.rows, all.n, sizeof *all.rows, by_text);
  if (order == 2) {
    int kept = 0;
    for (int k = 0; k < all.n; k++)
      if (!kept || strcmp(all.rows[kept - 1], all.rows[k])) all.rows[kept++] = all.rows[k];
    all.n = kept;
  }
  return all;
}

static int equal(int *left, int lefts, int *right, int rights, int order) {
  struct answer a = together(left, lefts, order), b = together(right, rights, order);
  if (a.n != b.n) return 0;
  for (int k = 0; k < a.n; k++)
    if (strcmp(a.rows[k], b.rows[k])) return 0;
  return 1;
}

static int number(struct answer *a) { return a->n ? atoi(a->rows[0] + 1) : 0; }
"#;

const C_RUN: &str = r#"  sqlite3 *db;
  int query = 0;
  (void)equal;
  (void)number;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 2;
  printf("SQLite %s\n", sqlite3_libversion());
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    sqlite3_stmt *s;
    int code;
    if (sqlite3_prepare_v2(db, steps[i].text, -1, &s, 0) != SQLITE_OK) {
      printf("cannot run %s: %s\n", steps[i].text, sqlite3_errmsg(db));
      return 2;
    }
    if (steps[i].label) printf("%s\n", steps[i].label);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
      if (!steps[i].label) continue;
      struct answer *a = &answers[query];
      a->rows = realloc(a->rows, (a->n + 1) * sizeof *a->rows);
      a->rows[a->n++] = row_text(s);
      printf("    %s\n", a->rows[a->n - 1]);
    }
    if (code != SQLITE_DONE) {
      printf("cannot run %s: %s\n", steps[i].text, sqlite3_errmsg(db));
      return 2;
    }
    if (steps[i].label) query++;
    sqlite3_finalize(s);
  }
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_literals() {
        assert_eq!(c_literal("a\"b\\c?\nä"), "\"a\\\"b\\\\c\\?\\012\\303\\244\"");
        assert_eq!(literal("it's \"x\"\n"), "\"it's \\\"x\\\"\\n\"");
    }
}
