//! SQLite's virtual tables, as data: boxes in an R-Tree, documents in full-text search.

use Shown::{Number, Text};
use qualm_core::dialect::sql::{Feature, Held, Module, SearchSyntax, Shown};

/// Words beside each other must all be there; NOT is in builds with the enhanced syntax only.
const FTS4_SEARCH: SearchSyntax = SearchSyntax {
    both: "{a} {b}",
    either: "{a} OR {b}",
    without: "",
    phrase: "\"{a} {b}\"",
    prefix: "{a}*",
    near: "{a} NEAR/{n} {b}",
    in_column: "{c}:{a}",
    first: "^{a}",
    // `matchinfo` with letters that all tables know: some have no sizes of documents.
    shows: &[
        ("snippet", &[]),
        ("snippet", &[Text("<"), Text(">"), Text("..."), Number(-1), Number(4)]),
        ("snippet", &[Text("<"), Text(">"), Text("..."), Number(0), Number(-2)]),
        ("offsets", &[]),
        ("matchinfo", &[]),
        ("matchinfo", &[Text("pcxs")]),
        ("matchinfo", &[Text("yb")]),
    ],
};

const FTS5_SEARCH: SearchSyntax = SearchSyntax {
    both: "{a} AND {b}",
    either: "{a} OR {b}",
    without: "{a} NOT {b}",
    phrase: "\"{a} {b}\"",
    prefix: "{a}*",
    near: "NEAR({a} {b}, {n})",
    in_column: "{c} : {a}",
    first: "^{a}",
    shows: &[
        ("highlight", &[Number(0), Text("<"), Text(">")]),
        ("snippet", &[Number(-1), Text("<"), Text(">"), Text("..."), Number(3)]),
        ("snippet", &[Number(0), Text("<"), Text(">"), Text("..."), Number(12)]),
        ("bm25", &[]),
        ("bm25", &[Number(3), Number(1)]),
    ],
};

const FTS4_COMMANDS: &[&str] = &[
    "INSERT INTO {table}({table}) VALUES ('optimize')",
    "INSERT INTO {table}({table}) VALUES ('rebuild')",
    "INSERT INTO {table}({table}) VALUES ('integrity-check')",
    "INSERT INTO {table}({table}) VALUES ('merge=4,2')",
    "INSERT INTO {table}({table}) VALUES ('merge=500,8')",
    "INSERT INTO {table}({table}) VALUES ('automerge=2')",
];

pub const MODULES: &[Module] = &[
    Module {
        name: "rtree",
        feature: Feature::Rtree,
        holds: Held::Boxes { whole_numbers: false },
        options: &[],
        commands: &["SELECT rtreecheck('{table}')"],
        search: None,
    },
    Module {
        name: "rtree_i32",
        feature: Feature::Rtree,
        holds: Held::Boxes { whole_numbers: true },
        options: &[],
        commands: &["SELECT rtreecheck('{table}')"],
        search: None,
    },
    Module {
        name: "fts3",
        feature: Feature::Fts4,
        holds: Held::Texts,
        options: &[&["tokenize=porter", "tokenize=simple"]],
        commands: FTS4_COMMANDS,
        search: Some(FTS4_SEARCH),
    },
    Module {
        name: "fts4",
        feature: Feature::Fts4,
        holds: Held::Texts,
        options: &[
            &["tokenize=porter", "tokenize=simple", "tokenize=unicode61 \"remove_diacritics=2\"", "tokenize=unicode61"],
            &["prefix='1'", "prefix='2,4'", "prefix='1,2,3'"],
            &["order=desc", "matchinfo=fts3", "notindexed={column}", "languageid=lid"],
        ],
        commands: FTS4_COMMANDS,
        search: Some(FTS4_SEARCH),
    },
    Module {
        name: "fts5",
        feature: Feature::Fts5,
        holds: Held::Texts,
        options: &[
            &[
                "tokenize=porter",
                "tokenize=ascii",
                "tokenize='porter ascii'",
                "tokenize='unicode61 remove_diacritics 2'",
                "tokenize=trigram",
                "tokenize='trigram case_sensitive 1'",
                "tokenize='unicode61 tokenchars _'",
            ],
            &["prefix=1", "prefix='1 2'", "prefix='2 3 4'"],
            &["columnsize=0", "detail=column", "detail=none", "tokendata=1", "locale=1"],
        ],
        commands: &[
            "INSERT INTO {table}({table}) VALUES ('optimize')",
            "INSERT INTO {table}({table}) VALUES ('rebuild')",
            "INSERT INTO {table}({table}) VALUES ('integrity-check')",
            "INSERT INTO {table}({table}, rank) VALUES ('merge', 16)",
            "INSERT INTO {table}({table}, rank) VALUES ('merge', -4)",
            "INSERT INTO {table}({table}, rank) VALUES ('pgsz', 64)",
            "INSERT INTO {table}({table}, rank) VALUES ('pgsz', 200)",
            "INSERT INTO {table}({table}, rank) VALUES ('automerge', 2)",
            "INSERT INTO {table}({table}, rank) VALUES ('usermerge', 2)",
            "INSERT INTO {table}({table}, rank) VALUES ('crisismerge', 2)",
            "INSERT INTO {table}({table}, rank) VALUES ('hashsize', 64)",
            "INSERT INTO {table}({table}, rank) VALUES ('secure-delete', 1)",
            "INSERT INTO {table}({table}, rank) VALUES ('deletemerge', 5)",
        ],
        search: Some(FTS5_SEARCH),
    },
];
