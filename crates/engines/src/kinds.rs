//! Kinds of values that engines have beside the basic ones, by the names that dialects give them.

use qualm_core::dialect::sql::Kind;

pub const DATE: Kind = Kind::special("date");
pub const TIME: Kind = Kind::special("time");
pub const TIMESTAMP: Kind = Kind::special("timestamp");
pub const DECIMAL: Kind = Kind::special("decimal");
pub const UUID: Kind = Kind::special("uuid");
