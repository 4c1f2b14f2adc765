//! The engines: one small driver each, one line in the table below.
