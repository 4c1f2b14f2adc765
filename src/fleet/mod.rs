//! A campaign of many machines, which meet in NATS with JetStream and nowhere else.
//!
//! What is kept there, all of it named after the campaign NAME:
//!
//! ```text
//! stream qualm-NAME           leases of work, each a message until it is done: `qualm.NAME.lease.N`
//! bucket qualm-NAME           config       what is hunted, how, and by which qualm
//!                             lease.N      the figures of a lease; the last word counts
//!                             finding.N    the findings in the order in which they were reported
//!                             reducing.X   who reduces what looks like X
//!                             stop         there when the campaign is to end
//! object store qualm-NAME     the files of a finding as one JSON object
//! ```
//!
//! Arguments and plain data are here and in `args.rs`, `leases.rs`; `link.rs` is the only file that knows NATS and the
//! only one with a runtime. Decision 17 says why it is like this. Without the cargo feature `fleet` the commands
//! are there and say how to get them.

pub mod args;

#[cfg(feature = "fleet")]
mod bench;
#[cfg(feature = "fleet")]
mod commands;
#[cfg(feature = "fleet")]
mod compare;
#[cfg(feature = "fleet")]
mod leases;
#[cfg(feature = "fleet")]
mod link;
#[cfg(feature = "fleet")]
mod member;
#[cfg(feature = "fleet")]
mod mirror;
#[cfg(feature = "fleet")]
mod peers;
#[cfg(feature = "fleet")]
pub use commands::{fleet, folders, hunt, is_there, worker};

#[cfg(not(feature = "fleet"))]
mod absent;
#[cfg(not(feature = "fleet"))]
pub use absent::{fleet, folders, hunt, is_there, worker};
