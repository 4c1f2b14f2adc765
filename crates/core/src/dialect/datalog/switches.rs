//! Switches of the dialects that have many: settings that must not change what a program derives.

use super::Switch;

/// Transformers that only optimise; the others are needed for correctness and are not named here.
/// (`RemoveRedundantRelationsTransformer` only optimises as well, but without it 2.5 aborts on two programs of three.)
pub const SOUFFLE_TRANSFORMERS: &[&str] = &[
    "RemoveRelationCopiesTransformer",
    "MaterializeSingletonAggregationTransformer",
    "MinimiseProgramTransformer",
    "ReplaceSingletonVariablesTransformer",
    "PartitionBodyLiteralsTransformer",
    "ReduceExistentialsTransformer",
    "RemoveEmptyRelationsTransformer",
    "InlineRelationsTransformer",
];

/// What stands before the transformers in a pragma. A second such pragma would take the place of the first, so that a
/// printer writes one with all of them, commas between.
pub const SOUFFLE_DISABLE: &str = r#".pragma "disable-transformers" ""#;

/// A line that is a comment to Soufflé: the driver has the program compiled instead of interpreted.
pub const SOUFFLE_COMPILED: Switch = Switch { name: "compiled", text: "// switch compiled" };

/// The switches that every release has, then those of one release.
macro_rules! souffle_switches {
    ($($name:literal, $text:literal;)*) => {
        &[
            Switch { name: "magic-transform", text: r#".pragma "magic-transform" "*""# },
            Switch { name: "provenance-none", text: r#".pragma "provenance" "none""# },
            Switch { name: "jobs-4", text: r#".pragma "jobs" "4""# },
            Switch {
                name: "no-remove-relation-copies",
                text: r#".pragma "disable-transformers" "RemoveRelationCopiesTransformer""#,
            },
            Switch {
                name: "no-materialize-singleton",
                text: r#".pragma "disable-transformers" "MaterializeSingletonAggregationTransformer""#,
            },
            Switch {
                name: "no-minimise-program",
                text: r#".pragma "disable-transformers" "MinimiseProgramTransformer""#,
            },
            Switch {
                name: "no-replace-singletons",
                text: r#".pragma "disable-transformers" "ReplaceSingletonVariablesTransformer""#,
            },
            Switch {
                name: "no-partition-body",
                text: r#".pragma "disable-transformers" "PartitionBodyLiteralsTransformer""#,
            },
            Switch {
                name: "no-reduce-existentials",
                text: r#".pragma "disable-transformers" "ReduceExistentialsTransformer""#,
            },
            Switch {
                name: "no-remove-empty",
                text: r#".pragma "disable-transformers" "RemoveEmptyRelationsTransformer""#,
            },
            Switch { name: "no-inline", text: r#".pragma "disable-transformers" "InlineRelationsTransformer""# },
            $(Switch { name: $name, text: $text },)*
        ]
    };
}

/// From 2.3 on the order of joins is chosen in one place, and its key is `RamSIPS`; an unknown key is no error.
macro_rules! souffle_2_3_switches {
    ($($name:literal, $text:literal;)*) => {
        souffle_switches! {
            $($name, $text;)*
            "sips-strict", r#".pragma "RamSIPS" "strict""#;
            "sips-naive", r#".pragma "RamSIPS" "naive""#;
            "sips-max-bound", r#".pragma "RamSIPS" "max-bound""#;
            "sips-delta-max-bound", r#".pragma "RamSIPS" "delta-max-bound""#;
            "sips-max-ratio", r#".pragma "RamSIPS" "max-ratio""#;
            "sips-least-free", r#".pragma "RamSIPS" "least-free""#;
            "sips-least-free-vars", r#".pragma "RamSIPS" "least-free-vars""#;
            "sips-input", r#".pragma "RamSIPS" "input""#;
        }
    };
}

pub const SOUFFLE_SWITCHES: &[Switch] = souffle_2_3_switches! {};

/// The same for a place with `,compiled` behind it.
pub const SOUFFLE_COMPILED_SWITCHES: &[Switch] = souffle_2_3_switches! { "compiled", "// switch compiled"; };

/// Up to 2.2 literals are reordered in the syntax tree, and from 2.0 on a second time in the translation.
pub const SOUFFLE_2_0_SWITCHES: &[Switch] = souffle_switches! {
    "ast-sips-naive", r#".pragma "SIPS" "naive""#;
    "ast-sips-max-bound", r#".pragma "SIPS" "max-bound""#;
    "ast-sips-max-ratio", r#".pragma "SIPS" "max-ratio""#;
    "ast-sips-least-free", r#".pragma "SIPS" "least-free""#;
    "ast-sips-least-free-vars", r#".pragma "SIPS" "least-free-vars""#;
    "sips-naive", r#".pragma "RamSIPS" "naive""#;
    "sips-max-bound", r#".pragma "RamSIPS" "max-bound""#;
    "sips-least-free", r#".pragma "RamSIPS" "least-free""#;
};

pub const SOUFFLE_1_7_SWITCHES: &[Switch] = souffle_switches! {
    "ast-sips-naive", r#".pragma "SIPS" "naive""#;
    "ast-sips-max-bound", r#".pragma "SIPS" "max-bound""#;
    "ast-sips-max-ratio", r#".pragma "SIPS" "max-ratio""#;
    "ast-sips-least-free", r#".pragma "SIPS" "least-free""#;
    "ast-sips-least-free-vars", r#".pragma "SIPS" "least-free-vars""#;
};

/// As the driver passes them on to the command line.
pub const Z3_SWITCHES: &[Switch] = &[
    Switch { name: "inline_eager=false", text: "# switch fp.xform.inline_eager=false" },
    Switch { name: "inline_linear=false", text: "# switch fp.xform.inline_linear=false" },
    Switch { name: "slice=false", text: "# switch fp.xform.slice=false" },
    Switch { name: "subsumption_checker=false", text: "# switch fp.xform.subsumption_checker=false" },
    Switch { name: "compress_unbound=false", text: "# switch fp.xform.compress_unbound=false" },
    Switch { name: "tail_simplifier_pve=false", text: "# switch fp.xform.tail_simplifier_pve=false" },
    Switch { name: "coalesce_rules=true", text: "# switch fp.xform.coalesce_rules=true" },
    Switch { name: "magic=true", text: "# switch fp.xform.magic=true" },
    Switch { name: "similarity_compressor=false", text: "# switch fp.datalog.similarity_compressor=false" },
    Switch { name: "unbound_compressor=false", text: "# switch fp.datalog.unbound_compressor=false" },
    Switch { name: "subsumption=false", text: "# switch fp.datalog.subsumption=false" },
    Switch { name: "all_or_nothing_deltas=true", text: "# switch fp.datalog.all_or_nothing_deltas=true" },
    Switch { name: "default_table=hashtable", text: "# switch fp.datalog.default_table=hashtable" },
];

/// The same as options of a script.
pub const Z3_SMT2_SWITCHES: &[Switch] = &[
    Switch { name: "inline_eager=false", text: "(set-option :fp.xform.inline_eager false)" },
    Switch { name: "inline_linear=false", text: "(set-option :fp.xform.inline_linear false)" },
    Switch { name: "slice=false", text: "(set-option :fp.xform.slice false)" },
    Switch { name: "subsumption_checker=false", text: "(set-option :fp.xform.subsumption_checker false)" },
    Switch { name: "compress_unbound=false", text: "(set-option :fp.xform.compress_unbound false)" },
    Switch { name: "tail_simplifier_pve=false", text: "(set-option :fp.xform.tail_simplifier_pve false)" },
    Switch { name: "coalesce_rules=true", text: "(set-option :fp.xform.coalesce_rules true)" },
    Switch { name: "magic=true", text: "(set-option :fp.xform.magic true)" },
    Switch { name: "similarity_compressor=false", text: "(set-option :fp.datalog.similarity_compressor false)" },
    Switch { name: "unbound_compressor=false", text: "(set-option :fp.datalog.unbound_compressor false)" },
    Switch { name: "subsumption=false", text: "(set-option :fp.datalog.subsumption false)" },
    Switch { name: "all_or_nothing_deltas=true", text: "(set-option :fp.datalog.all_or_nothing_deltas true)" },
    Switch { name: "default_table=hashtable", text: "(set-option :fp.datalog.default_table hashtable)" },
];
