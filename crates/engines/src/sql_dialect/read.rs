//! From what a file says to a dialect: what it names replaces or adds to its base.

use super::given::{
    Class, Given, GivenBinding, GivenFunction, GivenHeld, GivenKind, GivenModule, GivenParam, GivenSearch, GivenShown,
    GivenSpelling, GivenTables, GivenType,
};
use crate::external::dialects::{text, texts};
use qualm_core::dialect::sql::{
    Affinity, Binding, Catalogue, Dialect, Feature, FunctionSpec, Given as GivenTable, Held, Kind, KindSpec,
    MOST_FUNCTIONS, Module, ORDINARY, Operator, Param, SearchSyntax, SelfTest, Shown, Special, Spelling, TypeSpec,
};
use qualm_core::session::RejectionClass;
use std::collections::BTreeMap;

/// What a file may refer to: kinds that it may begin with, and lists of functions by their names.
pub struct Around<'a> {
    pub kinds: &'a [KindSpec],
    pub catalogue: &'a dyn Fn(&str) -> Result<&'static Catalogue, String>,
}

pub fn build(base: &Dialect, given: Given, around: &Around) -> Result<Dialect, String> {
    let kept = |name: &str, left_out: &[String]| !left_out.iter().any(|n| n == name);
    let mut types = match given.types {
        Some(types) => types.into_iter().map(type_spec).collect(),
        None => base.types.to_vec(),
    };
    types.retain(|t: &TypeSpec| kept(t.name, &given.without_types));
    if types.is_empty() {
        return Err("there is no column type left".into());
    }
    let words: Words = given.words.into_iter().map(|(name, list)| (name, texts(list))).collect();
    let function = |given| function(given, &words);
    let mut functions = match given.functions {
        Some(functions) => functions.into_iter().map(function).collect::<Result<_, _>>()?,
        None => base.functions.to_vec(),
    };
    functions.extend(given.more_functions.into_iter().map(function).collect::<Result<Vec<_>, _>>()?);
    functions.retain(|f: &FunctionSpec| kept(f.name, &given.without_functions));
    functions.sort_by_key(FunctionSpec::is_special);
    if functions.len() > MOST_FUNCTIONS {
        return Err(format!("{} functions are too many; at most {MOST_FUNCTIONS} are used", functions.len()));
    }
    let mut kinds = kinds(base.kinds, given.kinds, around.kinds)?;
    kinds.retain(|k| kept(k.name, &given.without_kinds));
    let inherited = base.features.iter().map(|(feature, probe)| (*feature, in_types(probe, base, &types)));
    let mut features: BTreeMap<Feature, &'static [&'static str]> = inherited.collect();
    features.extend(given.features.into_iter().map(|(feature, probe)| (feature, texts(probe))));
    features.retain(|feature, _| !given.without.contains(feature));
    let self_test = given.self_test.map_or(base.self_test, |test| SelfTest {
        statements: texts(test.statements),
        question: text(test.question),
        // TOML has no null, so that an answer may be JSON in a text.
        answer: text(test.answer.as_str().map_or_else(|| test.answer.to_string(), str::to_owned)),
    });
    let modules = |all: Vec<GivenModule>| &*Vec::leak(all.into_iter().map(module).collect());
    Ok(Dialect {
        name: given.name.map_or(base.name, text),
        preamble: given.preamble.map_or(base.preamble, texts),
        quote: given.quote.unwrap_or(base.quote),
        dynamic_typing: given.dynamic_typing.unwrap_or(base.dynamic_typing),
        numeric_truth: given.numeric_truth.unwrap_or(base.numeric_truth),
        marked_json: given.marked_json.unwrap_or(base.marked_json),
        loose_texts: given.loose_texts.unwrap_or(base.loose_texts),
        types: Vec::leak(types),
        kinds: Vec::leak(kinds),
        collations: given.collations.map_or(base.collations, texts),
        functions: Vec::leak(functions),
        // What an engine has and computes need not be what another one does that speaks like it: neither the list of
        // its functions nor its semantics are inherited.
        catalogue: given.catalogue.map(|name| (around.catalogue)(&name)).transpose()?,
        semantics: given.semantics,
        features: Vec::leak(features.into_iter().collect()),
        settings: given.settings.map_or(base.settings, texts),
        maintenance: given.maintenance.map_or(base.maintenance, texts),
        layouts: given.layouts.map_or(base.layouts, texts),
        given: given.given.map_or(base.given, tables),
        on_disk: pair(given.on_disk, base.on_disk),
        foreign_keys_on: given.foreign_keys_on.map_or(base.foreign_keys_on, text),
        modules: given.modules.map_or(base.modules, modules),
        json_makers: given.json_makers.map_or(base.json_makers, texts),
        int_limit: given.int_limit.unwrap_or(base.int_limit),
        errors: given.errors.map_or(base.errors, errors),
        spelling: spelling(&base.spelling, given.spelling),
        self_test,
    })
}

/// The probes of a base with the types of this dialect: a type that it does not list says nothing about a feature. What
/// is no type of the base's is left as it is.
fn in_types(probe: &'static [&'static str], base: &Dialect, types: &[TypeSpec]) -> &'static [&'static str] {
    let plain = |kind: Kind| types.iter().find(|t| t.kind == kind).map(|t| t.name);
    let missing = |name: &str| !types.iter().any(|t| t.name == name);
    let changed: Vec<(&str, &str)> = base
        .types
        .iter()
        .filter(|t| missing(t.name))
        .filter_map(|t| Some((t.name, plain(t.kind)?)))
        .filter(|(name, _)| probe.iter().any(|text| text.contains(name)))
        .collect();
    if changed.is_empty() {
        return probe;
    }
    let word = |text: &str, (from, to): &(&str, &str)| text.replace(&format!(" {from}"), &format!(" {to}"));
    texts(probe.iter().map(|text| changed.iter().fold((*text).to_owned(), |text, pair| word(&text, pair))).collect())
}

fn errors(given: Vec<(String, Class)>) -> &'static [(&'static str, RejectionClass)] {
    let class = |class| match class {
        Class::Expected => RejectionClass::Expected,
        Class::Limit => RejectionClass::Limit,
        Class::OutOfMemory => RejectionClass::OutOfMemory,
        Class::Internal => RejectionClass::Internal,
    };
    Vec::leak(given.into_iter().map(|(part, c)| (text(part), class(c))).collect())
}

fn type_spec(given: GivenType) -> TypeSpec {
    match given {
        GivenType::Short(name, kind) => TypeSpec { name: text(name), kind, affinity: Affinity::None, strict: true },
        GivenType::Long { name, kind, affinity, strict } => {
            TypeSpec { name: text(name), kind, affinity: affinity.unwrap_or(Affinity::None), strict }
        }
    }
}

type Words = BTreeMap<String, &'static [&'static str]>;

fn function((name, params, result): GivenFunction, words: &Words) -> Result<FunctionSpec, String> {
    let known = |given| {
        param(given, words).map_err(|unknown| format!("the function '{name}' has an unknown parameter '{unknown}'"))
    };
    let params = params.into_iter().map(known).collect::<Result<Vec<_>, _>>()?;
    Ok(FunctionSpec { name: text(name.clone()), params: Vec::leak(params), result })
}

/// Parameters by name; `same`, `small_int` and the others are those of `Param`.
pub const PARAMS: &[(&str, Param)] = &[
    ("int", Param::Of(Kind::Int)),
    ("real", Param::Of(Kind::Real)),
    ("text", Param::Of(Kind::Text)),
    ("blob", Param::Of(Kind::Blob)),
    ("bool", Param::Of(Kind::Bool)),
    ("any", Param::Of(Kind::Any)),
    ("same", Param::Same),
    ("small_int", Param::SmallInt),
    ("json", Param::Json),
    ("json_path", Param::JsonPath),
    ("format", Param::Format),
    ("date", Param::Date),
    ("probability", Param::Probability),
    ("pattern", Param::Pattern),
];

/// The error is the name that is not known.
fn param(given: GivenParam, words: &Words) -> Result<Param, String> {
    let name = match given {
        GivenParam::Words(list) => return Ok(Param::Word(texts(list))),
        GivenParam::Named(name) => name,
    };
    let kind = |name| Param::Of(Kind::Special(Special::named(name)));
    let known = PARAMS.iter().find(|(known, _)| *known == name).map(|(_, param)| *param);
    let known = known.or_else(|| name.strip_prefix("value:").map(kind));
    let listed = || words.get(name.strip_prefix("words:")?).map(|list| Param::Word(list));
    known.or_else(listed).ok_or(name)
}

/// The kinds of a base and of a file. A kind of the base that is said again takes the place of the file.
pub fn kinds(base: &[KindSpec], given: Vec<GivenKind>, known: &[KindSpec]) -> Result<Vec<KindSpec>, String> {
    let mut kinds = base.to_vec();
    for kind in given {
        let begins = match kind.like {
            None => base.iter().find(|k| k.name == kind.name.0).unwrap_or(&ORDINARY),
            Some(like) => {
                let found = kinds.iter().chain(base).chain(known).find(|k| k.name == like.0);
                found.ok_or_else(|| format!("the kind '{}' is like '{}', which is not known", kind.name.0, like.0))?
            }
        };
        let spec = kind_spec(kind, begins);
        kinds.retain(|k| k.name != spec.name);
        kinds.push(spec);
    }
    Ok(kinds)
}

fn kind_spec(given: GivenKind, base: &KindSpec) -> KindSpec {
    let operator = |(symbol, right, result)| Operator { symbol: text(symbol), right, result };
    KindSpec {
        name: given.name.0,
        literal: pair(given.literal, base.literal),
        cast: given.cast.map_or(base.cast, text),
        values: given.values.map_or(base.values, texts),
        exact: given.exact.unwrap_or(base.exact),
        ordered: given.ordered.unwrap_or(base.ordered),
        least: given.least.unwrap_or(base.least),
        text_order: given.text_order.unwrap_or(base.text_order),
        equals: given.equals.unwrap_or(base.equals),
        keys: given.keys.unwrap_or(base.keys),
        sums: given.sums.unwrap_or(base.sums),
        meets: given.meets.map_or(base.meets, |kinds| Vec::leak(kinds)),
        casts: given.casts.map_or(base.casts, |kinds| Vec::leak(kinds)),
        operators: given.operators.map_or(base.operators, |all| Vec::leak(all.into_iter().map(operator).collect())),
    }
}

fn tables(given: Vec<GivenTables>) -> &'static [GivenTable] {
    let of_columns = |given: GivenTables| {
        let columns: Vec<(&'static str, Kind)> =
            given.columns.into_iter().map(|(name, kind)| (text(name), kind)).collect();
        let columns: &'static [_] = Vec::leak(columns);
        given.texts.into_iter().map(move |name| GivenTable { text: text(name), columns })
    };
    Vec::leak(given.into_iter().flat_map(of_columns).collect())
}

fn shows((name, arguments): (String, Vec<GivenShown>)) -> (&'static str, &'static [Shown]) {
    let argument = |given| match given {
        GivenShown::Number(number) => Shown::Number(number),
        GivenShown::Text(shown) => Shown::Text(text(shown)),
    };
    (text(name), Vec::leak(arguments.into_iter().map(argument).collect()))
}

fn module(given: GivenModule) -> Module {
    let search = |given: GivenSearch| SearchSyntax {
        both: text(given.both),
        either: text(given.either),
        without: text(given.without),
        phrase: text(given.phrase),
        prefix: text(given.prefix),
        near: text(given.near),
        in_column: text(given.in_column),
        first: text(given.first),
        shows: Vec::leak(given.shows.into_iter().map(shows).collect()),
    };
    Module {
        name: text(given.name),
        feature: given.feature,
        holds: match given.holds {
            GivenHeld::Boxes => Held::Boxes { whole_numbers: false },
            GivenHeld::WholeBoxes => Held::Boxes { whole_numbers: true },
            GivenHeld::Texts => Held::Texts,
        },
        options: Vec::leak(given.options.into_iter().map(texts).collect()),
        commands: texts(given.commands),
        search: given.search.map(search),
    }
}

fn pair(given: Option<(String, String)>, base: (&'static str, &'static str)) -> (&'static str, &'static str) {
    given.map_or(base, |(before, after)| (text(before), text(after)))
}

fn spelling(base: &Spelling, given: GivenSpelling) -> Spelling {
    let casts =
        |all: Vec<(Kind, String)>| &*Vec::leak(all.into_iter().map(|(kind, name)| (kind, text(name))).collect());
    let pairs = |all: Vec<(String, String)>| &*Vec::leak(all.into_iter().map(|(a, b)| (text(a), text(b))).collect());
    Spelling {
        null_safe: given.null_safe.unwrap_or(base.null_safe),
        concat: given.concat.unwrap_or(base.concat),
        real: pair(given.real, base.real),
        infinity: pair(given.infinity, base.infinity),
        blob: pair(given.blob, base.blob),
        backslash_escapes: given.backslash_escapes.unwrap_or(base.backslash_escapes),
        insert_ignore: pair(given.insert_ignore, base.insert_ignore),
        insert_replace: pair(given.insert_replace, base.insert_replace),
        update_ignore: given.update_ignore.map_or(base.update_ignore, text),
        update_replace: given.update_replace.map_or(base.update_replace, text),
        table_suffix: given.table_suffix.map_or(base.table_suffix, text),
        table_variants: given.table_variants.map_or(base.table_variants, texts),
        index_variants: given.index_variants.map_or(base.index_variants, texts),
        nullable: pair(given.nullable, base.nullable),
        other_row: given.other_row.map_or(base.other_row, text),
        counted: given.counted.map_or(base.counted, text),
        generated: given.generated.map_or(base.generated, text),
        drop_index_names_table: given.drop_index_names_table.unwrap_or(base.drop_index_names_table),
        casts: given.casts.map_or(base.casts, casts),
        comma_binds_weakly: given.comma_binds_weakly.unwrap_or(base.comma_binds_weakly),
        aliased_keeps_name: given.aliased_keeps_name.unwrap_or(base.aliased_keeps_name),
        unique_names: given.unique_names.unwrap_or(base.unique_names),
        from_nothing: given.from_nothing.map_or(base.from_nothing, text),
        row_frames: given.row_frames.map_or(base.row_frames, texts),
        peer_frames: given.peer_frames.map_or(base.peer_frames, texts),
        value_frames: given.value_frames.map_or(base.value_frames, texts),
        fetch_first: given.fetch_first.unwrap_or(base.fetch_first),
        values_columns: given.values_columns.map_or(base.values_columns, text),
        // How a client binds values is not how an adapter does, so it is not inherited either.
        binding: given.binding.map_or(Binding::None, binding),
        generic_plans: given.generic_plans.map_or(&[][..], pairs),
        insert_block: pair(given.insert_block, base.insert_block),
        mutations_by_alter: given.mutations_by_alter.unwrap_or(base.mutations_by_alter),
        with_rollup: given.with_rollup.unwrap_or(base.with_rollup),
        trigger_body: pair(given.trigger_body, base.trigger_body),
    }
}

fn binding(given: GivenBinding) -> Binding {
    match given {
        GivenBinding::None => Binding::None,
        GivenBinding::Shell => Binding::Shell,
        GivenBinding::Numbered => Binding::Numbered { typed: false },
        GivenBinding::NumberedTyped => Binding::Numbered { typed: true },
        GivenBinding::Variables => Binding::Variables,
        GivenBinding::Braces => Binding::Braces,
    }
}
