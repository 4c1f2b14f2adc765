//! Counters that add up: lives to a worker, workers to a campaign, machines to a fleet.
//!
//! A struct of them is declared with `counters!` and is summed field by field, so that a counter is written once.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What can be put together with more of its kind.
pub trait AddUp {
    fn add_up(&mut self, part: &Self);
}

impl AddUp for u64 {
    fn add_up(&mut self, part: &u64) {
        *self += part;
    }
}

impl AddUp for f64 {
    fn add_up(&mut self, part: &f64) {
        *self += part;
    }
}

impl AddUp for (u64, u64) {
    fn add_up(&mut self, part: &(u64, u64)) {
        *self = (self.0 + part.0, self.1 + part.1);
    }
}

impl<T: Clone> AddUp for Vec<T> {
    fn add_up(&mut self, part: &Vec<T>) {
        self.extend_from_slice(part);
    }
}

impl<T: Clone + Ord> AddUp for BTreeSet<T> {
    fn add_up(&mut self, part: &BTreeSet<T>) {
        self.extend(part.iter().cloned());
    }
}

impl<V: AddUp + Clone> AddUp for BTreeMap<String, V> {
    fn add_up(&mut self, part: &BTreeMap<String, V>) {
        for (name, more) in part {
            match self.get_mut(name) {
                Some(sum) => sum.add_up(more),
                None => drop(self.insert(name.clone(), more.clone())),
            }
        }
    }
}

/// The highest that any part had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Peak(pub u64);

impl AddUp for Peak {
    fn add_up(&mut self, part: &Peak) {
        self.0 = self.0.max(part.0);
    }
}

/// What was said last, if anything was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Latest(pub String);

impl AddUp for Latest {
    fn add_up(&mut self, part: &Latest) {
        if !part.0.is_empty() {
            self.0.clone_from(&part.0);
        }
    }
}

/// How often something was met, and the line where it was met first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetAt(pub u64, pub usize);

impl AddUp for MetAt {
    fn add_up(&mut self, part: &MetAt) {
        *self = MetAt(self.0 + part.0, self.1.min(part.1));
    }
}

/// Declares a struct, and that its parts add up field by field.
#[macro_export]
macro_rules! counters {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$note:meta])* $see:vis $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        pub struct $name { $($(#[$note])* $see $field: $kind,)* }

        impl $crate::counters::AddUp for $name {
            fn add_up(&mut self, part: &$name) {
                $($crate::counters::AddUp::add_up(&mut self.$field, &part.$field);)*
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    counters! {
        #[derive(Default, Debug, PartialEq)]
        pub struct Trip {
            pub miles: u64,
            stops: BTreeMap<String, (u64, u64)>,
            top_speed: Peak,
            driver: Latest,
        }
    }

    fn trip(miles: u64, stop: &str, top_speed: u64, driver: &str) -> Trip {
        let stops = BTreeMap::from([(stop.to_owned(), (1, miles))]);
        Trip { miles, stops, top_speed: Peak(top_speed), driver: Latest(driver.into()) }
    }

    #[test]
    fn every_field_is_added_in_its_own_way() {
        let mut sum = Trip::default();
        [trip(1, "a", 9, "x"), trip(2, "b", 7, "y"), trip(4, "a", 8, "")].iter().for_each(|part| sum.add_up(part));
        let stops = BTreeMap::from([("a".to_owned(), (2, 5)), ("b".to_owned(), (1, 2))]);
        assert_eq!(sum, Trip { miles: 7, stops, top_speed: Peak(9), driver: Latest("y".into()) });
    }
}
