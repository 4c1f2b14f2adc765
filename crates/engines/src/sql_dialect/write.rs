//! A dialect as the text of a file that says all of it: what its base and the base's base say is written out.

use super::read::PARAMS;
use qualm_core::dialect::sql::{
    Affinity, Binding, Concat, Dialect, EMPTY, FunctionSpec, Given as GivenTable, Held, Kind, KindSpec, Module,
    NullSafe, ORDINARY, Param, SearchSyntax, Semantics, Shown, Spelling, TypeSpec, Typed, kind_name,
};
use qualm_core::session::RejectionClass;
use std::fmt::Write;

const COLUMNS: usize = 118;

/// Keys that say what `base = "empty"` says already are left out.
pub fn to_toml(dialect: &Dialect) -> String {
    let Dialect {
        name,
        preamble,
        quote,
        dynamic_typing,
        numeric_truth,
        loose_texts,
        marked_json,
        types,
        kinds,
        collations,
        functions,
        catalogue,
        features,
        settings,
        maintenance,
        layouts,
        given,
        on_disk,
        foreign_keys_on,
        modules,
        json_makers,
        int_limit,
        errors,
        spelling,
        self_test,
        semantics,
    } = dialect;
    let mut file = File { text: "base = \"empty\"\n".into() };
    file.key("name", quoted(name), String::new());
    file.key("quote", quoted(&quote.to_string()), quoted(&EMPTY.quote.to_string()));
    file.key("dynamic_typing", dynamic_typing, EMPTY.dynamic_typing);
    file.key("numeric_truth", numeric_truth, EMPTY.numeric_truth);
    file.key("loose_texts", loose_texts, EMPTY.loose_texts);
    file.key("marked_json", marked_json, EMPTY.marked_json);
    file.key("int_limit", int_limit, EMPTY.int_limit);
    file.texts("preamble", preamble, EMPTY.preamble);
    file.list("types", types.iter().map(column_type).collect(), Vec::new());
    file.texts("collations", collations, EMPTY.collations);
    file.list("functions", functions.iter().map(function).collect(), Vec::new());
    file.texts("json_makers", json_makers, EMPTY.json_makers);
    file.key("catalogue", catalogue.map_or(quoted(""), |c| quoted(c.name)), quoted(""));
    file.texts("settings", settings, EMPTY.settings);
    file.texts("maintenance", maintenance, EMPTY.maintenance);
    file.texts("layouts", layouts, EMPTY.layouts);
    let table = |g: &GivenTable| {
        let columns = g.columns.iter().map(|(name, kind)| list([quoted(name), of(*kind)]));
        format!("{{ texts = [{}], columns = {} }}", quoted(g.text), list(columns))
    };
    file.list("given", given.iter().map(table).collect(), Vec::new());
    file.pair("on_disk", *on_disk, EMPTY.on_disk);
    file.key("foreign_keys_on", quoted(foreign_keys_on), quoted(EMPTY.foreign_keys_on));
    let error = |(part, class): &(&str, RejectionClass)| list([quoted(part), quoted(class_name(*class))]);
    file.list("errors", errors.iter().map(error).collect(), Vec::new());
    match semantics {
        None => {}
        Some(Semantics::Sqlite) => file.key("semantics", quoted("sqlite"), quoted("")),
        Some(Semantics::Typed(typed)) => file.typed(typed),
    }
    file.spelling(spelling);
    file.table("[self_test]");
    file.list("statements", self_test.statements.iter().map(|text| quoted(text)).collect(), vec![String::new()]);
    file.key("question", quoted(self_test.question), String::new());
    file.key("answer", quoted(self_test.answer), String::new());
    file.table("[features]");
    for (feature, probe) in *features {
        file.list(&format!("{feature:?}"), probe.iter().map(|text| quoted(text)).collect(), vec![String::new()]);
    }
    kinds.iter().for_each(|kind| file.kind(kind));
    modules.iter().for_each(|module| file.module(module));
    file.text
}

struct File {
    text: String,
}

impl File {
    fn table(&mut self, head: &str) {
        let _ = writeln!(self.text, "\n{head}");
    }

    fn key(&mut self, key: &str, value: impl ToString, usual: impl ToString) {
        let value = value.to_string();
        if value != usual.to_string() {
            let _ = writeln!(self.text, "{key} = {value}");
        }
    }

    fn list(&mut self, key: &str, items: Vec<String>, usual: Vec<String>) {
        if items == usual {
            return;
        }
        let short = list(&items);
        if key.len() + short.len() + 3 <= COLUMNS {
            let _ = writeln!(self.text, "{key} = {short}");
            return;
        }
        let items: String = items.iter().map(|item| format!("    {item},\n")).collect();
        let _ = writeln!(self.text, "{key} = [\n{items}]");
    }

    fn texts(&mut self, key: &str, texts: &[&str], usual: &[&str]) {
        let all = |texts: &[&str]| texts.iter().map(|text| quoted(text)).collect();
        self.list(key, all(texts), all(usual));
    }

    fn pair(&mut self, key: &str, value: (&str, &str), usual: (&str, &str)) {
        self.key(key, pair(value), pair(usual));
    }

    fn spelling(&mut self, spelling: &Spelling) {
        let Spelling {
            null_safe,
            concat,
            real,
            infinity,
            blob,
            backslash_escapes,
            insert_ignore,
            insert_replace,
            update_ignore,
            update_replace,
            table_suffix,
            table_variants,
            index_variants,
            nullable,
            other_row,
            counted,
            generated,
            drop_index_names_table,
            casts,
            comma_binds_weakly,
            aliased_keeps_name,
            unique_names,
            from_nothing,
            row_frames,
            peer_frames,
            value_frames,
            fetch_first,
            values_columns,
            binding,
            generic_plans,
            insert_block,
            mutations_by_alter,
            with_rollup,
            trigger_body,
        } = *spelling;
        let usual = &EMPTY.spelling;
        self.table("[spelling]");
        self.key("null_safe", null_safe_name(null_safe), null_safe_name(usual.null_safe));
        self.key("concat", concat_name(concat), concat_name(usual.concat));
        self.pair("real", real, usual.real);
        self.pair("infinity", infinity, usual.infinity);
        self.pair("blob", blob, usual.blob);
        self.key("backslash_escapes", backslash_escapes, usual.backslash_escapes);
        self.pair("insert_ignore", insert_ignore, usual.insert_ignore);
        self.pair("insert_replace", insert_replace, usual.insert_replace);
        self.key("update_ignore", quoted(update_ignore), quoted(usual.update_ignore));
        self.key("update_replace", quoted(update_replace), quoted(usual.update_replace));
        self.key("table_suffix", quoted(table_suffix), quoted(usual.table_suffix));
        self.texts("table_variants", table_variants, usual.table_variants);
        self.texts("index_variants", index_variants, usual.index_variants);
        self.pair("nullable", nullable, usual.nullable);
        self.key("other_row", quoted(other_row), quoted(usual.other_row));
        self.key("counted", quoted(counted), quoted(usual.counted));
        self.key("generated", quoted(generated), quoted(usual.generated));
        self.key("drop_index_names_table", drop_index_names_table, usual.drop_index_names_table);
        self.list("casts", casts.iter().map(|(kind, name)| list([of(*kind), quoted(name)])).collect(), Vec::new());
        self.key("comma_binds_weakly", comma_binds_weakly, usual.comma_binds_weakly);
        self.key("aliased_keeps_name", aliased_keeps_name, usual.aliased_keeps_name);
        self.key("unique_names", unique_names, usual.unique_names);
        self.key("from_nothing", quoted(from_nothing), quoted(usual.from_nothing));
        self.texts("row_frames", row_frames, usual.row_frames);
        self.texts("peer_frames", peer_frames, usual.peer_frames);
        self.texts("value_frames", value_frames, usual.value_frames);
        self.key("fetch_first", fetch_first, usual.fetch_first);
        self.key("values_columns", quoted(values_columns), quoted(usual.values_columns));
        self.key("binding", binding_name(binding), binding_name(usual.binding));
        self.list("generic_plans", generic_plans.iter().map(|plans| pair(*plans)).collect(), Vec::new());
        self.pair("insert_block", insert_block, usual.insert_block);
        self.key("mutations_by_alter", mutations_by_alter, usual.mutations_by_alter);
        self.key("with_rollup", with_rollup, usual.with_rollup);
        self.pair("trigger_body", trigger_body, usual.trigger_body);
    }

    /// All of it: what is not said here would be what PostgreSQL does.
    fn typed(&mut self, typed: &Typed) {
        let Typed {
            like_ignores_case,
            like_escape,
            remainder_has_sign_of_dividend,
            length_counts_bytes,
            compares_bytes_in_text,
            concat_of_null_is_null,
            greatest_of_null_is_null,
        } = *typed;
        self.table("[semantics]");
        self.key("like_escape", quoted(&like_escape.map(String::from).unwrap_or_default()), String::new());
        for (key, value) in [
            ("like_ignores_case", like_ignores_case),
            ("remainder_has_sign_of_dividend", remainder_has_sign_of_dividend),
            ("length_counts_bytes", length_counts_bytes),
            ("compares_bytes_in_text", compares_bytes_in_text),
            ("concat_of_null_is_null", concat_of_null_is_null),
            ("greatest_of_null_is_null", greatest_of_null_is_null),
        ] {
            self.key(key, value, String::new());
        }
    }

    fn kind(&mut self, kind: &KindSpec) {
        let KindSpec {
            name,
            literal,
            cast,
            values,
            exact,
            ordered,
            least,
            text_order,
            equals,
            keys,
            sums,
            meets,
            casts,
            operators,
        } = *kind;
        self.table("[[kinds]]");
        self.key("name", quoted(name), String::new());
        self.pair("literal", literal, ORDINARY.literal);
        self.key("cast", quoted(cast), quoted(ORDINARY.cast));
        self.texts("values", values, ORDINARY.values);
        self.key("exact", exact, ORDINARY.exact);
        self.key("ordered", ordered, ORDINARY.ordered);
        self.key("least", least, ORDINARY.least);
        self.key("text_order", text_order, ORDINARY.text_order);
        self.key("equals", equals, ORDINARY.equals);
        self.key("keys", keys, ORDINARY.keys);
        self.key("sums", sums, ORDINARY.sums);
        self.list("meets", meets.iter().map(|k| of(*k)).collect(), Vec::new());
        self.list("casts", casts.iter().map(|k| of(*k)).collect(), Vec::new());
        let operators = operators.iter().map(|o| list([quoted(o.symbol), of(o.right), of(o.result)]));
        self.list("operators", operators.collect(), Vec::new());
    }

    fn module(&mut self, module: &Module) {
        let Module { name, feature, holds, options, commands, search } = *module;
        let holds = match holds {
            Held::Boxes { whole_numbers: false } => "boxes",
            Held::Boxes { whole_numbers: true } => "whole_boxes",
            Held::Texts => "texts",
        };
        self.table("[[modules]]");
        self.key("name", quoted(name), String::new());
        self.key("feature", quoted(&format!("{feature:?}")), String::new());
        self.key("holds", quoted(holds), String::new());
        let options = options.iter().map(|texts| list(texts.iter().map(|text| quoted(text))));
        self.list("options", options.collect(), Vec::new());
        self.texts("commands", commands, &[]);
        let Some(SearchSyntax { both, either, without, phrase, prefix, near, in_column, first, shows }) = search else {
            return;
        };
        self.table("[modules.search]");
        for (key, text) in [
            ("both", both),
            ("either", either),
            ("without", without),
            ("phrase", phrase),
            ("prefix", prefix),
            ("near", near),
            ("in_column", in_column),
            ("first", first),
        ] {
            self.key(key, quoted(text), quoted(""));
        }
        let shown = |shown: &Shown| match shown {
            Shown::Number(number) => number.to_string(),
            Shown::Text(text) => quoted(text),
        };
        let row = |(name, arguments): &(&str, &[Shown])| list([quoted(name), list(arguments.iter().map(shown))]);
        self.list("shows", shows.iter().map(row).collect(), Vec::new());
    }
}

/// A text of TOML has the escapes of JSON, and one more character that cannot stand for itself.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\x7f', "\\u007f")
}

fn list(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.as_ref().to_owned()).collect();
    format!("[{}]", items.join(", "))
}

fn pair((before, after): (&str, &str)) -> String {
    list([quoted(before), quoted(after)])
}

fn of(kind: Kind) -> String {
    quoted(kind_name(kind).unwrap_or("any"))
}

fn column_type(spec: &TypeSpec) -> String {
    let TypeSpec { name, kind, affinity, strict } = *spec;
    match (affinity, strict) {
        (Affinity::None, true) => list([quoted(name), of(kind)]),
        _ => format!(
            "{{ name = {}, kind = {}, affinity = \"{affinity:?}\", strict = {strict} }}",
            quoted(name),
            of(kind)
        ),
    }
}

fn function(spec: &FunctionSpec) -> String {
    list([quoted(spec.name), list(spec.params.iter().map(|p| param(*p))), of(spec.result)])
}

fn param(param: Param) -> String {
    match (param, PARAMS.iter().find(|(_, known)| *known == param)) {
        (_, Some((name, _))) => quoted(name),
        (Param::Word(texts), None) => list(texts.iter().map(|text| quoted(text))),
        (Param::Of(kind), None) => quoted(&format!("value:{}", kind_name(kind).unwrap_or_default())),
        // The others are in the table.
        (_, None) => quoted(&format!("{param:?}")),
    }
}

fn class_name(class: RejectionClass) -> &'static str {
    match class {
        // Nothing that a driver keeps from its engine is in a dialect.
        RejectionClass::Expected | RejectionClass::NotRun => "expected",
        RejectionClass::Limit => "limit",
        RejectionClass::OutOfMemory => "out_of_memory",
        RejectionClass::Internal => "internal",
    }
}

fn null_safe_name(null_safe: NullSafe) -> String {
    quoted(match null_safe {
        NullSafe::Is => "is",
        NullSafe::Distinct => "distinct",
        NullSafe::Spaceship => "spaceship",
        NullSafe::IfNull => "if_null",
    })
}

fn concat_name(concat: Concat) -> String {
    quoted(match concat {
        Concat::Operator => "operator",
        Concat::Function => "function",
    })
}

fn binding_name(binding: Binding) -> String {
    quoted(match binding {
        Binding::None => "none",
        Binding::Shell => "shell",
        Binding::Numbered { typed: false } => "numbered",
        Binding::Numbered { typed: true } => "numbered_typed",
        Binding::Variables => "variables",
        Binding::Braces => "braces",
    })
}
