//! The arguments of fleets, and what a campaign's address looks like.

use crate::outputs::Machines;
use clap::{Args, Subcommand};
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_engines::url::{Url, shown};
use std::fmt;
use std::path::{Path, PathBuf};

/// What a server wants to see, and by what it is known.
#[derive(Args, Clone, Debug, Default)]
pub struct Access {
    /// For a fleet: file with NATS credentials
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub creds: Option<PathBuf>,
    /// For a fleet: use TLS, and trust certificates signed by the CA in this file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub tls_ca: Option<PathBuf>,
}

#[derive(Args, Clone, Debug, Default)]
pub struct Server {
    /// Share the work with other machines through NATS servers, for instance nats://HOST:4222; separate several by
    /// commas
    #[arg(long, value_name = "URL")]
    pub fleet: Option<String>,
    #[command(flatten)]
    pub access: Access,
}

/// `qualm worker --fleet URL --campaign NAME`; without arguments it is a child of another qualm.
#[derive(Args, Clone, Debug)]
pub struct Join {
    #[command(flatten)]
    pub server: Server,
    /// The campaign to join
    #[arg(long, value_name = "NAME", requires = "fleet")]
    pub campaign: Option<String>,
    /// Engine that this machine may run, with its password if it needs one; the campaign's engine must be among them.
    /// May be given more than once
    #[arg(long, value_name = "ENGINE", requires = "fleet")]
    pub allow_engine: Vec<String>,
    /// Number of worker processes; one per core by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), requires = "fleet")]
    pub workers: Option<u16>,
    /// Also keep what this machine found in a folder; must be new or empty
    #[arg(long, value_name = "DIR", requires = "fleet")]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
pub struct Fleet {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Subcommand)]
pub enum What {
    /// Show the progress of a campaign and the machines that take part
    Status {
        #[command(flatten)]
        named: Named,
        /// Print one JSON object on stdout
        #[arg(long)]
        json: bool,
    },
    /// Stop a campaign; its findings are kept
    Stop(Named),
    /// Write the page of 'qualm report' for a campaign
    Report {
        #[command(flatten)]
        named: Named,
        /// The page, one self-contained HTML file; - is standard output
        #[arg(long, short, value_name = "FILE", default_value = crate::outputs::PAGE_FILE)]
        out: PathBuf,
        #[command(flatten)]
        machines: Machines,
    },
    /// Delete a campaign with all its findings
    Remove(Named),
    /// Load-test a server with workers that run no engine
    Bench {
        #[command(flatten)]
        server: Server,
        /// Number of workers, each with its own connection
        #[arg(long, value_name = "N", default_value_t = 200)]
        workers: u16,
        /// Leases of the campaign
        #[arg(long, value_name = "N", default_value_t = 1000)]
        leases: u32,
        /// Number of distinct bugs to be found
        #[arg(long, value_name = "N", default_value_t = 50)]
        bugs: u32,
    },
    /// Measure the cost of a fleet: two members with one worker each against one hunt with two workers
    Compare(Compare),
}

#[derive(Args, Clone, Debug)]
pub struct Compare {
    /// Engine to test
    #[arg(value_name = "ENGINE")]
    pub engine: String,
    #[command(flatten)]
    pub server: Server,
    /// Checks of each hunt
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub checks: u64,
    /// Number of rounds, each with one hunt of both kinds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Process id of the server, if it runs on this machine: its CPU time is counted too
    #[arg(long, value_name = "PID")]
    pub server_pid: Option<u32>,
    /// More arguments for 'qualm hunt'
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub more: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct Named {
    /// The campaign
    #[arg(value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub server: Server,
}

impl Named {
    /// The server of `--fleet`, or the one that the name comes with.
    pub fn address(&self) -> Result<Address, Fault> {
        match &self.server.fleet {
            Some(url) => Address::of(url, &self.name),
            None => Address::parse(&self.name),
        }
    }
}

/// Where a campaign is: `nats://HOST:4222,HOST2:4222/NAME`.
#[derive(Clone, PartialEq)]
pub struct Address {
    /// Whole URLs, perhaps with passwords.
    pub servers: Vec<String>,
    pub name: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

const SCHEMES: &[&str] = &["nats://", "tls://"];
const NAME_CHARS: usize = 64;

fn not_a_server(text: &str) -> Fault {
    let (text, names) = (escape::line(&shown(text)), SCHEMES.join("HOST:4222 or "));
    Fault::usage(format!("'{text}' is not the URL of a fleet server; write {names}HOST:4222"))
}

pub fn is_address(given: &Path) -> bool {
    given.to_str().is_some_and(|text| SCHEMES.iter().any(|s| text.starts_with(s)))
}

impl Address {
    pub fn of(url: &str, name: &str) -> Result<Address, Fault> {
        let scheme = SCHEMES.iter().find(|s| url.starts_with(**s)).copied().unwrap_or(SCHEMES[0]);
        let server = |part: &str| {
            let part = part.trim_end_matches('/');
            let full = if part.contains("://") { part.to_owned() } else { format!("{scheme}{part}") };
            let is_ours = SCHEMES.iter().any(|s| full.starts_with(s));
            match Url::parse(&full) {
                Ok(url) if is_ours && !url.host.is_empty() && url.path.is_empty() => Ok(full),
                _ => Err(not_a_server(part)),
            }
        };
        let servers = url.split(',').map(server).collect::<Result<_, _>>()?;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > NAME_CHARS || !name.chars().all(fits) {
            let name = escape::line(name);
            let text =
                format!("'{name}' is not a valid campaign name; use up to {NAME_CHARS} letters, digits, - and _");
            return Err(Fault::usage(text));
        }
        Ok(Address { servers, name: name.to_owned() })
    }

    pub fn parse(text: &str) -> Result<Address, Fault> {
        let shown = escape::line(&shown(text));
        let unclear = || Fault::usage(format!("'{shown}' names no server; give --fleet URL, or nats://HOST:4222/NAME"));
        let begins = SCHEMES.iter().find(|s| text.starts_with(**s)).ok_or_else(unclear)?;
        let (servers, name) = text[begins.len()..].rsplit_once('/').ok_or_else(unclear)?;
        Address::of(&format!("{begins}{servers}"), name)
    }

    /// The first server alone, without who one is there.
    pub fn shown(&self) -> String {
        let first = self.servers.first().map(String::as_str).unwrap_or_default();
        format!("{}/{}", shown(first), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let at = Address::parse("nats://a:1,b:2/night").unwrap();
        assert_eq!(at.servers, ["nats://a:1", "nats://b:2"]);
        assert_eq!(at, Address::of("nats://a:1,nats://b:2/", "night").unwrap());
        assert_eq!(Address::of("a:1", "x").unwrap().servers, ["nats://a:1"]);
        assert_eq!(Address::parse("tls://u:p@a:1/x").unwrap().shown(), "tls://u:***@a:1/x");
        // A word before the host without a colon is a token.
        assert_eq!(Address::parse("nats://token@a:1/x").unwrap().shown(), "nats://***@a:1/x");
        for wrong in ["nats://u:hunter2@a:1", "http://u:hunter2@a/b", "nats://u:hunter2@a:1/b.c"] {
            assert!(!Address::parse(wrong).unwrap_err().text.contains("hunter2"), "{wrong}");
        }
        for wrong in ["night", "nats://a:1", "nats://a:1/", "nats://a:1/b.c", "http://a/b"] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Address::of("http://a:1", "x").unwrap_err().text.contains("nats://HOST:4222 or tls://HOST:4222"));
    }
}
