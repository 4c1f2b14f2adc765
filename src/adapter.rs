//! `qualm adapter check`: the conformance suite of adapters, and what it found, for the person who writes one.

use clap::{Args, Subcommand};
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_engines::external::conformance::{self, Tested};
use serde_json::json;

#[derive(Args)]
pub struct Adapter {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the conformance suite: values of all kinds, errors, limits, batches, private databases
    Check {
        /// Command that starts the adapter, as after 'exec:'
        #[arg(value_name = "COMMAND")]
        adapter: String,
        /// Print one JSON object on stdout
        #[arg(long)]
        json: bool,
    },
}

impl Adapter {
    pub fn run(self) -> Result<u8, Fault> {
        let Command::Check { adapter, json } = self.command;
        let adapter = adapter.strip_prefix("exec:").unwrap_or(&adapter);
        let results = conformance::check(adapter);
        let wrong = results.iter().filter(|t| t.result.is_err()).count();
        match json {
            true => outln!("{}", escape::json(&as_json(&results).to_string())),
            false => show(&results, wrong),
        }
        Ok(u8::from(wrong > 0))
    }
}

fn show(results: &[Tested], wrong: usize) {
    for test in results {
        match &test.result {
            Ok(said) if said.is_empty() => outln!("ok     {}", test.name),
            Ok(said) => outln!("ok     {}: {}", test.name, escape::lines(said)),
            Err(why) => outln!("WRONG  {}: {}", test.name, escape::lines(why)),
        }
    }
    match wrong {
        0 => outln!("the adapter keeps to the protocol ({} tests)", results.len()),
        _ => outln!("{wrong} of {} tests failed; the protocol is in docs/adapter.md", results.len()),
    }
}

fn as_json(results: &[Tested]) -> serde_json::Value {
    let test = |t: &Tested| match &t.result {
        Ok(said) => json!({"test": t.name, "ok": true, "said": said}),
        Err(why) => json!({"test": t.name, "ok": false, "why": why}),
    };
    json!({"tests": results.iter().map(test).collect::<Vec<_>>()})
}
