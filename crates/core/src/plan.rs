//! A query plan as every engine's plan is read: operators with the relation and index they touch, as a tree in
//! preorder.

use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Plan {
    pub nodes: Vec<PlanNode>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanNode {
    pub depth: u16,
    /// The engine's own words for the step, without names that change from case to case.
    pub operator: String,
    /// The table, view or other named thing that the step reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The index that it reads it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
}

/// What shape means: where a step stands, what it is, and whether it uses an index; not the names, which differ from
/// case to case.
impl Hash for PlanNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.depth.hash(state);
        self.operator.hash(state);
        self.index.is_some().hash(state);
    }
}

impl PlanNode {
    pub fn new(depth: u16, operator: impl Into<String>) -> PlanNode {
        PlanNode { depth, operator: operator.into(), relation: None, index: None }
    }
}

impl Plan {
    /// Equal for plans of the same shape. FNV-1a over the nodes, so that it means the same in every build.
    pub fn shape(&self) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Plan shapes seen, in memory that does not grow: one bit a shape, at a place that its hash says. Two shapes that fall
/// on one place count as one; with 2^26 places and a million shapes that happens to fewer than one in sixty.
pub struct PlanSet {
    bits: Vec<u64>,
    len: usize,
}

const PLACES: u64 = 1 << 26;

impl Default for PlanSet {
    fn default() -> PlanSet {
        PlanSet { bits: vec![0; (PLACES / 64) as usize], len: 0 }
    }
}

impl PlanSet {
    /// Says whether it is the first of its shape.
    pub fn insert(&mut self, shape: u64) -> bool {
        let place = (shape ^ shape >> 32) % PLACES;
        let (word, bit) = ((place / 64) as usize, 1 << (place % 64));
        let first = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        self.len += usize::from(first);
        first
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

pub struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
