//! A dialect of SQL as data: the name of a built-in one, an object, or a file in TOML. What it names replaces or adds
//! to its `base`. docs/dialects.md is the reference and is made from `FIELDS` and the comments of the features.
//! A dialect lives as long as the process.

use super::dialects::{base_name, text, texts};
use super::standard::WIDE;
use crate::{clickhouse, duckdb, sqlite};
use qualm_core::dialect::sql::{
    Affinity, Binding, Concat, Dialect, Feature, FunctionSpec, Kind, KindSpec, MOST_FUNCTIONS, NullSafe, ORDINARY,
    Operator, Param, SelfTest, Semantics, Special, Spelling, TypeSpec, nothing_catalogued,
};
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use qualm_core::session::RejectionClass;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;

/// The SQL dialects that a dialect may begin with.
pub static BASES: &[&Dialect] = &[
    &WIDE,
    &sqlite::dialect::SQLITE,
    &duckdb::dialect::DUCKDB,
    &clickhouse::dialect::CLICKHOUSE,
    #[cfg(feature = "servers")]
    &crate::postgres::dialect::POSTGRES,
    #[cfg(feature = "servers")]
    &crate::mysql::dialect::MYSQL,
    #[cfg(feature = "servers")]
    &crate::mysql::dialect::MARIADB,
];

/// The keys of a dialect file, each with what it means.
pub const FIELDS: &[(&str, &str)] = &[
    ("base", "the dialect that this one begins with; the only required key"),
    ("name", "the name in reports; the base's without it"),
    ("quote", "the character around names that are not plain"),
    ("dynamic_typing", "values of any type may be stored in and compared with any column"),
    ("numeric_truth", "a truth value is a number, so that any expression may be a condition"),
    (
        "loose_texts",
        "texts that are equal need not be the same, because `'a' = 'a '` or `'a' = 'A'` is true: which of them \
         DISTINCT and MIN show then decides nothing",
    ),
    ("int_limit", "the largest integer to generate; sums and products of such integers must not overflow"),
    ("preamble", "statements that a shell must run before a script"),
    ("settings", "statements that may be run between others and change no result"),
    ("maintenance", "statements such as ANALYZE; `{table}` stands for a table"),
    ("collations", "names for COLLATE; the first one compares bytes and is the default"),
    (
        "types",
        "column types, in place of the base's: `[\"BIGINT\", \"int\"]`, or `{name, kind, affinity, strict}`; of each \
         kind the first is the plain one",
    ),
    ("without_types", "names of column types of the base to leave out"),
    ("functions", "functions in place of the base's: `[\"substr\", [\"text\", \"small_int\"], \"text\"]`"),
    ("more_functions", "functions beside the base's, in the same form"),
    ("without_functions", "names of functions of the base to leave out"),
    (
        "kinds",
        "kinds of values beside the basic ones, each a table: `name`, `literal` (what stands before and after its \
         text), `cast`, `values`, and what differs from an ordinary kind: `exact`, `ordered`, `least`, \
         `text_order`, `equals`, `keys`, `sums`, `meets`, `casts`, `operators`",
    ),
    ("without_kinds", "kinds of the base to leave out"),
    ("features", "features to add, or to probe differently: name = list of statements that work where it exists"),
    ("without", "features of the base to leave out"),
    (
        "errors",
        "parts of error messages and their class (`expected`, `limit`, `out_of_memory`, `internal`), the first that \
         fits counts: `[[\"internal error\", \"internal\"]]`",
    ),
    ("spelling", "a table of how things are written, see below"),
    (
        "self_test",
        "`{statements, question, answer}`: a query whose rows are known, run before every hunt; the \
         answer may be JSON in a text",
    ),
];

/// The keys of `[spelling]`, each with what it means.
pub const SPELLING_FIELDS: &[(&str, &str)] = &[
    (
        "null_safe",
        "equality for which NULL equals NULL: `is`, `distinct` (IS NOT DISTINCT FROM), `spaceship`, `if_null`",
    ),
    ("concat", "`operator` (`||`) or `function` (`concat`)"),
    ("real", "what stands before and after the digits of a float, so that it is not read as an exact decimal"),
    ("infinity", "the literals of infinity and minus infinity; empty where there are none"),
    ("blob", "what stands before and after the hexadecimal digits of a blob"),
    ("backslash_escapes", "a backslash in a text literal has to be doubled"),
    ("insert_ignore", "INSERT that skips rows in conflict: the words before INTO, and what follows the rows"),
    ("insert_replace", "INSERT that replaces rows in conflict, in the same way"),
    ("update_ignore", "UPDATE that skips rows in conflict; `UPDATE` where there is none"),
    ("update_replace", "UPDATE that replaces rows in conflict; `UPDATE` where there is none"),
    ("table_suffix", "what follows the columns of CREATE TABLE"),
    ("table_variants", "other things that may stand there; `{column}` is a column of the table"),
    ("index_variants", "one of these follows the terms of CREATE INDEX"),
    ("nullable", "what stands around the type of a column that may be NULL"),
    ("generated", "the words before the expression of a generated column"),
    ("drop_index_names_table", "`DROP INDEX i ON t`"),
    ("casts", "types in CAST, by kind: `[[\"int\", \"BIGINT\"]]`"),
    ("comma_binds_weakly", "JOIN binds more tightly than the comma in FROM, as in the standard"),
    ("aliased_keeps_name", "`SELECT t.c FROM t AS a` is accepted: a table keeps its name beside its alias"),
    ("unique_names", "columns of a select list must have different names, so that each gets one"),
    ("from_nothing", "what stands in place of FROM in a SELECT of no table, e.g. ` FROM dual`"),
    ("row_frames", "window frames that count rows"),
    ("peer_frames", "window frames that keep rows of equal rank together"),
    ("fetch_first", "`OFFSET m ROWS FETCH NEXT n ROWS ONLY` in place of LIMIT"),
    ("values_columns", "the names of the columns of VALUES, `{}` being their number"),
    (
        "insert_block",
        "what stands around INSERTs of one row each, for want of VALUES with several rows: \
         `[\"EXECUTE BLOCK AS BEGIN \", \"END\"]`",
    ),
    ("mutations_by_alter", "`ALTER TABLE t UPDATE` and `ALTER TABLE t DELETE`"),
];

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Given {
    base: String,
    name: Option<String>,
    quote: Option<char>,
    dynamic_typing: Option<bool>,
    numeric_truth: Option<bool>,
    loose_texts: Option<bool>,
    int_limit: Option<i64>,
    preamble: Option<Vec<String>>,
    settings: Option<Vec<String>>,
    maintenance: Option<Vec<String>>,
    collations: Option<Vec<String>>,
    types: Option<Vec<GivenType>>,
    without_types: Vec<String>,
    functions: Option<Vec<GivenFunction>>,
    more_functions: Vec<GivenFunction>,
    without_functions: Vec<String>,
    kinds: Vec<GivenKind>,
    without_kinds: Vec<String>,
    features: BTreeMap<Feature, Vec<String>>,
    without: Vec<Feature>,
    errors: Option<Vec<(String, Class)>>,
    spelling: GivenSpelling,
    self_test: Option<GivenSelfTest>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct GivenSpelling {
    null_safe: Option<NullSafe>,
    concat: Option<Concat>,
    real: Option<(String, String)>,
    infinity: Option<(String, String)>,
    blob: Option<(String, String)>,
    backslash_escapes: Option<bool>,
    insert_ignore: Option<(String, String)>,
    insert_replace: Option<(String, String)>,
    update_ignore: Option<String>,
    update_replace: Option<String>,
    table_suffix: Option<String>,
    table_variants: Option<Vec<String>>,
    index_variants: Option<Vec<String>>,
    nullable: Option<(String, String)>,
    generated: Option<String>,
    drop_index_names_table: Option<bool>,
    casts: Option<Vec<(Kind, String)>>,
    comma_binds_weakly: Option<bool>,
    aliased_keeps_name: Option<bool>,
    unique_names: Option<bool>,
    from_nothing: Option<String>,
    row_frames: Option<Vec<String>>,
    peer_frames: Option<Vec<String>>,
    fetch_first: Option<bool>,
    values_columns: Option<String>,
    insert_block: Option<(String, String)>,
    mutations_by_alter: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenType {
    Short(String, Kind),
    Long {
        name: String,
        kind: Kind,
        affinity: Option<Affinity>,
        #[serde(default)]
        strict: bool,
    },
}

/// A kind of values beside the basic ones: what differs from the base's, or from one that is ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenKind {
    name: Special,
    literal: Option<(String, String)>,
    cast: Option<String>,
    values: Option<Vec<String>>,
    exact: Option<bool>,
    ordered: Option<bool>,
    least: Option<bool>,
    text_order: Option<bool>,
    equals: Option<bool>,
    keys: Option<bool>,
    sums: Option<bool>,
    meets: Option<Vec<Kind>>,
    casts: Option<Vec<Kind>>,
    /// Symbol, right side, result.
    operators: Option<Vec<(String, Kind, Kind)>>,
}

fn kind_spec(given: GivenKind, base: &KindSpec) -> KindSpec {
    let operator = |(symbol, right, result)| Operator { symbol: text(symbol), right, result };
    KindSpec {
        name: given.name.0,
        literal: pair(given.literal, base.literal),
        cast: given.cast.map_or(base.cast, text),
        values: given.values.map_or(base.values, texts),
        exact: given.exact.unwrap_or(base.exact),
        ordered: given.ordered.unwrap_or(base.ordered),
        least: given.least.unwrap_or(base.least),
        text_order: given.text_order.unwrap_or(base.text_order),
        equals: given.equals.unwrap_or(base.equals),
        keys: given.keys.unwrap_or(base.keys),
        sums: given.sums.unwrap_or(base.sums),
        meets: given.meets.map_or(base.meets, |kinds| Vec::leak(kinds)),
        casts: given.casts.map_or(base.casts, |kinds| Vec::leak(kinds)),
        operators: given.operators.map_or(base.operators, |all| Vec::leak(all.into_iter().map(operator).collect())),
    }
}

/// Name, parameters, result.
type GivenFunction = (String, Vec<String>, Kind);

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Class {
    #[serde(alias = "Expected")]
    Expected,
    #[serde(alias = "Limit")]
    Limit,
    #[serde(alias = "OutOfMemory")]
    OutOfMemory,
    #[serde(alias = "Internal")]
    Internal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenSelfTest {
    statements: Vec<String>,
    question: String,
    answer: Json,
}

/// The dialect that a hello names: a built-in one, a file, or an object.
pub fn sql(given: Json) -> Result<&'static Dialect, String> {
    if let Some(path) = given.as_str().filter(|name| name.ends_with(".toml")) {
        return read(Path::new(path));
    }
    let base = base(base_name(&given)?)?;
    if given.is_string() {
        return Ok(Box::leak(Box::new(Dialect { semantics: NOT_KNOWN, ..*base })));
    }
    let given = serde_json::from_value(given).map_err(|e| format!("cannot parse the dialect: {e}"))?;
    build(base, given)
}

/// A dialect file.
pub fn read(path: &Path) -> Result<&'static Dialect, String> {
    let content = files::text(path, "the dialect", FILE_BYTES)?;
    from_toml(&path.display().to_string(), &content)
}

/// `name` is where the text is from, for the person who reads the error.
pub fn from_toml(name: &str, content: &str) -> Result<&'static Dialect, String> {
    let given: Given = toml::from_str(content).map_err(|e| {
        let line = 1 + e.span().map_or(0, |s| content[..s.start].matches('\n').count());
        format!("cannot read the dialect '{name}', line {line}: {}", e.message().trim_end())
    })?;
    base(&given.base).and_then(|base| build(base, given)).map_err(|why| format!("the dialect '{name}': {why}"))
}

fn base(name: &str) -> Result<&'static Dialect, String> {
    BASES.iter().find(|d| d.name == name).copied().ok_or_else(|| {
        let known: Vec<&str> = BASES.iter().map(|d| d.name).collect();
        format!("unknown SQL dialect '{name}'; known dialects: {}", known.join(", "))
    })
}

fn build(base: &'static Dialect, given: Given) -> Result<&'static Dialect, String> {
    let kept = |name: &str, left_out: &[String]| !left_out.iter().any(|n| n == name);
    let mut types = match given.types {
        Some(types) => types.into_iter().map(type_spec).collect(),
        None => base.types.to_vec(),
    };
    types.retain(|t: &TypeSpec| kept(t.name, &given.without_types));
    if types.is_empty() {
        return Err("there is no column type left".into());
    }
    let mut functions = match given.functions {
        Some(functions) => functions.into_iter().map(function).collect::<Result<_, _>>()?,
        None => base.functions.to_vec(),
    };
    functions.extend(given.more_functions.into_iter().map(function).collect::<Result<Vec<_>, _>>()?);
    functions.retain(|f: &FunctionSpec| kept(f.name, &given.without_functions));
    functions.sort_by_key(FunctionSpec::is_special);
    let mut kinds: Vec<KindSpec> = base.kinds.to_vec();
    for kind in given.kinds {
        let begins = kinds.iter().position(|k| kind.name.0 == k.name).map(|at| kinds.remove(at));
        kinds.push(kind_spec(kind, &begins.unwrap_or(ORDINARY)));
    }
    kinds.retain(|k| kept(k.name, &given.without_kinds));
    if functions.len() > MOST_FUNCTIONS {
        return Err(format!("{} functions are too many; at most {MOST_FUNCTIONS} are used", functions.len()));
    }
    let inherited = base.features.iter().map(|(feature, probe)| (*feature, in_types(probe, base, &types)));
    let mut features: Vec<(Feature, &'static [&'static str])> = inherited.collect();
    for (feature, probe) in given.features {
        features.retain(|(f, _)| *f != feature);
        features.push((feature, texts(probe)));
    }
    features.retain(|(f, _)| !given.without.contains(f));
    let self_test = given.self_test.map_or(base.self_test, |test| SelfTest {
        statements: texts(test.statements),
        question: text(test.question),
        // TOML has no null, so that an answer may be JSON in a text.
        answer: text(test.answer.as_str().map_or_else(|| test.answer.to_string(), str::to_owned)),
    });
    Ok(Box::leak(Box::new(Dialect {
        name: given.name.map_or(base.name, text),
        preamble: given.preamble.map_or(base.preamble, texts),
        quote: given.quote.unwrap_or(base.quote),
        dynamic_typing: given.dynamic_typing.unwrap_or(base.dynamic_typing),
        numeric_truth: given.numeric_truth.unwrap_or(base.numeric_truth),
        loose_texts: given.loose_texts.unwrap_or(base.loose_texts),
        types: Vec::leak(types),
        kinds: Vec::leak(kinds),
        collations: given.collations.map_or(base.collations, texts),
        functions: Vec::leak(functions),
        catalogue: nothing_catalogued,
        features: Vec::leak(features),
        settings: given.settings.map_or(base.settings, texts),
        maintenance: given.maintenance.map_or(base.maintenance, texts),
        layouts: base.layouts,
        given: base.given,
        on_disk: base.on_disk,
        foreign_keys_on: base.foreign_keys_on,
        modules: base.modules,
        json_makers: base.json_makers,
        int_limit: given.int_limit.unwrap_or(base.int_limit),
        errors: given.errors.map_or(base.errors, errors),
        spelling: spelling(&base.spelling, given.spelling),
        self_test,
        semantics: NOT_KNOWN,
    })))
}

/// The probes of a base with the types of this dialect: a type that it does not list says nothing about a feature. What
/// is no type of the base's is left as it is.
fn in_types(probe: &'static [&'static str], base: &Dialect, types: &[TypeSpec]) -> &'static [&'static str] {
    let plain = |kind: Kind| types.iter().find(|t| t.kind == kind).map(|t| t.name);
    let missing = |name: &str| !types.iter().any(|t| t.name == name);
    let changed: Vec<(&str, &str)> = base
        .types
        .iter()
        .filter(|t| missing(t.name))
        .filter_map(|t| Some((t.name, plain(t.kind)?)))
        .filter(|(name, _)| probe.iter().any(|text| text.contains(name)))
        .collect();
    if changed.is_empty() {
        return probe;
    }
    let word = |text: &str, (from, to): &(&str, &str)| text.replace(&format!(" {from}"), &format!(" {to}"));
    texts(probe.iter().map(|text| changed.iter().fold((*text).to_owned(), |text, pair| word(&text, pair))).collect())
}

/// An engine that speaks a dialect need not compute what the one does that our evaluator knows.
const NOT_KNOWN: Option<Semantics> = None;

fn errors(given: Vec<(String, Class)>) -> &'static [(&'static str, RejectionClass)] {
    let class = |class| match class {
        Class::Expected => RejectionClass::Expected,
        Class::Limit => RejectionClass::Limit,
        Class::OutOfMemory => RejectionClass::OutOfMemory,
        Class::Internal => RejectionClass::Internal,
    };
    Vec::leak(given.into_iter().map(|(part, c)| (text(part), class(c))).collect())
}

fn type_spec(given: GivenType) -> TypeSpec {
    match given {
        GivenType::Short(name, kind) => TypeSpec { name: text(name), kind, affinity: Affinity::None, strict: true },
        GivenType::Long { name, kind, affinity, strict } => {
            TypeSpec { name: text(name), kind, affinity: affinity.unwrap_or(Affinity::None), strict }
        }
    }
}

fn function((name, params, result): GivenFunction) -> Result<FunctionSpec, String> {
    let known = |p: &String| param(p).ok_or_else(|| format!("the function '{name}' has an unknown parameter '{p}'"));
    let params = params.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    Ok(FunctionSpec { name: text(name.clone()), params: Vec::leak(params), result })
}

/// Parameters by name; `same`, `small_int` and the others are those of `Param`.
pub const PARAMS: &[(&str, Param)] = &[
    ("int", Param::Of(Kind::Int)),
    ("real", Param::Of(Kind::Real)),
    ("text", Param::Of(Kind::Text)),
    ("blob", Param::Of(Kind::Blob)),
    ("bool", Param::Of(Kind::Bool)),
    ("any", Param::Of(Kind::Any)),
    ("same", Param::Same),
    ("small_int", Param::SmallInt),
    ("json", Param::Json),
    ("json_path", Param::JsonPath),
    ("format", Param::Format),
    ("date", Param::Date),
    ("probability", Param::Probability),
    ("pattern", Param::Pattern),
];

fn param(name: &str) -> Option<Param> {
    let kind = |name| Param::Of(Kind::Special(Special::named(name)));
    let known = PARAMS.iter().find(|(known, _)| *known == name).map(|(_, param)| *param);
    known.or_else(|| name.strip_prefix("value:").map(kind))
}

fn pair(given: Option<(String, String)>, base: (&'static str, &'static str)) -> (&'static str, &'static str) {
    given.map_or(base, |(before, after)| (text(before), text(after)))
}

fn spelling(base: &Spelling, given: GivenSpelling) -> Spelling {
    let casts =
        |all: Vec<(Kind, String)>| &*Vec::leak(all.into_iter().map(|(kind, name)| (kind, text(name))).collect());
    Spelling {
        null_safe: given.null_safe.unwrap_or(base.null_safe),
        concat: given.concat.unwrap_or(base.concat),
        real: pair(given.real, base.real),
        infinity: pair(given.infinity, base.infinity),
        blob: pair(given.blob, base.blob),
        backslash_escapes: given.backslash_escapes.unwrap_or(base.backslash_escapes),
        insert_ignore: pair(given.insert_ignore, base.insert_ignore),
        insert_replace: pair(given.insert_replace, base.insert_replace),
        update_ignore: given.update_ignore.map_or(base.update_ignore, text),
        update_replace: given.update_replace.map_or(base.update_replace, text),
        table_suffix: given.table_suffix.map_or(base.table_suffix, text),
        table_variants: given.table_variants.map_or(base.table_variants, texts),
        index_variants: given.index_variants.map_or(base.index_variants, texts),
        nullable: pair(given.nullable, base.nullable),
        generated: given.generated.map_or(base.generated, text),
        drop_index_names_table: given.drop_index_names_table.unwrap_or(base.drop_index_names_table),
        casts: given.casts.map_or(base.casts, casts),
        comma_binds_weakly: given.comma_binds_weakly.unwrap_or(base.comma_binds_weakly),
        aliased_keeps_name: given.aliased_keeps_name.unwrap_or(base.aliased_keeps_name),
        unique_names: given.unique_names.unwrap_or(base.unique_names),
        from_nothing: given.from_nothing.map_or(base.from_nothing, text),
        row_frames: given.row_frames.map_or(base.row_frames, texts),
        peer_frames: given.peer_frames.map_or(base.peer_frames, texts),
        value_frames: &[],
        fetch_first: given.fetch_first.unwrap_or(base.fetch_first),
        values_columns: given.values_columns.map_or(base.values_columns, text),
        // How a client binds values is not how an adapter does.
        binding: Binding::None,
        generic_plans: &[],
        insert_block: pair(given.insert_block, base.insert_block),
        mutations_by_alter: given.mutations_by_alter.unwrap_or(base.mutations_by_alter),
        trigger_body: base.trigger_body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn probes_of_the_base_use_the_types_that_are_left() {
        let given = json!({"base": "standard", "types": [["INT64", "int"], ["STRING", "text"]]});
        let probe = |dialect: &Dialect| dialect.features.iter().find(|(f, _)| *f == Feature::Index).unwrap().1[0];
        assert_eq!(probe(sql(given).unwrap()), "CREATE TABLE p(a INT64, b STRING)");
        assert_eq!(probe(sql(json!("standard")).unwrap()), "CREATE TABLE p(a INTEGER, b VARCHAR(100))");
    }

    #[test]
    fn a_dialect_is_named_or_changed() {
        assert_eq!(sql(json!("sqlite")).unwrap().name, "sqlite");
        let less = json!({"base": "sqlite", "name": "other", "without": ["Window"], "without_functions": ["abs"],
                          "self_test": {"statements": [], "question": "SELECT 1", "answer": [[1]]}});
        let less = sql(less).unwrap();
        assert_eq!((less.name, less.self_test.answer), ("other", "[[1]]"));
        assert!(!less.lists(Feature::Window) && less.lists(Feature::Cte));
        assert!(less.functions.iter().all(|f| f.name != "abs") && !less.functions.is_empty());
        assert!(sql(json!("oracle")).err().unwrap().contains("sqlite, duckdb"));
        assert!(sql(json!({"base": "sqlite", "nonsense": 1})).err().unwrap().contains("nonsense"));
        assert!(sql(json!(7)).err().unwrap().contains("base"));
    }

    #[test]
    fn all_of_a_dialect_can_be_said_in_a_file() {
        let file = r#"
            base = "standard"
            name = "mine"
            quote = "`"
            loose_texts = true
            types = [["BIGINT", "int"], { name = "TEXT", kind = "text", affinity = "Text", strict = true }]
            functions = [["abs", ["int"], "int"], ["left", ["text", "small_int"], "text"]]
            more_functions = [["upper", ["text"], "text"]]
            errors = [["unexpected state", "internal"], ["too long", "limit"]]
            [features]
            Glob = ["SELECT 'a' GLOB 'a*'"]
            [spelling]
            null_safe = "spaceship"
            concat = "function"
            real = ["CAST(", " AS DOUBLE)"]
            casts = [["int", "BIGINT"]]
            values_columns = "C{}"
            fetch_first = true
            peer_frames = []
            insert_block = ["BEGIN ", "END"]
        "#;
        let mine = from_toml("f", file).unwrap();
        assert_eq!((mine.name, mine.quote, mine.types.len(), mine.functions.len()), ("mine", '`', 2, 3));
        assert_eq!(mine.functions[1].params, [Param::Of(Kind::Text), Param::SmallInt]);
        assert!(mine.lists(Feature::Glob) && mine.lists(Feature::Cte));
        assert_eq!(mine.class_of("an unexpected state of x"), RejectionClass::Internal);
        assert_eq!(mine.class_of("anything"), RejectionClass::Expected);
        assert_eq!((mine.spelling.null_safe, mine.spelling.values_column(2)), (NullSafe::Spaceship, "C2".to_owned()));
        assert!(mine.loose_texts && mine.spelling.insert_block == ("BEGIN ", "END"));
        assert!(mine.spelling.fetch_first && mine.spelling.peer_frames.is_empty());
        let wrong = |content: &str| from_toml("f", content).err().unwrap();
        assert!(wrong("base = \"oracle\"").contains("known dialects: standard"));
        assert!(wrong("base = \"sqlite\"\nnonsense = 1").contains("line 2"));
        assert!(wrong("base = \"sqlite\"\nfunctions = [[\"f\", [\"thing\"], \"int\"]]").contains("'thing'"));
        assert!(wrong("base = \"sqlite\"\ntypes = []").contains("no column type"));
    }

    /// A key that is read and not explained, or the other way round, is a mistake.
    #[test]
    fn every_key_is_explained() {
        let unknown = |key: &str, content: String| match toml::from_str::<Given>(&content) {
            Ok(_) => false,
            Err(e) => e.message().contains("unknown field") && e.message().contains(key),
        };
        for (key, _) in FIELDS {
            assert!(!unknown(key, format!("{key} = 1")), "{key}");
        }
        for (key, _) in SPELLING_FIELDS {
            assert!(!unknown(key, format!("[spelling]\n{key} = 1")), "{key}");
        }
        let listed = |content: &str, fields: &[(&str, &str)]| {
            let message = toml::from_str::<Given>(content).err().unwrap().message().to_owned();
            let expected = message.split_once("expected one of").unwrap().1.to_owned();
            assert_eq!(expected.split(',').count(), fields.len(), "{expected}");
        };
        listed("zzz = 1", FIELDS);
        listed("[spelling]\nzzz = 1", SPELLING_FIELDS);
    }
}
