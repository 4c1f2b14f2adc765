//! Soufflé, by release and by the width of its numbers. What a release lacks is not written for it.

use super::switches::*;
use super::*;

/// What every release has, then more.
macro_rules! parts {
    ($($more:ident),*) => {
        &[
            Part::Negation,
            Part::Wildcard,
            Part::WildcardUnderNegation,
            Part::Disjunction,
            Part::ManyHeads,
            Part::Recursion,
            Part::HeadFunctor,
            Part::SubgoalFunctor,
            Part::BodyFunctor,
            Part::Assignment,
            Part::ConstantInHead,
            Part::FactsBesideRules,
            Part::Aggregate,
            Part::GroupedAggregate,
            $(Part::$more),*
        ]
    };
}

/// Release 2.5 with 32-bit numbers, which is what is built by default. Switches are pragmas, which say the same as the
/// command line.
const NEWEST: DatalogDialect = DatalogDialect {
    name: "souffle",
    form: Form::Souffle,
    kinds: &[Kind::Number, Kind::Unsigned, Kind::Symbol],
    loose_kinds: &[Kind::Float],
    bits: 32,
    length_in_bytes: true,
    parts: parts!(Subsumption, Choice, PlanHint, Records, Variants),
    ordered_symbols: true,
    operators: &[
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Remainder,
        Operator::Min,
        Operator::Max,
        Operator::BitAnd,
        Operator::BitOr,
        Operator::BitXor,
        Operator::Concat,
        Operator::Power,
        Operator::ShiftLeft,
        Operator::ShiftRight,
        Operator::ShiftRightUnsigned,
        Operator::LogicalAnd,
        Operator::LogicalOr,
        Operator::LogicalXor,
    ],
    float_operators: &[Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Min, Operator::Max],
    functions: &[
        Function::Length,
        Function::BitNot,
        Function::ToText,
        Function::ToNumber,
        Function::ToUnsigned,
        Function::ToFloat,
        Function::LogicalNot,
        Function::Ordinal,
    ],
    functors: &[Functor::Substring, Functor::Range, Functor::Counter],
    symbol_operators: &[Operator::Concat, Operator::Min, Operator::Max],
    tests: &[Test::Contains, Test::StartsWith, Test::EndsWith, Test::Matches, Test::Lacks, Test::Differs],
    folds: &[Fold::Count, Fold::Sum, Fold::Min, Fold::Max, Fold::Mean],
    qualifiers: &[
        Qualifier::Brie,
        Qualifier::Btree,
        Qualifier::BtreeDelete,
        Qualifier::Eqrel,
        Qualifier::Inline,
        Qualifier::NoInline,
        Qualifier::Magic,
        Qualifier::NoMagic,
    ],
    most_attributes: 24,
    switches: SOUFFLE_SWITCHES,
    self_test: DatalogSelfTest {
        program: ".decl e(x:number, s:symbol)\n.decl p(x:number, s:symbol)\n.output p\n\
            e(1, \"a\").\ne(-2, \"b\").\np(x, s) :- e(x, s), !e(x, \"b\").\n",
        answer: r#"[[1, "a"]]"#,
    },
    ..STANDARD
};

/// From 2.3 on.
pub static SOUFFLE: DatalogDialect = NEWEST;

/// Built with 64-bit numbers.
pub static SOUFFLE_64: DatalogDialect = DatalogDialect { name: "souffle-64", bits: 64, ..NEWEST };

/// Whether a program is interpreted or compiled is one more switch.
pub static SOUFFLE_COMPILING: DatalogDialect =
    DatalogDialect { name: "souffle-compiled", switches: SOUFFLE_COMPILED_SWITCHES, ..NEWEST };

const UP_TO_2_2: DatalogDialect = DatalogDialect { name: "souffle-2.2", switches: SOUFFLE_2_0_SWITCHES, ..NEWEST };

pub static SOUFFLE_2_2: DatalogDialect = UP_TO_2_2;

/// Without subsumption.
const UP_TO_2_1: DatalogDialect = DatalogDialect {
    name: "souffle-2.1",
    parts: parts!(Choice, PlanHint, Records, Variants),
    qualifiers: &[
        Qualifier::Brie,
        Qualifier::Btree,
        Qualifier::Eqrel,
        Qualifier::Inline,
        Qualifier::NoInline,
        Qualifier::Magic,
        Qualifier::NoMagic,
    ],
    ..UP_TO_2_2
};

pub static SOUFFLE_2_1: DatalogDialect = UP_TO_2_1;

/// Without choice and without words that turn magic sets and inlining off.
const UP_TO_2_0: DatalogDialect = DatalogDialect {
    name: "souffle-2.0",
    parts: parts!(PlanHint, Records),
    qualifiers: &[Qualifier::Brie, Qualifier::Btree, Qualifier::Eqrel, Qualifier::Inline, Qualifier::Magic],
    ..UP_TO_2_1
};

pub static SOUFFLE_2_0: DatalogDialect = UP_TO_2_0;

/// Without means and without magic sets for one relation.
pub static SOUFFLE_1_7: DatalogDialect = DatalogDialect {
    name: "souffle-1.7",
    qualifiers: &[Qualifier::Brie, Qualifier::Btree, Qualifier::Eqrel, Qualifier::Inline],
    folds: &[Fold::Count, Fold::Sum, Fold::Min, Fold::Max],
    switches: SOUFFLE_1_7_SWITCHES,
    ..UP_TO_2_0
};
