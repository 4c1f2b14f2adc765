//! The keys of a dialect file, each with what it means: docs/dialects.md is made from them.

pub const FIELDS: &[(&str, &str)] = &[
    (
        "base",
        "the dialect that this one begins with; the only required key. `empty` lists nothing and writes everything as \
         the standard has it",
    ),
    ("name", "the name in reports; the base's without it"),
    ("quote", "the character around names that are not plain"),
    ("dynamic_typing", "values of any type may be stored in and compared with any column"),
    ("numeric_truth", "a truth value is a number, so that any expression may be a condition"),
    (
        "loose_texts",
        "texts that are equal need not be the same, because `'a' = 'a '` or `'a' = 'A'` is true: which of them \
         DISTINCT and MIN show then decides nothing",
    ),
    (
        "marked_json",
        "JSON functions tell JSON that another made from the same text, a mark that a column or a subquery may lose",
    ),
    ("int_limit", "the largest integer to generate; sums and products of such integers must not overflow"),
    ("preamble", "statements that a shell must run before a script"),
    ("settings", "statements that may be run between others and change no result"),
    ("maintenance", "statements such as ANALYZE; `{table}` stands for a table"),
    ("layouts", "the same for a database that holds nothing yet: how it is stored"),
    (
        "given",
        "tables that are there without being made, functions in FROM over literals: `{texts, columns}`, where \
         `columns` is a list of names with their kinds",
    ),
    ("on_disk", "what puts a database into a new file, and what closes it and opens it again"),
    ("foreign_keys_on", "the statement that makes the engine keep foreign keys; empty where it does so by itself"),
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
    ("words", "a table of lists of texts that parameters of functions name: `words:NAME`"),
    ("json_makers", "names of functions that give JSON whatever their arguments are"),
    (
        "catalogue",
        "further functions and aggregates: a file of lines, as `qualm bench functions` prints them, beside this one \
         (`NAME.tsv`), or the name of a built-in list",
    ),
    (
        "kinds",
        "kinds of values beside the basic ones, each a table: `name`, `like` (the kind that it begins with), `literal` \
         (what stands before and after its text), `cast`, `values`, and what differs from an ordinary kind: `exact`, \
         `ordered`, `least`, `text_order`, `equals`, `keys`, `sums`, `meets`, `casts`, `operators`",
    ),
    ("without_kinds", "kinds of the base to leave out"),
    ("modules", "modules of virtual tables in place of the base's, each a table, see below"),
    ("features", "features to add, or to probe differently: name = list of statements that work where it exists"),
    ("without", "features of the base to leave out"),
    (
        "errors",
        "parts of error messages and their class (`expected`, `limit`, `out_of_memory`, `internal`), the first that \
         fits counts: `[[\"internal error\", \"internal\"]]`",
    ),
    ("spelling", "a table of how things are written, see below"),
    (
        "semantics",
        "what operators and functions compute, for oracles with an evaluator of their own: `\"sqlite\"`, or a table, \
         see below; not known without it",
    ),
    (
        "self_test",
        "`{statements, question, answer}`: a query whose rows are known, run before every hunt; the \
         answer may be JSON in a text",
    ),
];

/// The keys of `[spelling]`.
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
    ("other_row", "a function put around what `lag`, `first_value` … take from another row, so that no row is NULL"),
    ("counted", "a function put around counts and ranks, where they have no type in common with signed integers"),
    ("generated", "the words before the expression of a generated column"),
    ("drop_index_names_table", "`DROP INDEX i ON t`"),
    ("casts", "types in CAST, by kind: `[[\"int\", \"BIGINT\"]]`"),
    ("comma_binds_weakly", "JOIN binds more tightly than the comma in FROM, as in the standard"),
    ("aliased_keeps_name", "`SELECT t.c FROM t AS a` is accepted: a table keeps its name beside its alias"),
    ("unique_names", "columns of a select list must have different names, so that each gets one"),
    ("from_nothing", "what stands in place of FROM in a SELECT of no table, e.g. ` FROM dual`"),
    ("row_frames", "window frames that count rows"),
    ("peer_frames", "window frames that keep rows of equal rank together"),
    ("value_frames", "window frames that reach as far as values do, for an order by one number"),
    ("fetch_first", "`OFFSET m ROWS FETCH NEXT n ROWS ONLY` in place of LIMIT"),
    ("values_columns", "the names of the columns of VALUES, `{}` being their number"),
    (
        "binding",
        "how a script binds values to parameters: `numbered` (`PREPARE q AS … $1; EXECUTE q(1)`), `numbered_typed` \
         (`PREPARE q(int) AS …`), `variables` (`EXECUTE q USING @p0`), `braces` (`{p0:Int64}`), `shell` \
         (`.parameter set @p0 1`), `none`; not the base's",
    ),
    (
        "generic_plans",
        "statements that make a prepared statement be planned once for all values, each with what takes it back; not \
         the base's",
    ),
    (
        "insert_block",
        "what stands around INSERTs of one row each, for want of VALUES with several rows: \
         `[\"EXECUTE BLOCK AS BEGIN \", \"END\"]`",
    ),
    ("mutations_by_alter", "`ALTER TABLE t UPDATE` and `ALTER TABLE t DELETE`"),
    ("with_rollup", "`GROUP BY a, b WITH ROLLUP` in place of `GROUP BY ROLLUP(a, b)`"),
    ("trigger_body", "what stands around the statements of a trigger; with nothing after them there is only one"),
];

/// The keys of `[semantics]`, for engines whose values have the type that is declared.
pub const SEMANTICS_FIELDS: &[(&str, &str)] = &[
    ("like_ignores_case", "LIKE matches letters without their case"),
    ("like_escape", "the escape character of LIKE where none is written, `\\` without this key; empty: none"),
    ("remainder_has_sign_of_dividend", "`%` of integers has the sign of its left side; true without this key"),
    ("length_counts_bytes", "`length` of a text counts bytes"),
    ("compares_bytes_in_text", "texts are compared by their bytes inside functions too; true without this key"),
    ("concat_of_null_is_null", "`concat` of a NULL is NULL"),
    ("greatest_of_null_is_null", "`greatest` and `least` of a NULL are NULL"),
];

/// The keys of a row of `modules`.
pub const MODULE_FIELDS: &[(&str, &str)] = &[
    ("name", "what stands behind USING"),
    ("feature", "the feature that has to be there for it"),
    ("holds", "`boxes` (a number, then the two ends of each dimension), `whole_boxes` (of whole numbers), or `texts`"),
    ("options", "arguments that are no columns: one of each list may be given; `{column}` is a column"),
    ("commands", "statements about such a table that change no answer; `{table}` is its name"),
    (
        "search",
        "how words are looked for: `both`, `either`, `without`, `phrase`, `prefix`, `near`, `in_column`, `first`, \
         where `{a}` and `{b}` stand for words, `{n}` for a number, `{c}` for a column; what cannot be said is left \
         out; and `shows`: functions that say how a row was found, with what stands behind the table",
    ),
];
