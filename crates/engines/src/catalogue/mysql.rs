//! The catalogues of MySQL and MariaDB. MySQL cannot be asked for the names of its functions outside of its help,
//! which is in a database that is not ours.

use super::{
    CHANGES, FOLDED, FORMAT, INTERNAL, OUTSIDE, OVERFLOW, RANDOM, ROW_ORDER, SESSION, SYNTAX, TIME_OF_DAY, WAITS,
    ZERO_SIGN,
};
use super::{Catalogue, Names, TypeOf, operators};
use crate::kinds::{DATE, DECIMAL, TIME, TIMESTAMP};
use qualm_core::dialect::sql::Kind;

const MYSQL_EXCLUDED: &[(&str, &str)] = &[
    ("connection_id", SESSION),
    ("last_insert_id", CHANGES),
    ("row_count", SESSION),
    ("found_rows", SESSION),
    ("charset", FOLDED),
    ("collation", FOLDED),
    ("coercibility", FOLDED),
    ("name_const", FOLDED),
    ("default", FOLDED),
    ("values", FOLDED),
    ("value", FOLDED),
    ("curdate", TIME_OF_DAY),
    ("curtime", TIME_OF_DAY),
    ("sysdate", TIME_OF_DAY),
    ("utc_*", TIME_OF_DAY),
    ("unix_timestamp", SESSION),
    ("from_unixtime", SESSION),
    ("convert_tz", SESSION),
    // The date of a time is today.
    ("timestamp", TIME_OF_DAY),
    ("to_seconds", TIME_OF_DAY),
    ("*password*", SESSION),
    ("encrypt", RANDOM),
    ("des_*", SESSION),
    ("aes_*", SESSION),
    ("*wait*", WAITS),
    ("*gtid*", SESSION),
    ("master_*", OUTSIDE),
    ("source_*", OUTSIDE),
    ("ps_*", SESSION),
    ("statement_digest*", SESSION),
    ("roles_graphml", SESSION),
    ("icu_version", SESSION),
    ("is_free*", OUTSIDE),
    ("release_*", OUTSIDE),
    ("lastval", SESSION),
    ("setval", CHANGES),
    ("compress", "a text that a library chooses"),
    ("st_*", "geometry"),
    ("mbr*", "geometry"),
    ("*geom*", "geometry"),
    ("extractvalue", "XML"),
    ("updatexml", "XML"),
    ("binlog*", SESSION),
    ("*_dyncol", "dynamic columns"),
    ("column_*", "dynamic columns"),
    ("vec_*", "vectors"),
    ("decode", "ciphers"),
    ("encode", "ciphers"),
    ("regexp_*", FORMAT),
    ("*_oracle", INTERNAL),
    ("kdf", INTERNAL),
    ("natural_sort_key", INTERNAL),
    ("weight_string", INTERNAL),
    ("to_char", FORMAT),
    ("time", SYNTAX),
    ("date", SYNTAX),
    ("atan2", ZERO_SIGN),
    ("conv", OVERFLOW),
    ("group_concat", ROW_ORDER),
    ("json_arrayagg", ROW_ORDER),
    ("json_objectagg", ROW_ORDER),
    ("any_value", ROW_ORDER),
    ("sformat", FORMAT),
    ("format", SESSION),
    ("rownum", ROW_ORDER),
    ("trim_oracle", FOLDED),
    ("get_format", "words"),
];

const MYSQL_RESULTS: &[(&str, Kind)] = &[
    ("int", Kind::Int),
    ("bigint", Kind::Int),
    ("int(*)", Kind::Int),
    ("bigint(*)", Kind::Int),
    ("double", Kind::Real),
    ("varchar(*)", Kind::Text),
    ("longtext", Kind::Text),
    ("mediumtext", Kind::Text),
    ("text", Kind::Text),
    ("varbinary(*)", Kind::Blob),
    ("date", DATE),
    ("time(6)", TIME),
    ("datetime(6)", TIMESTAMP),
    ("decimal(10,2)", DECIMAL),
];

const MYSQL_TYPE: &str = "SELECT CONVERT(column_type USING utf8mb4) FROM information_schema.columns \
                          WHERE table_schema = database() AND table_name = 'made'";

const MYSQL_SCALARS: &str = "abs acos adddate addtime ascii asin atan atan2 bin bin_to_uuid bit_count \
    bit_length cast ceil \
    ceiling char char_length character_length charset coalesce coercibility collation compress \
    concat concat_ws connection_id conv convert convert_tz cos cot crc32 curdate current_date \
    current_role current_time current_timestamp current_user curtime database date date_add \
    date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear default degrees elt \
    exp export_set extract extractvalue field find_in_set floor format format_bytes \
    format_pico_time found_rows from_base64 from_days from_unixtime get_format get_lock greatest \
    grouping hex hour icu_version if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr \
    interval is_free_lock is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock is_uuid isnull \
    json_array json_array_append json_array_insert json_contains json_contains_path json_depth \
    json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve json_object \
    json_overlaps json_pretty json_quote json_remove json_replace json_schema_valid json_search \
    json_set json_storage_free json_storage_size json_type json_unquote json_valid json_value \
    last_day last_insert_id lcase least left length ln load_file localtime localtimestamp locate \
    log log10 log2 lower lpad ltrim make_set makedate maketime md5 microsecond mid minute mod month \
    monthname name_const now nullif oct octet_length ord period_add period_diff pi position pow \
    power quarter quote radians rand random_bytes regexp_instr regexp_like regexp_replace \
    regexp_substr release_lock repeat replace reverse right roles_graphml round row_count rpad \
    rtrim schema sec_to_time second session_user sha1 sha sha2 sign sin sleep soundex space sqrt \
    statement_digest str_to_date strcmp subdate substr substring substring_index subtime sysdate \
    system_user tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff \
    to_base64 to_days to_seconds trim truncate ucase uncompress uncompressed_length unhex \
    unix_timestamp updatexml upper user utc_date utc_time utc_timestamp uuid uuid_short uuid_to_bin \
    validate_password_strength version week weekday weekofyear weight_string year yearweek";
const MYSQL_AGGREGATES: &str = "any_value avg bit_and bit_or bit_xor count group_concat json_arrayagg \
    json_objectagg max min \
    std stddev stddev_pop stddev_samp sum var_pop var_samp variance";
const MYSQL_TYPES: &str = "tinyint smallint mediumint int bigint decimal float double bit date datetime \
    timestamp time \
    year char varchar binary varbinary tinyblob blob mediumblob longblob tinytext text mediumtext \
    longtext enum set json geometry point linestring polygon multipoint multilinestring \
    multipolygon geometrycollection vector";

pub const MYSQL: Catalogue = Catalogue {
    engines: &["mysql"],
    // The server knows the names of its functions from its help alone, which is in a database that is not ours.
    scalars: Names::Listed(MYSQL_SCALARS),
    aggregates: Names::Listed(MYSQL_AGGREGATES),
    types: Names::Listed(MYSQL_TYPES),
    type_of: TypeOf::Table(MYSQL_TYPE),
    results: MYSQL_RESULTS,
    excluded: MYSQL_EXCLUDED,
    floats: true,
    converts: true,
    operators: operators::MYSQL,
};

pub const MARIADB: Catalogue = Catalogue {
    engines: &["mariadb"],
    scalars: Names::Asked(
        "SELECT lower(function) FROM information_schema.sql_functions \
         WHERE function REGEXP '^[A-Za-z][A-Za-z0-9_]*$' ORDER BY 1",
    ),
    aggregates: Names::Listed(MYSQL_AGGREGATES),
    types: Names::Listed(MYSQL_TYPES),
    type_of: TypeOf::Table(MYSQL_TYPE),
    results: MYSQL_RESULTS,
    excluded: MYSQL_EXCLUDED,
    floats: true,
    converts: true,
    operators: operators::MARIADB,
};
