//! Switches of the dialects that have many: settings that must not change what a program derives.

use super::Switch;

/// Transformers that only optimise. The others are needed for correctness and are not named here.
pub const SOUFFLE_SWITCHES: &[Switch] = &[
    Switch { name: "magic-transform", text: r#".pragma "magic-transform" "*""# },
    Switch { name: "legacy", text: r#".pragma "legacy""# },
    Switch { name: "provenance-none", text: r#".pragma "provenance" "none""# },
    Switch { name: "sips-all-bound", text: r#".pragma "SIPS" "all-bound""# },
    Switch { name: "sips-naive", text: r#".pragma "SIPS" "naive""# },
    Switch { name: "sips-max-bound", text: r#".pragma "SIPS" "max-bound""# },
    Switch { name: "sips-max-ratio", text: r#".pragma "SIPS" "max-ratio""# },
    Switch { name: "sips-least-free", text: r#".pragma "SIPS" "least-free""# },
    Switch { name: "sips-least-free-vars", text: r#".pragma "SIPS" "least-free-vars""# },
    Switch {
        name: "no-remove-relation-copies",
        text: r#".pragma "disable-transformers" "RemoveRelationCopiesTransformer""#,
    },
    Switch {
        name: "no-materialize-singleton",
        text: r#".pragma "disable-transformers" "MaterializeSingletonAggregationTransformer""#,
    },
    Switch { name: "no-minimise-program", text: r#".pragma "disable-transformers" "MinimiseProgramTransformer""# },
    Switch {
        name: "no-replace-singletons",
        text: r#".pragma "disable-transformers" "ReplaceSingletonVariablesTransformer""#,
    },
    Switch { name: "no-partition-body", text: r#".pragma "disable-transformers" "PartitionBodyLiteralsTransformer""# },
    Switch {
        name: "no-reduce-existentials",
        text: r#".pragma "disable-transformers" "ReduceExistentialsTransformer""#,
    },
    Switch {
        name: "no-remove-redundant",
        text: r#".pragma "disable-transformers" "RemoveRedundantRelationsTransformer""#,
    },
    Switch { name: "no-remove-empty", text: r#".pragma "disable-transformers" "RemoveEmptyRelationsTransformer""# },
    Switch { name: "no-inline", text: r#".pragma "disable-transformers" "InlineRelationsTransformer""# },
    Switch { name: "jobs-4", text: r#".pragma "jobs" "4""# },
];

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
