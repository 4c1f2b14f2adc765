//! Plain data that says what an engine's Datalog can do: the counterpart of `dialect.rs` for the second language. A
//! driver names one of these (or one of its own), generators, checks and printers read it; neither side sees the other.

mod souffle;
mod switches;

pub use crate::comparison::Comparison;
use serde::{Deserialize, Serialize};
pub use souffle::*;
use std::sync::{Mutex, PoisonError};
pub use switches::{SOUFFLE_COMPILED, SOUFFLE_DISABLE, SOUFFLE_TRANSFORMERS};
use switches::{Z3_SMT2_SWITCHES, Z3_SWITCHES};

/// The kinds of values that attributes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Signed integers.
    Number,
    Unsigned,
    Float,
    Symbol,
    /// A record or an algebraic type of the program, by its place there.
    Built(u16),
}

/// Functors of two arguments of one kind; the result is of that kind too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    /// Truncates; an engine may do anything for a divisor of zero, so only constants other than zero are written.
    Divide,
    Remainder,
    Min,
    Max,
    BitAnd,
    BitOr,
    BitXor,
    /// Symbols put together.
    Concat,
    /// The whole part of a power; of small numbers only, because engines compute it with floats.
    Power,
    /// By so many bits, modulo the width.
    ShiftLeft,
    ShiftRight,
    /// Of the bits alone: what comes in on the left is zero.
    ShiftRightUnsigned,
    /// 0 is false, all else true; the result is 0 or 1.
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

/// Functors of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// How many characters a symbol has.
    Length,
    Lower,
    Upper,
    /// Of numbers and floats.
    Absolute,
    BitNot,
    /// The digits of a number.
    ToText,
    /// The number that a symbol spells, or the whole part of one; anything may happen where it spells none.
    ToNumber,
    ToUnsigned,
    ToFloat,
    /// 1 for 0, else 0.
    LogicalNot,
    /// The place of a symbol in a table of the engine: nobody else knows it.
    Ordinal,
}

/// Functors of more arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Functor {
    /// Of a symbol: so many characters from a place on, which is counted from 0; nothing outside of it.
    Substring,
    /// Each number from the first to before the second, in steps of the third if there is one.
    Range,
    /// Another number each time it is asked for: nobody else knows which.
    Counter,
}

/// What is asked of two symbols, the part first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    Contains,
    /// Some dialects have only patterns for these two, so the part is a constant of letters and digits.
    StartsWith,
    EndsWith,
    /// The whole matches a pattern, which is a constant.
    Matches,
    /// The opposites of the first and the last.
    Lacks,
    Differs,
}

impl Test {
    /// Whether one of the symbols is a pattern.
    pub fn has_pattern(self) -> bool {
        matches!(self, Test::Matches | Test::Differs)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    Count,
    Sum,
    Min,
    Max,
    Mean,
}

/// How a relation is stored or computed; none of these changes what it holds, except `Eqrel`, which closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Qualifier {
    Brie,
    Btree,
    BtreeDelete,
    Eqrel,
    Inline,
    NoInline,
    Magic,
    NoMagic,
}

/// Parts of the language that not every engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Negation,
    Wildcard,
    /// `!e(x, _)` means that there is no such tuple. (µZ means that some value makes it false.)
    WildcardUnderNegation,
    Disjunction,
    ManyHeads,
    Recursion,
    /// Arithmetic and functors in the arguments of a head.
    HeadFunctor,
    /// Arithmetic in the arguments of a positive subgoal, over variables that others bind.
    SubgoalFunctor,
    /// In comparisons, and `x = term` where `x` is bound nowhere else.
    BodyFunctor,
    /// `x = term` may be the only thing that binds `x`.
    Assignment,
    ConstantInHead,
    /// Facts and rules of one relation.
    FactsBesideRules,
    /// A whole-body aggregate, no variable of it bound outside.
    Aggregate,
    /// Variables of the rule take part in the aggregate's body.
    GroupedAggregate,
    Subsumption,
    Choice,
    PlanHint,
    /// Types of several fields, with a value that is none: `[x, y]`, `nil`.
    Records,
    /// Types of several branches, each with fields: `$Leaf(x)`.
    Variants,
}

/// Which printer writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Souffle,
    Bddbddb,
    Smt2,
    Cozo,
    Ddlog,
    Clingo,
    Mangle,
}

impl Form {
    /// How a comment begins that runs to the end of its line.
    pub const fn comment(self) -> &'static str {
        match self {
            Form::Souffle | Form::Ddlog => "//",
            Form::Bddbddb | Form::Cozo | Form::Mangle => "#",
            Form::Smt2 => ";",
            Form::Clingo => "%",
        }
    }

    /// How the name of a file ends that holds a program.
    pub const fn ending(self) -> &'static str {
        match self {
            Form::Souffle | Form::Ddlog => "dl",
            Form::Bddbddb => "datalog",
            Form::Smt2 => "smt2",
            Form::Cozo => "cozo",
            Form::Clingo => "lp",
            Form::Mangle => "mg",
        }
    }

    /// How lines begin without which a program asks something else: z3 has other solvers, which take other times.
    pub const fn essential_lines(self) -> &'static [&'static str] {
        match self {
            Form::Smt2 => &["(set-option :fp.engine"],
            Form::Souffle | Form::Bddbddb | Form::Cozo | Form::Ddlog | Form::Clingo | Form::Mangle => &[],
        }
    }
}

/// One setting that must not change what a program derives, as the line that stands in the program for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    pub name: &'static str,
    pub text: &'static str,
}

/// A program whose answer is known and not empty.
#[derive(Clone, Copy, Debug)]
pub struct DatalogSelfTest {
    pub program: &'static str,
    /// Its tuples as JSON, in any order.
    pub answer: &'static str,
}

#[derive(Debug)]
pub struct DatalogDialect {
    pub name: &'static str,
    pub form: Form,
    /// Kinds whose values are equal exactly when they are identical: all claims may use them.
    pub kinds: &'static [Kind],
    /// Kinds that only the same program under other switches may use: −0.0 and 0.0 are two tuples and yet equal.
    pub loose_kinds: &'static [Kind],
    /// `<` and `=` distinguish −0.0 from 0.0, as tuples do.
    pub floats_by_bits: bool,
    /// Integers wrap at this many bits; with 32 floats have as many.
    pub bits: u32,
    /// The length of a symbol is that of its UTF-8.
    pub length_in_bytes: bool,
    /// Nothing is claimed of a program in which a number does not fit.
    pub overflow_is_undetermined: bool,
    /// Numbers run from 0 to below this; where it is given there is nothing outside.
    pub domain: Option<u64>,
    /// The constants that a generator writes, both included.
    pub constants: (i64, i64),
    pub parts: &'static [Part],
    /// Comparisons of numbers; of symbols only `=`, `!=` unless `ordered_symbols`.
    pub comparisons: &'static [Comparison],
    pub ordered_symbols: bool,
    pub operators: &'static [Operator],
    /// Those of them that make a float of two floats.
    pub float_operators: &'static [Operator],
    pub functions: &'static [Function],
    pub functors: &'static [Functor],
    /// Operators that make a symbol of two symbols.
    pub symbol_operators: &'static [Operator],
    pub tests: &'static [Test],
    pub folds: &'static [Fold],
    pub qualifiers: &'static [Qualifier],
    /// More attributes than this are not written.
    pub most_attributes: usize,
    pub switches: &'static [Switch],
    pub self_test: DatalogSelfTest,
}

impl DatalogDialect {
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    pub fn switch(&self, name: &str) -> Option<&'static Switch> {
        self.switches.iter().find(|s| s.name == name)
    }
}

pub const DATALOG_DIALECTS: &[&DatalogDialect] = &[
    &SOUFFLE,
    &SOUFFLE_64,
    &SOUFFLE_COMPILING,
    &SOUFFLE_2_2,
    &SOUFFLE_2_1,
    &SOUFFLE_2_0,
    &SOUFFLE_1_7,
    &Z3_DATALOG,
    &Z3_DATALOG_INTERNED,
    &Z3_SMT2,
    &COZO,
    &DDLOG,
    &CLINGO,
    &MANGLE,
];

/// Dialects that adapters brought along, the newest last.
static BROUGHT: Mutex<Vec<&'static DatalogDialect>> = Mutex::new(Vec::new());

/// Makes a dialect known by its name, so that cases in it can be derived again. The name of a built-in one stays that
/// of the built-in one.
pub fn bring(dialect: DatalogDialect) -> &'static DatalogDialect {
    let taken = DATALOG_DIALECTS.iter().any(|d| d.name == dialect.name);
    let name = if taken { String::leak(format!("{} (changed)", dialect.name)) } else { dialect.name };
    let dialect: &'static DatalogDialect = Box::leak(Box::new(DatalogDialect { name, ..dialect }));
    BROUGHT.lock().unwrap_or_else(PoisonError::into_inner).push(dialect);
    dialect
}

/// A built-in dialect, or the one that an adapter of this process brought last under that name.
pub fn find(name: &str) -> Option<&'static DatalogDialect> {
    let brought = BROUGHT.lock().unwrap_or_else(PoisonError::into_inner);
    DATALOG_DIALECTS.iter().chain(brought.iter().rev()).find(|d| d.name == name).copied()
}

const ORDERED: &[Comparison] = &Comparison::ALL;
const ALL_TESTS: &[Test] = &[Test::Contains, Test::StartsWith, Test::EndsWith];

/// Plain Datalog with numbers: what a dialect does not say itself.
const STANDARD: DatalogDialect = DatalogDialect {
    name: "standard",
    form: Form::Souffle,
    kinds: &[Kind::Number],
    loose_kinds: &[],
    floats_by_bits: false,
    bits: 64,
    length_in_bytes: false,
    overflow_is_undetermined: false,
    domain: None,
    constants: (-10, 10),
    parts: &[],
    comparisons: ORDERED,
    ordered_symbols: false,
    operators: &[],
    float_operators: &[],
    functions: &[],
    functors: &[],
    symbol_operators: &[Operator::Concat],
    tests: &[],
    folds: &[],
    qualifiers: &[],
    most_attributes: 6,
    switches: &[],
    self_test: DatalogSelfTest { program: "", answer: "[]" },
};

/// µZ in the form of bddbddb, releases 4.8.10 to 4.13.2. The form has no options: a driver passes each line that begins
/// with `# switch ` on to the command line.
pub static Z3_DATALOG: DatalogDialect = DatalogDialect {
    name: "z3-datalog",
    form: Form::Bddbddb,
    kinds: &[Kind::Unsigned],
    bits: 6,
    domain: Some(64),
    constants: (0, 63),
    parts: &[Part::Negation, Part::Wildcard, Part::Recursion],
    comparisons: &[Comparison::Equal, Comparison::NotEqual, Comparison::Less, Comparison::Greater],
    switches: Z3_SWITCHES,
    self_test: Z3_DATALOG_TEST,
    ..STANDARD
};

const Z3_DATALOG_TEST: DatalogSelfTest = DatalogSelfTest {
    program: "Z 64\n\ne(A:Z, B:Z) input\nn(A:Z) input\np(A:Z, B:Z) printtuples\n\
        e(1,2).\ne(2,3).\nn(3).\np(X,Y) :- e(X,Y), !n(Y).\n",
    answer: "[[1, 2]]",
};

/// The same up to 4.8.7, where `<` and `>` compare places in a table of symbols.
pub static Z3_DATALOG_INTERNED: DatalogDialect = DatalogDialect {
    name: "z3-datalog-interned",
    form: Form::Bddbddb,
    kinds: &[Kind::Unsigned],
    bits: 6,
    domain: Some(64),
    constants: (0, 63),
    parts: &[Part::Negation, Part::Wildcard, Part::Recursion],
    comparisons: &[Comparison::Equal, Comparison::NotEqual],
    switches: Z3_SWITCHES,
    self_test: Z3_DATALOG_TEST,
    ..STANDARD
};

/// µZ through SMT-LIB2 rules, every release. Numbers are bit vectors of six bits. (`fp.xform.bit_blast` is no switch to
/// flip: with it the answer speaks of single bits.)
pub static Z3_SMT2: DatalogDialect = DatalogDialect {
    name: "z3-smt2",
    form: Form::Smt2,
    kinds: &[Kind::Unsigned],
    bits: 6,
    domain: Some(64),
    constants: (0, 63),
    parts: &[
        Part::Negation,
        Part::Disjunction,
        Part::Recursion,
        Part::BodyFunctor,
        Part::ConstantInHead,
        Part::FactsBesideRules,
    ],
    operators: &[
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::BitAnd,
        Operator::BitOr,
        Operator::BitXor,
    ],
    switches: Z3_SMT2_SWITCHES,
    self_test: DatalogSelfTest {
        program: "(set-option :fp.engine datalog)\n(define-sort Z () (_ BitVec 6))\n(declare-rel e (Z Z))\n\
            (declare-rel n (Z))\n(declare-rel p (Z Z))\n(declare-var x0 Z)\n(declare-var x1 Z)\n\
            (rule (e (_ bv1 6) (_ bv2 6)))\n(rule (e (_ bv2 6) (_ bv3 6)))\n(rule (n (_ bv3 6)))\n\
            (rule (=> (and (e x0 x1) (not (n x1))) (p x0 x1)))\n(query p :print-answer true)\n",
        answer: "[[1, 2]]",
    },
    ..STANDARD
};

/// CozoScript of 0.7. `1` and `1.0` do not join, division always gives a float, aggregates that sum give floats, and
/// two floats whose sum is 0.0, or whose product is 1.0, make an integer.
pub static COZO: DatalogDialect = DatalogDialect {
    name: "cozo",
    form: Form::Cozo,
    kinds: &[Kind::Number, Kind::Symbol],
    loose_kinds: &[Kind::Float],
    floats_by_bits: true,
    bits: 64,
    parts: &[
        Part::Negation,
        Part::Wildcard,
        Part::WildcardUnderNegation,
        Part::Disjunction,
        Part::Recursion,
        Part::HeadFunctor,
        Part::BodyFunctor,
        Part::Assignment,
        Part::ConstantInHead,
        Part::FactsBesideRules,
        Part::Aggregate,
    ],
    ordered_symbols: true,
    operators: &[Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Min, Operator::Max, Operator::Concat],
    float_operators: &[Operator::Subtract, Operator::Min, Operator::Max],
    functions: &[Function::Length, Function::Lower, Function::Upper, Function::Absolute],
    tests: ALL_TESTS,
    folds: &[Fold::Count],
    switches: &[Switch { name: "disable_magic_rewrite", text: ":disable_magic_rewrite true" }],
    self_test: DatalogSelfTest {
        program: "e[a, b] <- [[1, \"a\"], [-2, \"b\"]]\np[x, s] := e[x, s], not e[x, \"b\"]\n?[a, b] := p[a, b]\n",
        answer: r#"[[1, "a"]]"#,
    },
    ..STANDARD
};

/// DDlog 1.2.
pub static DDLOG: DatalogDialect = DatalogDialect {
    name: "ddlog",
    form: Form::Ddlog,
    kinds: &[Kind::Number, Kind::Unsigned, Kind::Symbol],
    bits: 64,
    parts: &[
        Part::Negation,
        Part::Wildcard,
        Part::WildcardUnderNegation,
        Part::ManyHeads,
        Part::Recursion,
        Part::HeadFunctor,
        Part::BodyFunctor,
        Part::Assignment,
        Part::ConstantInHead,
        Part::FactsBesideRules,
    ],
    operators: &[Operator::Add, Operator::Subtract, Operator::Multiply],
    self_test: DatalogSelfTest {
        program: "output relation P0(a: signed<64>, b: string)\nrelation E0(a: signed<64>, b: string)\n\
            E0(1, \"a\").\nE0(-2, \"b\").\nP0(x, s) :- E0(x, s), not E0(x, \"b\").\n",
        answer: r#"[[1, "a"]]"#,
    },
    ..STANDARD
};

/// clingo 5: only stratified programs, which have one model. Numbers of 32 bits wrap, but its grounder reasons as if
/// they did not: `r(-8)` is not looked for in what `r(X * 2147483647)` derives. Switches are comments that a driver
/// turns into options.
pub static CLINGO: DatalogDialect = DatalogDialect {
    name: "clingo",
    form: Form::Clingo,
    kinds: &[Kind::Number, Kind::Symbol],
    bits: 32,
    overflow_is_undetermined: true,
    parts: &[
        Part::Negation,
        Part::Wildcard,
        Part::WildcardUnderNegation,
        Part::Recursion,
        Part::HeadFunctor,
        Part::BodyFunctor,
        Part::Assignment,
        Part::ConstantInHead,
        Part::FactsBesideRules,
        Part::Aggregate,
        Part::GroupedAggregate,
    ],
    operators: &[
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Remainder,
        Operator::BitAnd,
        Operator::BitOr,
        Operator::BitXor,
    ],
    functions: &[Function::Absolute],
    folds: &[Fold::Count, Fold::Sum],
    switches: &[
        Switch { name: "keep-facts", text: "% switch --keep-facts" },
        Switch { name: "eq=0", text: "% switch --eq=0" },
        Switch { name: "eq=-1", text: "% switch --eq=-1" },
        Switch { name: "sat-prepro=2", text: "% switch --sat-prepro=2" },
        Switch { name: "configuration=crafty", text: "% switch --configuration=crafty" },
        Switch { name: "configuration=trendy", text: "% switch --configuration=trendy" },
        Switch { name: "heuristic=Vsids", text: "% switch --heuristic=Vsids" },
    ],
    self_test: DatalogSelfTest {
        program: "e(1,\"a\").\ne(-2,\"b\").\np(X,S) :- e(X,S), not e(X,\"b\").\n#show p/2.\n",
        answer: r#"[[1, "a"]]"#,
    },
    ..STANDARD
};

/// Mangle 0.9 (the port to Rust). A driver asks for the relation that the line `# output NAME` names.
pub static MANGLE: DatalogDialect = DatalogDialect {
    name: "mangle",
    form: Form::Mangle,
    kinds: &[Kind::Number, Kind::Symbol],
    bits: 64,
    parts: &[Part::Negation, Part::Wildcard, Part::Recursion, Part::ConstantInHead, Part::FactsBesideRules],
    self_test: DatalogSelfTest {
        program: "# output p\ne(1, \"a\").\ne(-2, \"b\").\np(X, S) :- e(X, S), !e(X, \"b\").\n",
        answer: r#"[[1, "a"]]"#,
    },
    ..STANDARD
};
