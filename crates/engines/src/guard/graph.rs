//! Languages of graphs. Cypher: clauses and procedures that stay inside the graph. Gremlin is a script in Groovy, which
//! can do all that its server can: only traversals of known steps pass.

use super::{Lexis, Refusal, Token, shown, statement};

const CYPHER: Lexis = Lexis {
    text: "'\"",
    name: "`",
    escapes: (true, false),
    prefixes: false,
    dollars: false,
    line_comment: |text| text.starts_with("//"),
    // Neo4j replaces `\u0041` before it reads anything.
    refused: "\\",
};

const CLAUSES: &str = "\
    MATCH OPTIONAL WITH UNWIND RETURN CREATE MERGE CALL DROP SHOW FOREACH DELETE DETACH SET REMOVE \
    INSERT";
/// What CREATE, DROP and SHOW speak of beside patterns, and the words that may stand before it.
const THINGS: &str = "INDEX INDEXES CONSTRAINT CONSTRAINTS";
const BEFORE_THING: &str = "\
    OR REPLACE TEXT BTREE RANGE POINT LOOKUP FULLTEXT VECTOR NODE RELATIONSHIP EDGE UNIQUE ALL GLOBAL \
    PROPERTY KEY EXISTENCE";
/// Procedures that are called: those of indexes and of the schema, and FalkorDB's algorithms.
const PROCEDURES: &str = "\
    db.index. db.indexes db.constraints db.labels db.relationshiptypes db.propertykeys db.schema. \
    db.awaitindex db.awaitindexes db.resampleindex db.resampleoutdatedindexes db.prepareforreplanning \
    db.clearquerycaches db.idx. db.create. algo.";
/// Of functions with a point in their names, those that compute.
const FUNCTIONS: &str = "date. datetime. time. localtime. localdatetime. duration. point. vector. vec. string. list.";

/// Why the Cypher text is not run. Nothing when it may.
pub fn cypher(text: &str) -> Option<Refusal> {
    cypher_examined(text).err()
}

fn cypher_examined(text: &str) -> Result<(), Refusal> {
    if text.contains("\\u") || text.contains("\\U") {
        return Err("characters are written by their numbers".into());
    }
    let tokens = statement(text, &CYPHER)?;
    let rest = behind_options(&tokens);
    let Some(first) = rest.first() else { return Ok(()) };
    if *first != Token::Mark('(') && !first.is_in(CLAUSES) {
        return Err(format!("statements that begin with {} are not run", shown(*first)));
    }
    if first.is_one_of(&["CREATE", "DROP", "SHOW"]) {
        let thing = rest[1..].iter().find(|t| !t.is_in(BEFORE_THING));
        // `CREATE (n)`, `CREATE p = (n)`
        let pattern = thing == Some(&Token::Mark('(')) || rest.get(2) == Some(&Token::Mark('='));
        let own = thing.is_some_and(|t| t.is_in(THINGS)) || first.is("CREATE") && pattern;
        if !own {
            return Err(format!("{} is for graphs, indexes and constraints only", shown(*first)));
        }
    }
    for i in 0..rest.len() {
        word(rest, i)?;
    }
    Ok(())
}

fn word(tokens: &[Token], i: usize) -> Result<(), Refusal> {
    let before = if i > 0 { tokens[i - 1] } else { Token::Mark(' ') };
    let behind = tokens.get(i + 1).copied().unwrap_or(Token::Mark(' '));
    let token = tokens[i];
    if before == Token::Mark('.') {
        return Ok(());
    }
    // Labels and types may be called anything.
    let is_clause = !matches!(before, Token::Mark(':' | '|' | '&' | '!'));
    if is_clause {
        clause(tokens, i, before, behind)?;
    }
    if token.name().is_some() && !before.is("CALL") {
        let name = dotted(&tokens[i..]);
        let called = 2 * name.matches('.').count() + 1;
        let is_call = name.contains('.') && tokens.get(i + called) == Some(&Token::Mark('('));
        if is_call && !FUNCTIONS.split(' ').any(|f| name.starts_with(f)) {
            return Err(format!("the function '{name}' is not called"));
        }
    }
    Ok(())
}

fn clause(tokens: &[Token], i: usize, before: Token, behind: Token) -> Result<(), Refusal> {
    let token = tokens[i];
    if token.is("LOAD") && behind.name().is_some() || token.is("CSV") && before.is("FROM") {
        return Err("no files are read".into());
    }
    if token.is("USE") && behind.name().is_some() {
        return Err("only the session's own graph is used".into());
    }
    if token.is("CALL") && behind.name().is_some() {
        let name = dotted(&tokens[i + 1..]);
        if !PROCEDURES.split(' ').any(|p| if p.ends_with('.') { name.starts_with(p) } else { name == p }) {
            return Err(format!("the procedure '{name}' is not called"));
        }
    }
    Ok(())
}

/// Names with points between them, in small letters.
fn dotted(tokens: &[Token]) -> String {
    let mut name = String::new();
    for (i, token) in tokens.iter().enumerate() {
        match (i % 2, token) {
            (0, Token::Word(part) | Token::Name(part)) => name.push_str(&part.to_lowercase()),
            (1, Token::Mark('.')) => name.push('.'),
            _ => break,
        }
    }
    name.trim_end_matches('.').to_string()
}

/// `EXPLAIN`, `PROFILE`, and `CYPHER` with its options.
fn behind_options<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let mut rest = tokens;
    loop {
        match rest {
            [first, ..] if first.is_one_of(&["EXPLAIN", "PROFILE", "CYPHER"]) => rest = &rest[1..],
            [Token::Word(_), Token::Mark('='), Token::Word(_) | Token::Number(_), ..] => rest = &rest[3..],
            // `CYPHER 25`
            [Token::Number(_), ..] => rest = &rest[1..],
            _ => return rest,
        }
    }
}

// ---------------------------------------------------------------- Gremlin

const GREMLIN: Lexis = Lexis {
    text: "'",
    name: "",
    escapes: (true, false),
    prefixes: false,
    dollars: false,
    line_comment: |_| false,
    // Closures, texts with code in them, regular expressions, assignments, operators.
    refused: "\\\"`{}$/;=@#<>&|^~%*?!",
};

/// All words that a script may have. Each step works on the graph; none takes a text that is run.
const STEPS: &str = "\
    g __ P TextP T Order Scope Column Pop Direction Cardinality Vertex Edge class graph createIndex \
    dropIndex V E addV addE property properties propertyMap valueMap elementMap values has hasLabel \
    hasId hasKey hasValue hasNot not and or where filter is out in both outE inE bothE outV inV bothV \
    otherV as from to select by order asc desc shuffle dedup count sum min max mean fold unfold group \
    groupCount limit skip range tail sample coin repeat times emit until union coalesce choose option \
    optional constant inject identity id label key value path simplePath cyclicPath project match \
    aggregate store cap local map flatMap drop eq neq lt lte gt gte inside outside between within \
    without startingWith endingWith containing notStartingWith notEndingWith notContaining negate \
    iterate toList next explain toString barrier index with none true false null Double NaN \
    POSITIVE_INFINITY NEGATIVE_INFINITY java sql Timestamp valueOf keys single list set first last all \
    mixed incr decr global";

/// Why the script is not run. Nothing when it is one traversal, or one index.
pub fn gremlin(text: &str) -> Option<Refusal> {
    gremlin_examined(text).err()
}

fn gremlin_examined(text: &str) -> Result<(), Refusal> {
    // Groovy replaces the first before it reads anything, and takes the other for another kind of literal.
    if text.contains("\\u") || text.contains("'''") {
        return Err("a literal is written in a way that has several readings".into());
    }
    if text.contains("/*") {
        return Err("comments are not read".into());
    }
    let tokens = statement(text, &GREMLIN)?;
    let Some(first) = tokens.first() else { return Ok(()) };
    if !matches!(first, Token::Word("g" | "graph")) || tokens.get(1) != Some(&Token::Mark('.')) {
        return Err("a script begins with 'g.'".into());
    }
    if *first == Token::Word("graph") && !matches!(tokens.get(2), Some(Token::Word("createIndex" | "dropIndex"))) {
        return Err("of the graph itself only indexes are made and dropped".into());
    }
    for token in &tokens {
        match token {
            // `1L`, `2d`
            Token::Word(word) if word.starts_with(|c: char| c.is_ascii_digit()) => {}
            Token::Word(word) if !STEPS.split(' ').any(|s| s == *word) => {
                return Err(format!("the word '{word}' is not known here"));
            }
            Token::Mark(mark) if !".,()[]:-+".contains(*mark) => return Err(format!("'{mark}' is not read here")),
            _ => {}
        }
    }
    // `java.sql.Timestamp.valueOf` is the one class that is reached by its full name.
    let names: Vec<&str> = tokens.iter().map(|t| if let Token::Word(w) = t { w } else { "" }).collect();
    let reached = |i: usize| names.get(i + 2) == Some(&"sql") && names.get(i + 4) == Some(&"Timestamp");
    if names.iter().enumerate().any(|(i, name)| *name == "java" && !reached(i)) {
        return Err("classes are not reached by their names".into());
    }
    Ok(())
}
