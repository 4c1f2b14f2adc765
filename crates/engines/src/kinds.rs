//! Kinds of values that several engines have, as their dialects begin with them: names, values, what may be done.

use qualm_core::dialect::sql::{Kind, KindSpec, ORDINARY, Operator};

pub const DATE: Kind = Kind::special("date");
pub const TIME: Kind = Kind::special("time");
pub const TIMESTAMP: Kind = Kind::special("timestamp");
/// Whole days and months. Only literals: which intervals are equal is another question in every engine.
pub const DAYS: Kind = Kind::special("days");
pub const MONTHS: Kind = Kind::special("months");
pub const DECIMAL: Kind = Kind::special("decimal");
/// Integers of 8 or 16 bits, and unsigned ones of 32 and 64 bits.
pub const TINY: Kind = Kind::special("tiny");
pub const UNSIGNED: Kind = Kind::special("unsigned");
pub const HUGE: Kind = Kind::special("huge");
pub const UUID: Kind = Kind::special("uuid");
pub const ENUM: Kind = Kind::special("enum");

/// Addresses of hosts and networks.
pub const INET: Kind = Kind::special("inet");
/// Ranges of integers, in the form that every one of them has exactly once.
pub const RANGE: Kind = Kind::special("range");
/// JSON as a value of its own, without numbers that are equal and written in two ways.
pub const JSON: Kind = Kind::special("json");
pub const YEAR: Kind = Kind::special("year");

/// Ends of months and years, a leap day, the first day of the epoch.
pub const DATES: &[&str] =
    &["1970-01-01", "1999-12-31", "2000-01-01", "2000-02-29", "2020-02-29", "2020-03-01", "2024-12-31", "2038-01-19"];

pub const fn op(symbol: &'static str, right: Kind, result: Kind) -> Operator {
    Operator { symbol, right, result }
}

pub const DATE_KIND: KindSpec = KindSpec {
    name: "date",
    literal: ("DATE '", "'"),
    cast: "DATE",
    values: DATES,
    meets: &[TIMESTAMP],
    casts: &[TIMESTAMP],
    text_order: true,
    ..ORDINARY
};

pub const TIME_KIND: KindSpec = KindSpec {
    name: "time",
    literal: ("TIME '", "'"),
    cast: "TIME",
    values: &["00:00:00", "00:00:01", "12:00:00", "12:30:00", "23:59:59"],
    text_order: true,
    ..ORDINARY
};

pub const TIMESTAMP_KIND: KindSpec = KindSpec {
    name: "timestamp",
    literal: ("TIMESTAMP '", "'"),
    cast: "TIMESTAMP",
    values: &[
        "1970-01-01 00:00:00",
        "1999-12-31 23:59:59",
        "2000-02-29 12:30:00",
        "2020-02-29 00:00:00",
        "2020-02-29 00:00:00.000001",
        "2020-02-29 23:59:59.999999",
        "2024-12-31 00:00:00",
    ],
    casts: &[DATE],
    text_order: true,
    ..ORDINARY
};

pub const DAYS_KIND: KindSpec = KindSpec {
    name: "days",
    literal: ("INTERVAL '", "' DAY"),
    values: &["-1", "0", "1", "28", "366"],
    exact: false,
    ordered: false,
    least: false,
    equals: false,
    keys: false,
    ..ORDINARY
};

pub const MONTHS_KIND: KindSpec =
    KindSpec { name: "months", literal: ("INTERVAL '", "' MONTH"), values: &["-1", "1", "12", "48"], ..DAYS_KIND };

pub const DECIMAL_KIND: KindSpec = KindSpec {
    name: "decimal",
    literal: ("CAST('", "' AS DECIMAL(10,2))"),
    cast: "DECIMAL(10,2)",
    values: &["-99999999.99", "-1.50", "-0.01", "0.00", "0.01", "1.00", "1.50", "2.00", "10.10", "99999999.99"],
    sums: true,
    meets: &[Kind::Int],
    casts: &[Kind::Real],
    operators: &[op("+", DECIMAL, DECIMAL), op("-", DECIMAL, DECIMAL)],
    ..ORDINARY
};

pub const TINY_KIND: KindSpec = KindSpec {
    name: "tiny",
    literal: ("CAST('", "' AS TINYINT)"),
    cast: "TINYINT",
    values: &["-128", "-127", "-1", "0", "1", "2", "100", "126", "127"],
    sums: true,
    meets: &[Kind::Int],
    casts: &[Kind::Int],
    ..ORDINARY
};

pub const UNSIGNED_KIND: KindSpec = KindSpec {
    name: "unsigned",
    values: &["0", "1", "2", "3", "255", "65535", "2147483648", "4294967294", "4294967295"],
    ..TINY_KIND
};

pub const HUGE_KIND: KindSpec = KindSpec {
    name: "huge",
    values: &[
        "0",
        "1",
        "2",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551614",
        "18446744073709551615",
    ],
    sums: false,
    casts: &[],
    ..TINY_KIND
};

pub const INET_KIND: KindSpec = KindSpec {
    name: "inet",
    literal: ("INET '", "'"),
    cast: "INET",
    values: &["0.0.0.0", "10.0.0.0/8", "10.0.0.1", "192.168.1.0/24", "192.168.1.1", "::", "::1", "2001:db8::/32"],
    ..ORDINARY
};

pub const RANGE_KIND: KindSpec = KindSpec {
    name: "range",
    literal: ("INT4RANGE '", "'"),
    cast: "INT4RANGE",
    values: &["empty", "(,)", "(,5)", "[0,1)", "[1,2)", "[1,5)", "[1,)", "[3,8)"],
    least: false,
    ..ORDINARY
};

pub const JSON_KIND: KindSpec = KindSpec {
    name: "json",
    literal: ("JSONB '", "'"),
    cast: "JSONB",
    values: &[
        "null",
        "\"a\"",
        "1",
        "false",
        "true",
        "[]",
        "[1, 2]",
        "{}",
        "{\"a\": 1}",
        "{\"a\": [1, {\"b\": \"x\"}]}",
    ],
    least: false,
    operators: &[op("->", Kind::Text, JSON), op("->>", Kind::Text, Kind::Text)],
    ..ORDINARY
};

pub const UUID_KIND: KindSpec = KindSpec {
    name: "uuid",
    literal: ("CAST('", "' AS UUID)"),
    cast: "UUID",
    values: &[
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000001",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ],
    least: false,
    ..ORDINARY
};
