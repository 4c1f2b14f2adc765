//! Every limit of the process layer, with its name and default in one place. Limits of what a generated query may cost
//! the engine stand beside the drivers; sizes of what is generated stand in the languages.

/// A statement that runs longer counts as a hang and its process is killed. `--timeout-ms`.
pub const STATEMENT_TIMEOUT_MS: u64 = 5_000;

/// A server has to give up a statement after so long, which is then a limit reached and no hang.
pub const SERVER_STATEMENT_MS: u64 = 2_000;

/// While a hang is reduced a statement gets this share of the time, because every successful step costs all of it.
pub const REDUCE_TIMEOUT_SHARE: u64 = 10;
pub const REDUCE_TIMEOUT_MIN_MS: u64 = 100;

/// How often a parent looks whether a statement of a child hangs.
pub const WATCH_INTERVAL_MS: u64 = 25;

/// A child that is busy but has no statement running for this many statement timeouts is stuck in our own code.
pub const STUCK_TIMEOUTS: u64 = 12;

/// Statement timeouts that a child may need to connect: a Java server without a template starts twice, and on a
/// busy machine each start takes minutes.
pub const CONNECT_TIMEOUTS: u64 = 120;

/// A case whose child, or whose server, was killed from outside is run again so often, after a pause that doubles.
pub const DISTURBED_RETRIES: u32 = 6;
pub const DISTURBED_PAUSE_MS: u64 = 20;

/// An engine that refuses at once is tried so often again; one that takes longer to refuse is not.
pub const REFUSED_RETRIES: u32 = 2;
pub const REFUSED_MS: u64 = 5_000;

/// Statements a flight recorder holds.
pub const RECORDER_BYTES: usize = 1 << 20;

/// Address space a child may take beyond what it has at its start.
pub const CHILD_MEMORY_BYTES: u64 = 2 << 30;

/// How much of a child's stderr is kept, its last words.
pub const STDERR_TAIL_BYTES: usize = 4 << 10;

/// A line longer than this from a child is a fault.
pub const LINE_BYTES: usize = 64 << 20;

/// How often a worker sends its counters.
pub const TALLY_INTERVAL_MS: u64 = 200;

/// A worker that dies so often in a row before it has begun ends the campaign.
pub const FRUITLESS_DEATHS: u32 = 5;

/// The same for one that has begun but did no check: each time another database took it down.
pub const FRUITLESS_DATABASES: u32 = 50;

/// An engine that has taken none of so many statements in a row is asked in a new process.
pub const REFUSED_IN_A_ROW: u32 = 5_000;

/// An engine that gives no fresh database for so long has gone away. One that is started anew is back by then.
pub const GONE_MS: u64 = 30_000;
/// How long a worker waits before it asks again for one.
pub const GONE_PAUSE_MS: u64 = 200;

/// Statements that workers leave out because they took one down before it could begin.
pub const AVOIDED_STATEMENTS: usize = 64;

/// With a budget in checks, a worker that was killed from outside does its checks again, so that the hunt is the same
/// with and without the kill; one that is killed so often in a row goes on with the next database instead.
pub const KILLED_REDONE: u32 = 25;

/// A worker that is killed from outside so often in a row, and never gets further, ends the campaign.
pub const KILLED_IN_A_ROW: u32 = 200;

/// How long a worker may take to end by itself when it is stopped.
pub const FAREWELL_MS: u64 = 1_000;

/// The same for a child that has a database on a server of others, which it drops first. It gives up by itself a little
/// earlier.
pub const SHARED_FAREWELL_MS: u64 = 6_000;
pub const SHARED_FAREWELL_SECONDS: u32 = 5;

/// Budget of a hunt without `--seconds` and `--checks`.
pub const HUNT_SECONDS: f64 = 60.0;

/// After the hunt, triage goes on for at most this long, and at most half the time of the hunt.
pub const GRACE_SECONDS: f64 = 60.0;

/// The same after Ctrl-C.
pub const INTERRUPT_GRACE_SECONDS: f64 = 2.0;

/// When the time for triage is over nothing new is begun; what runs then may take so much longer, and is cut off.
pub const LAST_STEP_SECONDS: f64 = 3.0;

/// A second signal so soon after the first is the same wish, sent to the process and to its group.
pub const INTERRUPT_ECHO_MS: u64 = 200;

/// Violated cases that wait for triage.
pub const QUEUE_CASES: usize = 2_000;

/// Cases that were never confirmed and are kept nevertheless; the others are counted.
pub const UNCONFIRMED_CASES: u64 = 500;

/// Bytes of sessions that wait with their cases for triage; a case beyond that waits without.
pub const SESSIONS_WAITING_BYTES: usize = 64 << 20;

/// Cases that look like a known finding and are nevertheless reduced, per finding; the others are linked as they are.
pub const LIKELY_DUPLICATES_REDUCED: u64 = 20;

/// The same for hangs, each of which costs many timeouts, and for internal errors, which are distinguished by their
/// words.
pub const LIKELY_BREAKS_REDUCED: u64 = 2;

/// Raw cases kept whole in one finding's list of duplicates; of the others only the origin is kept.
pub const DUPLICATE_CASES_STORED: u64 = 50;

/// A file that a person gives (seeds, a setup, rules, knobs, known bugs, a campaign) is read up to this length. Seeds
/// are run again for each database, so that longer ones would leave no time for questions.
pub const FILE_BYTES: u64 = 8 << 20;

/// A case whose tree is nested deeper, counted in JSON, goes without it: readers of JSON end at 128. It is then reduced
/// as text.
pub const CASE_DEPTH: usize = 100;

/// Of an error no more lines are shown, and of each line no more characters.
pub const ERROR_LINES: usize = 24;
pub const ERROR_LINE_CHARS: usize = 400;

/// Candidates the reducer may try for one case.
pub const REDUCE_ATTEMPTS: u32 = 20_000;

/// The same for a hang, where each success costs a timeout.
pub const REDUCE_HANG_ATTEMPTS: u32 = 600;

/// A crash or a hang is reduced so long before others get their turn, twice as long the next time.
pub const REDUCE_SLICE_MS: u64 = 15_000;

/// So many new cases are looked at before one goes on that waits.
pub const SUSPECTS_IN_A_ROW: u32 = 16;

/// The same for a slow answer, where each success is measured anew.
pub const REDUCE_SLOW_ATTEMPTS: u32 = 120;

/// Runs that may be spent to see what may vary in a new finding, and the same for one that breaks the engine.
pub const GENERALISE_RUNS: u32 = 240;
pub const GENERALISE_BREAKS: u32 = 120;

/// A hunt that is limited in seconds spends at most so long on each.
pub const GENERALISE_MS: u64 = 6_000;

/// Releases that a ladder tries at the same time.
pub const LADDER_RELEASES_AT_ONCE: usize = 2;

/// How often the live view is drawn, on a terminal and elsewhere.
pub const DRAW_INTERVAL_MS: u64 = 250;
pub const PLAIN_INTERVAL_MS: u64 = 5_000;
