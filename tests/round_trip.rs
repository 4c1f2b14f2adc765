//! What is printed is read back as the same tree, for every dialect of Datalog and graphs. (SQL has a reader of its own,
//! and its round trip in tests/properties.rs.) The readers here know what we print, and nothing else: they are written
//! from the languages' manuals and not from the printers, so that a printer that drops a part, forgets a bracket or
//! escapes a text wrongly fails here instead of asking an engine something else than the claim is about.

#[path = "round_trip/datalog/mod.rs"]
mod datalog;
