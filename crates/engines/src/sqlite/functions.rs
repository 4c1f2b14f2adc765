//! SQLite's deterministic functions, as data. What a release does not have is found out by a call; words that only
//! newer releases understand are in rows of their own.

use Param::{Date, Format, Json, JsonPath, Of, Pattern, Probability, Same, SmallInt, Word};
use qualm_core::dialect::sql::{FunctionSpec, Kind, Param};

const fn call(name: &'static str, params: &'static [Param], result: Kind) -> FunctionSpec {
    FunctionSpec { name, params, result }
}

const INT: Param = Of(Kind::Int);
const REAL: Param = Of(Kind::Real);
const TEXT: Param = Of(Kind::Text);
const BLOB: Param = Of(Kind::Blob);
const ANY: Param = Of(Kind::Any);

/// Moments in all forms that are read, none of them relative to now.
const MOMENTS: Param = Word(&[
    "2020-02-29",
    "2019-12-31 23:59:59.999",
    "2000-01-01T12:34:56.789Z",
    "1999-12-31 23:59+05:30",
    "2001-03-01 00:00:00-11:45",
    "23:59:59.5",
    "00:00",
    "2459000.5",
    "0",
    "-4713-11-24 12:00:00",
    "9999-12-31 23:59:59",
    "0000-01-01",
    "2023-13-01",
    "2021-02-30",
    "1234567890",
    "2020-060",
    "",
]);

/// What is said behind a moment; none of it asks for the zone of the machine.
const MODIFIERS: Param = Word(&[
    "+1 day",
    "-1 day",
    "+3 days",
    "+1 month",
    "-1 month",
    "+13 months",
    "+1 year",
    "-4 years",
    "+90 minutes",
    "-36 hours",
    "+0.25 seconds",
    "-1.5 days",
    "start of day",
    "start of month",
    "start of year",
    "weekday 0",
    "weekday 3",
    "weekday 6",
    "unixepoch",
    "julianday",
    "+12:30",
    "-00:00:01.5",
    "+1000000 days",
    "nonsense",
]);

/// Modifiers of newer releases.
const NEWER_MODIFIERS: Param =
    Word(&["auto", "subsec", "subsecond", "ceiling", "floor", "+0001-02-03", "-0000-01-01 12:00"]);

const DATE_FORMATS: Param =
    Word(&["%d/%m/%Y", "%e %f %H:%M:%S", "%j %J", "%s", "%w %W", "%Y-W%W-%w", "%%", "%m", "x%dy", "%H%M"]);

const NEWER_DATE_FORMATS: Param = Word(&["%F %T", "%G-%V-%u %g", "%I:%M %p %P", "%k %l %R", "%U"]);

/// One conversion each.
const CONVERSIONS: Param = Word(&[
    "%d", "%i", "%u", "%5d|", "%-5d|", "%+d", "% d", "%05d", "%x", "%X", "%#x", "%o", "%c", "%s", "%10s|", "%-10s|",
    "%.2s", "%q", "%Q", "%w", "%f", "%.0f", "%10.3f", "%e", "%.3E", "%g", "%G", "%#g", "%!.15g", "%%%d", "%z", "%lld",
    "%+.1e",
]);

const NEWER_CONVERSIONS: Param = Word(&["%,d", "%,.2f", "%#q", "%!s", "%#Q"]);

const PAIRS_OF_CONVERSIONS: Param = Word(&["%s-%s", "%d,%5.1f", "%*d", "%.*f", "%2$s", "[%q|%Q]", "%s %% %s"]);

/// JSON as releases since 3.42 read it too.
const RELAXED_JSON: Param = Word(&[
    "{a:1,'b':[+1,.5,5.,0x1F,],}",
    "[Infinity,-Infinity,NaN]",
    "/* c */ {\"a\":2} // end",
    "'it\\'s'",
    "{$x_1:null}",
    "[\"a\\\nb\",'\\x41']",
]);

const LABELS: Param = Word(&["a", "b", "", "x y", "é", "a\"b"]);

const MORE_PATHS: Param = Word(&[
    "$.a",
    "$.b",
    "$.x.y",
    "$[#-1]",
    "$[#]",
    "$.\"a b\"",
    "$.a[0]",
    "$.a.b[1]",
    "$[2]",
    "$.\"\"",
    "$.new",
    "$[0][0]",
]);

/// Deterministic functions that give no error for the arguments described. `abs` is here because it fails only for the
/// smallest integer, which is then an expected rejection.
pub const FUNCTIONS: &[FunctionSpec] = &[
    call("abs", &[INT], Kind::Real),
    call("sign", &[ANY], Kind::Int),
    call("length", &[TEXT], Kind::Int),
    call("octet_length", &[TEXT], Kind::Int),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("trim", &[TEXT], Kind::Text),
    call("trim", &[TEXT, TEXT], Kind::Text),
    call("ltrim", &[TEXT], Kind::Text),
    call("rtrim", &[TEXT], Kind::Text),
    call("substr", &[TEXT, SmallInt], Kind::Any),
    call("substr", &[TEXT, SmallInt, SmallInt], Kind::Any),
    call("replace", &[TEXT, TEXT, TEXT], Kind::Text),
    call("instr", &[TEXT, TEXT], Kind::Int),
    call("hex", &[ANY], Kind::Text),
    call("quote", &[ANY], Kind::Text),
    call("typeof", &[ANY], Kind::Text),
    call("unicode", &[TEXT], Kind::Int),
    call("char", &[SmallInt, SmallInt], Kind::Text),
    call("coalesce", &[Same, Same], Kind::Any),
    call("ifnull", &[Same, Same], Kind::Any),
    call("nullif", &[Same, Same], Kind::Any),
    call("iif", &[ANY, Same, Same], Kind::Any),
    call("min", &[Same, Same], Kind::Any),
    call("max", &[Same, Same], Kind::Any),
    call("round", &[REAL], Kind::Real),
    call("round", &[REAL, SmallInt], Kind::Real),
    call("printf", &[Format, ANY], Kind::Text),
    call("like", &[Pattern, TEXT], Kind::Int),
    call("glob", &[Pattern, TEXT], Kind::Int),
    call("likely", &[ANY], Kind::Any),
    call("unlikely", &[ANY], Kind::Any),
    call("likelihood", &[ANY, Probability], Kind::Any),
    call("concat", &[ANY, ANY], Kind::Text),
    call("concat_ws", &[TEXT, ANY, ANY], Kind::Text),
    call("date", &[Date], Kind::Text),
    call("julianday", &[Date], Kind::Real),
    call("strftime", &[Format, Date], Kind::Text),
    call("json_array", &[INT, TEXT], Kind::Text),
    call("json_valid", &[TEXT], Kind::Int),
    call("json_type", &[Json, JsonPath], Kind::Text),
    call("json_extract", &[Json, JsonPath], Kind::Any),
    call("json_array_length", &[Json], Kind::Int),
    call("json_quote", &[TEXT], Kind::Text),
    call("json", &[Json], Kind::Text),
    call("zeroblob", &[SmallInt], Kind::Blob),
    call("length", &[BLOB], Kind::Int),
    call("substr", &[BLOB, SmallInt, SmallInt], Kind::Blob),
    call("instr", &[BLOB, BLOB], Kind::Int),
    call("ltrim", &[TEXT, TEXT], Kind::Text),
    call("unhex", &[TEXT], Kind::Blob),
    call("unistr", &[Word(&["a\\0041b", "\\u0062", "\\+01F600", "plain"])], Kind::Text),
    call("printf", &[CONVERSIONS, ANY], Kind::Text),
    call("printf", &[NEWER_CONVERSIONS, ANY], Kind::Text),
    call("format", &[PAIRS_OF_CONVERSIONS, INT, REAL], Kind::Text),
    call("like", &[Pattern, TEXT, Word(&["!"])], Kind::Int),
    call("date", &[MOMENTS, MODIFIERS], Kind::Text),
    call("time", &[MOMENTS, MODIFIERS], Kind::Text),
    call("datetime", &[MOMENTS, MODIFIERS, MODIFIERS], Kind::Text),
    call("datetime", &[MOMENTS, NEWER_MODIFIERS], Kind::Text),
    call("datetime", &[INT, MODIFIERS], Kind::Text),
    call("julianday", &[MOMENTS, MODIFIERS], Kind::Real),
    call("unixepoch", &[MOMENTS, MODIFIERS], Kind::Int),
    call("strftime", &[DATE_FORMATS, MOMENTS, MODIFIERS], Kind::Text),
    call("strftime", &[NEWER_DATE_FORMATS, MOMENTS], Kind::Text),
    call("timediff", &[MOMENTS, MOMENTS], Kind::Text),
    call("json", &[RELAXED_JSON], Kind::Text),
    call("json_pretty", &[Json], Kind::Text),
    call("json_object", &[LABELS, ANY, LABELS, ANY], Kind::Text),
    call("json_object", &[LABELS, Json], Kind::Text),
    call("json_array", &[ANY, Json, ANY], Kind::Text),
    call("json_set", &[Json, MORE_PATHS, ANY], Kind::Text),
    call("json_set", &[Json, MORE_PATHS, Json, MORE_PATHS, ANY], Kind::Text),
    call("json_insert", &[Json, MORE_PATHS, ANY], Kind::Text),
    call("json_replace", &[Json, MORE_PATHS, ANY], Kind::Text),
    call("json_remove", &[Json, MORE_PATHS], Kind::Text),
    call("json_remove", &[Json, MORE_PATHS, MORE_PATHS], Kind::Text),
    call("json_patch", &[Json, Json], Kind::Text),
    call("json_extract", &[Json, MORE_PATHS], Kind::Any),
    call("json_extract", &[Json, MORE_PATHS, MORE_PATHS], Kind::Text),
    call("json_type", &[Json], Kind::Text),
    call("json_type", &[Json, MORE_PATHS], Kind::Text),
    call("json_array_length", &[Json, MORE_PATHS], Kind::Int),
    call("json_error_position", &[TEXT], Kind::Int),
    call("json_valid", &[TEXT, Word(&["1", "2", "5", "6", "15"])], Kind::Int),
    call("json_array_insert", &[Json, Word(&["$[0]", "$[#]", "$.a[1]"]), ANY], Kind::Text),
    call("jsonb", &[Json], Kind::Blob),
    call("jsonb", &[RELAXED_JSON], Kind::Blob),
    call("jsonb_array", &[ANY, Json], Kind::Blob),
    call("jsonb_object", &[LABELS, ANY], Kind::Blob),
    call("jsonb_set", &[Json, MORE_PATHS, ANY], Kind::Blob),
    call("jsonb_insert", &[Json, MORE_PATHS, ANY], Kind::Blob),
    call("jsonb_replace", &[Json, MORE_PATHS, ANY], Kind::Blob),
    call("jsonb_remove", &[Json, MORE_PATHS], Kind::Blob),
    call("jsonb_patch", &[Json, Json], Kind::Blob),
];

/// Those that give JSON, and so may stand where JSON is wanted.
pub const JSON_MAKERS: &[&str] = &[
    "json",
    "json_array",
    "json_object",
    "json_pretty",
    "json_set",
    "json_insert",
    "json_replace",
    "json_remove",
    "json_patch",
    "json_quote",
    "jsonb",
    "jsonb_array",
    "jsonb_object",
    "jsonb_set",
    "jsonb_insert",
    "jsonb_replace",
    "jsonb_remove",
    "jsonb_patch",
];
