//! Addresses of servers. They may hold a password, so that nothing that holds one can be printed by accident: `Secret`
//! and `Url` show themselves without it, `shown` does the same to an engine as the user named it, and `redacted` takes
//! it out of what a client library says.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;
use std::fmt;
use url::{Host, ParseError};

/// What stands in the place of a secret.
const HIDDEN: &str = "***";
/// Shorter secrets are not looked for in texts: they would be found everywhere.
const SOUGHT_CHARS: usize = 4;

/// A password. It can be used, not printed.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// For who logs in.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// `SCHEME://USER:PASSWORD@HOST:PORT/PATH?OPTIONS`, user, password and host percent-decoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    text: String,
    pub scheme: String,
    pub user: Option<String>,
    pub password: Option<Secret>,
    /// Without the brackets of an address of IPv6; may be empty.
    pub host: String,
    pub port: Option<u16>,
    /// What follows the first slash, percent-decoded; may be empty.
    pub path: String,
    /// What follows the question mark, as it stands.
    pub options: Option<Secret>,
}

impl Url {
    /// The reason why it is none never quotes what may be a password.
    pub fn parse(text: &str) -> Result<Url, String> {
        let (scheme, rest) = text.split_once("://").ok_or("it has no '://'")?;
        let (url, has_host) = standard(rest).map_err(|e| match e {
            ParseError::InvalidPort => "what follows the last ':' is not a port".to_owned(),
            other => other.to_string(),
        })?;
        if url.path().contains('@') {
            return Err("a '/', '?' or '#' in a password has to be written as %2F, %3F or %23".into());
        }
        let has_login = !url.username().is_empty() || url.password().is_some();
        Ok(Url {
            text: text.to_owned(),
            scheme: scheme.to_owned(),
            user: has_login.then(|| decoded(url.username())).transpose()?,
            password: url.password().map(decoded).transpose()?.map(Secret),
            host: match url.host() {
                Some(Host::Ipv6(address)) => address.to_string(),
                Some(host) if has_host => decoded(&host.to_string())?,
                _ => String::new(),
            },
            port: url.port(),
            path: decoded(url.path().strip_prefix('/').unwrap_or_default())?,
            options: url.query().map(Secret::new),
        })
    }

    /// As it was given, for a client that reads addresses itself.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// What such a client says, without what it must not say.
    pub fn redacted(&self, said: &str) -> String {
        redacted(&self.text, said)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&shown(&self.text))
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Neither is allowed in an address, and the standard drops some of them without a word.
const BLANKS: &AsciiSet = &CONTROLS.add(b' ');

/// What stands behind `://`, as the URL standard reads it, and whether there is a host in it.
///
/// The scheme is none of the Web's: `ws://host:80` would lose its port, because that is where browsers look anyway,
/// while a database has a usual port of its own.
fn standard(rest: &str) -> Result<(url::Url, bool), ParseError> {
    let rest: Cow<str> = utf8_percent_encode(rest, BLANKS).into();
    match url::Url::parse(&format!("database://{rest}")) {
        // Not in the standard, but PostgreSQL's clients take a user or a port without a host.
        Err(ParseError::EmptyHost) => {
            let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
            let (login, place) = rest.split_at(authority.rfind('@').map_or(0, |at| at + 1));
            Ok((url::Url::parse(&format!("database://{login}none{place}"))?, false))
        }
        read => Ok((read?, true)),
    }
}

/// Percent signs undone. The error says nothing of the text, which may be a password.
pub fn decoded(text: &str) -> Result<String, String> {
    let begins_with_digits = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if !text.split('%').skip(1).all(begins_with_digits) {
        return Err("a '%' is not followed by two hexadecimal digits; write it as %25".into());
    }
    let text = percent_decode_str(text).decode_utf8();
    text.map(Cow::into_owned).map_err(|_| "its percent-encoded bytes are not UTF-8".into())
}

// ---------------------------------------------------------------- texts that may hold an address

/// An engine as the user named it, or an address, without passwords. What is hidden may be too much, never too little:
/// a password with a slash or an at sign in it is hidden whole. That is why no parser is asked: a mistake in an address
/// must not be what shows the password.
pub fn shown(text: &str) -> String {
    if let Some((engine, other)) = crate::against::pair(text) {
        return crate::against::spec(&shown(engine), &shown(other));
    }
    if text.starts_with("exec:") { in_words(text) } else { shown_address(text) }
}

/// A command: each of its words may be an address, or a secret behind its name.
fn in_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut secret_follows = false;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end_matches(char::is_whitespace);
        let blank = &piece[word.len()..];
        match secret_follows && !word.is_empty() {
            true => out.push_str(HIDDEN),
            false => out.push_str(&shown_address(word)),
        }
        out.push_str(blank);
        secret_follows =
            word.starts_with('-') && !word.contains('=') && names_a_secret(word) || secret_follows && word.is_empty();
    }
    out
}

fn shown_address(text: &str) -> String {
    if let Some((scheme, rest)) = text.split_once("://") {
        return format!("{scheme}://{}", shown_rest(rest, matches!(scheme, "nats" | "tls")));
    }
    if let Some(rest) = text.strip_prefix("//") {
        return format!("//{}", shown_rest(rest, false));
    }
    // An address whose scheme was forgotten. Only `ENGINE:PATH` has a colon before an at sign and is none.
    if let Some((name, word)) = text.rsplit_once('@').and_then(|(login, _)| login.split_once(':')) {
        let is_path = super::ENGINES.iter().any(|e| e.name == name) && word.contains('/') && !word.contains(':');
        if !is_path {
            return shown_rest(text, false);
        }
    }
    hide_settings(text)
}

/// What stands behind `://`. With `tokens` a user without a password is one.
fn shown_rest(rest: &str, tokens: bool) -> String {
    let (login, place) = match rest.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, rest),
    };
    let login = login.map_or(String::new(), |login| {
        let user = login.split([':', '/', '?', '#']).next().unwrap_or_default();
        match user.len() == login.len() {
            true if tokens => format!("{HIDDEN}@"),
            true => format!("{user}@"),
            false => format!("{user}:{HIDDEN}@"),
        }
    });
    let end = place.find(['?', '#']).unwrap_or(place.len());
    let (place, options) = place.split_at(end);
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    // Who forgot the host has the password in the place of the port.
    let authority = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') && !port.bytes().all(|b| b.is_ascii_digit() || b == b',') => {
            format!("{host}:{HIDDEN}")
        }
        _ => authority.to_owned(),
    };
    format!("{login}{authority}{path}{}", hide_options(options))
}

/// Names of options stay, their values do not.
fn hide_options(options: &str) -> String {
    let Some(list) = options.strip_prefix('?') else {
        return if options.is_empty() { String::new() } else { format!("#{HIDDEN}") };
    };
    let list = list.split('#').next().unwrap_or_default();
    let hide = |option: &str| match option.split_once('=') {
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => option.to_owned(),
    };
    format!("?{}", list.split('&').map(hide).collect::<Vec<_>>().join("&"))
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api-key", "api_key"]
        .iter()
        .any(|word| name.ends_with(word))
}

/// `password=…` among other settings, as PostgreSQL's own clients take them.
fn hide_settings(text: &str) -> String {
    let hide = |piece: &str| {
        let word = piece.trim_end_matches(char::is_whitespace);
        match word.split_once('=') {
            Some((name, _)) if names_a_secret(name) => format!("{name}={HIDDEN}{}", &piece[word.len()..]),
            _ => piece.to_owned(),
        }
    };
    text.split_inclusive(char::is_whitespace).map(hide).collect()
}

/// What was said about an engine or an address, without its secrets, as they were written and as they are meant.
pub fn redacted(address: &str, said: &str) -> String {
    let mut out = said.to_owned();
    for secret in secrets(address) {
        if secret.chars().count() >= SOUGHT_CHARS {
            out = out.replace(&secret, HIDDEN);
        }
    }
    out
}

/// The longest first, so that none is left in part.
fn secrets(address: &str) -> Vec<String> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let mut raw: Vec<&str> = Vec::new();
    if let Some((login, _)) = rest.rsplit_once('@') {
        raw.extend(login.split_once(':').map(|(_, password)| password));
        // Parts of it, as a reader that stops at the first slash or at sign sees it.
        raw.extend(login.split_once(':').into_iter().flat_map(|(_, password)| password.split(['/', '@', '?', '#'])));
    }
    let options = rest.split_once('?').map_or("", |(_, options)| options);
    let pairs = options.split(['&', '#']).chain(rest.split_whitespace()).filter_map(|option| option.split_once('='));
    raw.extend(pairs.filter(|(name, _)| names_a_secret(&decoded(name).unwrap_or_default())).map(|(_, value)| value));
    let mut all: Vec<String> = raw.iter().flat_map(|r| [Some((*r).to_owned()), decoded(r).ok()]).flatten().collect();
    all.sort_by_key(|s| std::cmp::Reverse(s.len()));
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let full = Url::parse("postgres://me:p%40ss@db.example:6000/work?x=1").unwrap();
        assert_eq!((full.host.as_str(), full.port, full.path.as_str()), ("db.example", Some(6000), "work"));
        assert_eq!((full.user.as_deref(), full.password.as_ref().map(Secret::expose)), (Some("me"), Some("p@ss")));
        assert_eq!(full.options.as_ref().map(Secret::expose), Some("x=1"));
        let folder = Url::parse("postgresql://%2Fvar%2Frun:5433").unwrap();
        assert_eq!((folder.host.as_str(), folder.port, folder.user), ("/var/run", Some(5433), None));
        let six = Url::parse("bolt://:p@[::1]:7/").unwrap();
        assert_eq!((six.host.as_str(), six.port, six.user.as_deref()), ("::1", Some(7), Some("")));
        assert_eq!(Url::parse("bolt://me@h").unwrap().password, None);
        let web = Url::parse("ws://host:80").unwrap();
        assert_eq!((web.host.as_str(), web.port, web.path.as_str()), ("host", Some(80), ""));
        let odd = Url::parse("bolt://m\u{e9}:a b\t<>[@h/d b").unwrap();
        assert_eq!(odd.password.as_ref().map(Secret::expose), Some("a b\t<>["));
        assert_eq!((odd.user.as_deref(), odd.path.as_str()), (Some("m\u{e9}"), "d b"));
        for (text, port) in [("x://", None), ("x://:7", Some(7)), ("x://u:p@/d", None), ("x://u:p@:7/d", Some(7))] {
            let url = Url::parse(text).unwrap();
            assert_eq!((url.host.as_str(), url.port), ("", port), "{text}");
            assert_eq!(url.user.is_some(), text.contains('@'), "{text}");
        }
        for bad in ["h:1", "x://u:secret", "x://u:secret/db", "x://u:se/cret@h", "x://u:se%zzcret@h"] {
            let why = Url::parse(bad).unwrap_err();
            assert!(!why.contains("se"), "{bad}: {why}");
        }
    }

    #[test]
    fn no_form_of_an_address_shows_its_password() {
        for (text, made) in [
            ("mysql:mysql://me:hunter2@host:3306", "mysql:mysql://me:***@host:3306"),
            ("postgres://me:hunter2@host/db", "postgres://me:***@host/db"),
            ("postgres:postgres://me@host/db", "postgres:postgres://me@host/db"),
            ("falkordb:redis://:hunter2@h:1/0", "falkordb:redis://:***@h:1/0"),
            ("neo4j:bolt://u:hun@ter2@h", "neo4j:bolt://u:***@h"),
            ("neo4j:bolt://u:hun/ter2@h", "neo4j:bolt://u:***@h"),
            ("neo4j:bolt://u:hun ter2@h", "neo4j:bolt://u:***@h"),
            ("postgres://u:hunter2", "postgres://u:***"),
            ("postgres://u:hunter2/db", "postgres://u:***/db"),
            ("mysql:u:hunter2@h", "mysql:***@h"),
            ("u:hun/ter2@h", "u:***@h"),
            ("//u:hunter2@h/db", "//u:***@h/db"),
            ("mysql://h/?user=me&password=hunter2#hunter2", "mysql://h/?user=***&password=***"),
            ("postgres://h/d?pass%77ord=hunter2", "postgres://h/d?pass%77ord=***"),
            ("postgres:host=h password=hunter2 user=me", "postgres:host=h password=*** user=me"),
            ("nats://hunter2@h:4222", "nats://***@h:4222"),
            ("nats://u:hunter2@a:1,b:2", "nats://u:***@a:1,b:2"),
            ("exec:python3 a.py --dsn pg://u:hunter2@h", "exec:python3 a.py --dsn pg://u:***@h"),
            ("exec:a --password hunter2 --x", "exec:a --password *** --x"),
            ("exec:a --password=hunter2 TOKEN=hunter2", "exec:a --password=*** TOKEN=***"),
            ("sqlite:./x@y.so", "sqlite:./x@y.so"),
            ("sqlite:3.28.0", "sqlite:3.28.0"),
            ("clickhouse:http://[::1]:8123/", "clickhouse:http://[::1]:8123/"),
            ("sqlite", "sqlite"),
        ] {
            assert_eq!(shown(text), made, "{text}");
        }
        let url = Url::parse("bolt://u:hunter2@h").unwrap();
        assert_eq!((format!("{url}"), format!("{url:?}")), ("bolt://u:***@h".into(), "bolt://u:***@h".into()));
        assert_eq!(format!("{:?}", url.password), "Some(***)");
    }

    #[test]
    fn what_a_client_says_loses_the_password() {
        let said = "cannot log in as u with hunter2, that is hun%74er2 or 'hunter2'";
        let redacted = |address: &str| redacted(address, said);
        assert_eq!(redacted("x://u:hun%74er2@h"), "cannot log in as u with ***, that is *** or '***'");
        assert_eq!(redacted("x://h/?password=hun%74er2"), "cannot log in as u with ***, that is *** or '***'");
        assert_eq!(redacted("x://u:or@h"), said);
        assert_eq!(redacted("sqlite:3.28.0"), said);
    }
}
