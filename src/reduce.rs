//! Makes a failing case small. See `Subject`.

use crate::case::Case;

/// Something that can be made smaller while it still fails: a tree of a language, or plain script text.
///
/// The reducer asks for candidates pass by pass, cheap big cuts first, and keeps one only when it is smaller in
/// `weight`, its claim is still sound (`case` gives one) and the failure is still there.
pub trait Subject: Clone {
    /// A total measure; every accepted step lowers it, so reduction ends.
    fn weight(&self) -> u64;

    /// How many passes there are; the driver runs them in order and starts over until none helps.
    fn passes(&self) -> usize;

    /// Smaller variants of this pass, the boldest first.
    fn candidates(&self, pass: usize) -> Vec<Self>;

    /// Script and claim, or nothing when this variant's claim would not be sound.
    fn case(&self) -> Option<Case>;
}
