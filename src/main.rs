//! The binary: arguments in, exit code out. All of the tool is in the library.

use qualm::cli;
use qualm::console;
use qualm::fault::EXIT_OWN_FAULT;
use qualm::process::PANIC_WORDS;
use qualm::usage;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match cli::arguments().and_then(usage::parse) {
        Ok(cli) => cli,
        Err(fault) => return finish(Err(fault)),
    };
    let default_hook = std::panic::take_hook();
    let child = cli.is_child();
    std::panic::set_hook(Box::new(move |panic| {
        default_hook(panic);
        // Last, so that a parent that keeps only the end of stderr has it.
        console::err(format_args!(
            "{PANIC_WORDS}{panic}\nthis is a bug in qualm; please report it with the lines above and the \
             command you ran\n"
        ));
    }));
    if child {
        // A parent distinguishes a child's panic from the engine's doing by the exit code of panics, so it is left
        // alone.
        return finish(cli::run(cli));
    }
    match std::panic::catch_unwind(|| cli::run(cli)) {
        Ok(result) => finish(result),
        Err(_) => ExitCode::from(EXIT_OWN_FAULT),
    }
}

fn finish(result: Result<u8, qualm::fault::Fault>) -> ExitCode {
    match result {
        Ok(code) => ExitCode::from(code),
        Err(fault) => {
            console::err(format_args!("qualm: {}\n", qualm::escape::lines(&fault.to_string())));
            ExitCode::from(fault.code)
        }
    }
}
