//! The engines' own clients, as far as a report needs them: what the product calls itself, how a person hands it the
//! statements, and how it prints an answer. A maintainer pastes the steps and sees what the report shows.

use super::one_line;
use qualm_core::language::{Each, Language};
use qualm_core::value::{Value, hex, show_real};

pub struct Client {
    /// The product as its makers write it; empty for an engine that only the user's own command knows.
    pub product: &'static str,
    /// How the steps are run; in Datalog the command for one program, `{}` its file.
    pub how: &'static str,
    /// Language of the block, for the colours.
    pub block: &'static str,
    /// What the client runs first, so that it prints answers as they stand in the report.
    pub first: &'static [&'static str],
    pub statements: Statements,
    pub look: Look,
}

/// How a statement is handed to the client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Statements {
    /// Ended by a semicolon, with comments between them.
    Plain { comment: &'static str },
    /// As an argument of `GRAPH.QUERY`; redis-cli knows no comments.
    Redis,
    /// A program in a file of its own.
    Files,
}

/// How the client prints a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// `1|a`, of sqlite3, duckdb and psql in their list modes.
    Bars { truth: [&'static str; 2], whole_reals: bool },
    /// Of the clients of MySQL, MariaDB and ClickHouse.
    Tabs { null: &'static str, truth: [&'static str; 2] },
    /// `1, "a"`, of cypher-shell and its kin.
    Commas,
    /// `1) (integer) 1`.
    Redis,
    /// `==>1`.
    Gremlin,
    /// `(1, "a")`.
    Tuple,
}

const SQL: Statements = Statements::Plain { comment: "--" };
const GRAPH: Statements = Statements::Plain { comment: "//" };
const SQLITE_TRUTH: [&str; 2] = ["0", "1"];
const WORDS: [&str; 2] = ["false", "true"];

const fn sql(product: &'static str, how: &'static str, first: &'static [&'static str], look: Look) -> Client {
    Client { product, how, block: "sql", first, statements: SQL, look }
}

const fn graph(product: &'static str, how: &'static str, look: Look) -> Client {
    Client { product, how, block: "cypher", first: &[], statements: GRAPH, look }
}

const fn datalog(product: &'static str, how: &'static str) -> Client {
    Client { product, how, block: "", first: &[], statements: Statements::Files, look: Look::Tuple }
}

const MYSQL_LOOK: Look = Look::Tabs { null: "NULL", truth: SQLITE_TRUTH };

/// By the engine's name on our command line.
const CLIENTS: &[(&str, Client)] = &[
    (
        "sqlite",
        sql(
            "SQLite",
            "In the `sqlite3` shell",
            &[".nullvalue NULL"],
            Look::Bars { truth: SQLITE_TRUTH, whole_reals: false },
        ),
    ),
    (
        "postgres",
        sql(
            "PostgreSQL",
            "In `psql`",
            &["\\pset null NULL", "\\pset format unaligned", "\\pset tuples_only on"],
            Look::Bars { truth: ["f", "t"], whole_reals: true },
        ),
    ),
    (
        "duckdb",
        sql(
            "DuckDB",
            "In the `duckdb` shell",
            &[".nullvalue NULL", ".mode list", ".headers off"],
            Look::Bars { truth: WORDS, whole_reals: false },
        ),
    ),
    ("mysql", sql("MySQL", "In an empty database, with `mysql -N -B`", &[], MYSQL_LOOK)),
    ("mariadb", sql("MariaDB", "In an empty database, with `mariadb -N -B`", &[], MYSQL_LOOK)),
    ("chdb", sql("ClickHouse (chDB)", "In one session", &[], Look::Tabs { null: "\\N", truth: WORDS })),
    ("clickhouse", sql("ClickHouse", "In `clickhouse-client`", &[], Look::Tabs { null: "\\N", truth: WORDS })),
    ("neo4j", graph("Neo4j", "On an empty database, in `cypher-shell`", Look::Commas)),
    ("arcadedb", graph("ArcadeDB", "On an empty database, in openCypher", Look::Commas)),
    ("grafeo", graph("Grafeo", "On an empty database", Look::Commas)),
    (
        "falkordb",
        Client {
            product: "FalkorDB",
            how: "On an empty server, in `redis-cli`",
            block: "",
            first: &[],
            statements: Statements::Redis,
            look: Look::Redis,
        },
    ),
    (
        "gremlin",
        Client {
            product: "Apache TinkerPop",
            how: "On an empty graph, in the Gremlin console",
            block: "groovy",
            first: &[],
            statements: GRAPH,
            look: Look::Gremlin,
        },
    ),
    ("z3", datalog("Z3", "z3 {}")),
    ("clingo", datalog("clingo", "clingo {} 0")),
    ("souffle", datalog("Soufflé", "souffle -D- {}")),
    ("ddlog", datalog("DDlog", "ddlog -i {}")),
    ("cozo", datalog("CozoDB", "")),
    ("mangle", datalog("Mangle", "")),
];

/// What every client of a language takes.
const ANY: Each<Client> = Each {
    sql: sql("", "In an empty database", &[], Look::Bars { truth: WORDS, whole_reals: false }),
    datalog: datalog("", ""),
    graph: graph("", "On an empty graph", Look::Commas),
};

const ANY_GREMLIN: Client = Client {
    product: "",
    how: "On an empty graph",
    block: "groovy",
    first: &[],
    statements: GRAPH,
    look: Look::Gremlin,
};

/// The client of an engine that is named as on the command line; for one that the table does not have, what every
/// client of the language takes.
pub fn of(engine: &str, language: Language, gremlin: bool) -> &'static Client {
    let name = engine.split(':').next().unwrap_or_default();
    let known = CLIENTS.iter().find(|(of, _)| *of == name).map(|(_, client)| client);
    let client = known.unwrap_or(const { &ANY }.of(language));
    // Grafeo speaks Gremlin as well.
    let traverses = gremlin && language.style().traversals.is_some();
    if traverses && client.look != Look::Gremlin { &ANY_GREMLIN } else { client }
}

impl Client {
    /// What the engine calls itself, under its makers' name.
    pub fn version(&self, version: &str) -> String {
        match version.split_once(' ') {
            Some((_, number)) if !self.product.is_empty() => format!("{} {number}", self.product),
            _ => version.to_owned(),
        }
    }

    /// One row as the client prints it.
    pub fn row(&self, row: &[Value], number: usize) -> String {
        let cells = |one: &dyn Fn(&Value) -> String| row.iter().map(|v| one_line(&one(v))).collect::<Vec<_>>();
        match self.look {
            Look::Bars { truth, whole_reals } => cells(&|v| sql_cell(v, "NULL", truth, whole_reals)).join("|"),
            Look::Tabs { null, truth } => cells(&|v| sql_cell(v, null, truth, true)).join("\t"),
            Look::Commas => cells(&quoted).join(", "),
            Look::Tuple => format!("({})", cells(&quoted).join(", ")),
            Look::Gremlin => format!("==>{}", cells(&bare).join(", ")),
            Look::Redis => redis_row(&cells(&redis_cell), number),
        }
    }
}

/// `GRAPH.QUERY` as redis-cli takes it on one line.
pub fn redis(statement: &str) -> String {
    let mut text = String::with_capacity(statement.len() + 8);
    for c in statement.trim_end_matches(';').chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            c => text.push(c),
        }
    }
    format!("GRAPH.QUERY g \"{text}\"")
}

fn redis_row(cells: &[String], number: usize) -> String {
    let lead = format!("{number}) ");
    let lines = cells.iter().enumerate().map(|(i, cell)| {
        let lead = if i == 0 { lead.clone() } else { " ".repeat(lead.len()) };
        format!("{lead}{}) {cell}", i + 1)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn sql_cell(value: &Value, null: &str, truth: [&str; 2], whole_reals: bool) -> String {
    match value {
        Value::Null => null.into(),
        Value::Bool(b) => truth[usize::from(*b)].into(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("x'{}'", hex(bytes)),
        Value::Real(r) if whole_reals => format!("{r}"),
        other => other.show(),
    }
}

fn redis_cell(value: &Value) -> String {
    match value {
        Value::Null => "(nil)".into(),
        Value::Int(i) => format!("(integer) {i}"),
        Value::Bool(b) => format!("\"{b}\""),
        Value::Real(r) => format!("\"{}\"", show_real(*r)),
        other => quoted(other),
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        other => other.show(),
    }
}

fn bare(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Bool(b) => b.to_string(),
        Value::Null => "null".into(),
        other => other.show(),
    }
}
