//! Bugs by their fingerprints. A fingerprint of an older release of this program belongs to the bug that has a newer
//! one for it, so that a folder of many years stays one history.

use super::Making;
use std::collections::BTreeMap;

/// Bugs by product and fingerprint, while they are collected.
#[derive(Default)]
pub(super) struct Made {
    pub(super) bugs: BTreeMap<(String, String), Making>,
    /// What a fingerprint of older releases of this program became.
    pub(super) newer: BTreeMap<(String, String), String>,
}

impl Made {
    /// Findings that are known by an older fingerprint belong to the bug that has a newer one for it.
    pub(super) fn fold_older(&mut self) {
        for ((product, old), new) in &self.newer {
            if let Some(before) = self.bugs.remove(&(product.clone(), old.clone())) {
                self.bugs.entry((product.clone(), new.clone())).or_default().absorb(before);
            }
        }
    }

    pub(super) fn get_mut(&mut self, product: String, fingerprint: &str) -> Option<&mut Making> {
        let key = (product, fingerprint.to_owned());
        let now = self.newer.get(&key).filter(|_| !self.bugs.contains_key(&key)).cloned();
        let (product, fingerprint) = key;
        self.bugs.get_mut(&(product, now.unwrap_or(fingerprint)))
    }
}
