use super::keys::{FIELDS, MODULE_FIELDS, SEMANTICS_FIELDS, SPELLING_FIELDS};
use super::write::to_toml;
use super::*;
use qualm_core::dialect::sql::{Binding, Feature, Kind, NullSafe, Param, Semantics};
use qualm_core::session::RejectionClass;
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

/// What is written of a dialect is a dialect file, and says the same.
#[test]
fn a_dialect_is_written_and_read_back() {
    for (name, dialect) in BASES.iter().filter(|(name, _)| *name != "empty") {
        let text = to_toml(dialect);
        let again = from_toml(name, &text).unwrap_or_else(|why| panic!("{why}:\n{text}"));
        assert_eq!(again, &***dialect, "{name}");
        assert_eq!(to_toml(again), text, "{name}");
    }
}

/// Whatever differs from a dialect that lists nothing is in the text, key by key.
#[test]
fn every_key_of_a_dialect_is_written() {
    let text: String = BASES.iter().map(|(_, dialect)| to_toml(dialect)).collect();
    let said =
        |key: &str| text.lines().any(|line| line.starts_with(&format!("{key} = ")) || line == format!("[{key}]"));
    // No built-in dialect has these.
    let unused =
        ["loose_texts", "errors", "unique_names", "from_nothing", "fetch_first", "values_columns", "insert_block"];
    // A whole dialect leaves nothing out, and neither begins with another nor names lists of words.
    let parts = ["like_escape", "kinds", "modules", "words", "more_functions"];
    let all = [FIELDS, SPELLING_FIELDS, SEMANTICS_FIELDS, MODULE_FIELDS].concat();
    for (key, _) in all.iter().filter(|(key, _)| !key.starts_with("without_") && !unused.contains(key)) {
        assert!(said(key) || parts.contains(key) || ["row_frames", "peer_frames", "search"].contains(key), "{key}");
    }
    let rest = r#"
        base = "empty"
        types = [["INT", "int"]]
        loose_texts = true
        errors = [["oops", "internal"], ["no", "expected"], ["long", "limit"], ["full", "out_of_memory"]]
        [spelling]
        unique_names = true
        from_nothing = " FROM dual"
        row_frames = []
        peer_frames = ["x"]
        fetch_first = true
        values_columns = "C{}"
        insert_block = ["a\u007f", "b\\"]
        binding = "none"
        [features]
        Glob = []
    "#;
    let rest = from_toml("rest", rest).unwrap();
    assert_eq!(from_toml("again", &to_toml(rest)).unwrap(), rest);
    assert_eq!(rest.spelling.insert_block, ("a\x7f", "b\\"));
}

/// What no file could say before: modules, layouts, words, semantics, the binding of values, a catalogue.
#[test]
fn a_file_changes_what_was_only_ours_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    write("mine.tsv", "scalar\tsoundex\ttext\ttext\naggregate\tmedian\tint\tint\n");
    let file = write(
        "mine.toml",
        r#"
            base = "sqlite"
            name = "mine"
            layouts = ["PRAGMA page_size = 4096"]
            foreign_keys_on = ""
            json_makers = ["json"]
            catalogue = "mine.tsv"
            more_functions = [["date", ["words:days", ["+1 day"]], "text"]]
            [words]
            days = ["2020-02-29", "1970-01-01"]
            [spelling]
            binding = "numbered"
            trigger_body = [" DO ", ""]
            generic_plans = [["SET a = 1", "RESET a"]]
            [semantics]
            like_escape = ""
            like_ignores_case = true
            [[kinds]]
            name = "moment"
            like = "timestamp"
            cast = "MOMENT"
            [[modules]]
            name = "boxes"
            feature = "Rtree"
            holds = "boxes"
        "#,
    );
    let mine = read(&file).unwrap();
    assert_eq!((mine.layouts, mine.foreign_keys_on), (&["PRAGMA page_size = 4096"][..], ""));
    assert_eq!((mine.json_makers, mine.spelling.binding), (&["json"][..], Binding::Numbered { typed: false }));
    assert_eq!((mine.spelling.trigger_body, mine.spelling.generic_plans.len()), ((" DO ", ""), 1));
    assert_eq!((mine.catalogued().scalars[0].name, mine.aggregates_named("MEDIAN").count()), ("soundex", 1));
    let call = mine.functions.last().unwrap();
    assert_eq!(call.params, [Param::Word(&["2020-02-29", "1970-01-01"]), Param::Word(&["+1 day"])]);
    let Some(Semantics::Typed(typed)) = mine.semantics else { panic!("{:?}", mine.semantics) };
    assert!(typed.like_ignores_case && typed.like_escape.is_none() && typed.remainder_has_sign_of_dividend);
    let moment = mine.special(Kind::special("moment")).unwrap();
    assert!(moment.cast == "MOMENT" && moment.text_order && moment.values.contains(&"2020-02-29 00:00:00"));
    assert_eq!((mine.modules.len(), mine.modules[0].search), (1, None));
    assert_eq!(from_toml("again", &to_toml(mine).replace("\"mine.tsv\"", "\"duckdb\"")).unwrap().kinds, mine.kinds);

    let wrong = |content: &str| from_toml("f", &format!("base = \"sqlite\"\n{content}")).err().unwrap();
    assert!(wrong("semantics = \"oracle\"").contains("oracle"));
    assert!(wrong("[semantics]\nlike_case = 1").contains("like_case"));
    assert!(wrong("[semantics]\nlike_escape = \"ab\"").contains("one character"));
    assert!(wrong("catalogue = \"oracle\"").contains("duckdb"));
    assert!(wrong("catalogue = \"nowhere.tsv\"").contains("nowhere.tsv"));
    assert!(wrong("more_functions = [[\"f\", [\"words:none\"], \"int\"]]").contains("words:none"));
    assert!(wrong("[[kinds]]\nname = \"a\"\nlike = \"b\"").contains("not known"));
}

/// What an engine computes and how its own client binds values is not known of another engine.
#[test]
fn facts_of_one_engine_are_not_inherited() {
    let derived = from_toml("f", "base = \"duckdb\"").unwrap();
    assert_eq!((derived.semantics, derived.catalogue, derived.spelling.binding), (None, None, Binding::None));
    assert!(base("duckdb").unwrap().semantics.is_some() && !base("duckdb").unwrap().catalogued().scalars.is_empty());
    assert_eq!((derived.functions, derived.kinds), (base("duckdb").unwrap().functions, base("duckdb").unwrap().kinds));
    let all = from_toml("f", "base = \"duckdb\"\ncatalogue = \"duckdb\"").unwrap();
    assert_eq!(all.catalogue, base("duckdb").unwrap().catalogue);
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
    listed("[semantics]\nzzz = 1", SEMANTICS_FIELDS);
    listed("[[modules]]\nzzz = 1", MODULE_FIELDS);
}
