//! Which edges of SQLite's code were taken, in a build that says so (`./x sqlite VERSION --coverage`, which links
//! `setup/sqlite-coverage.c` in). Any other library has none of its symbols, and nothing is looked at.

use libloading::os::unix::Library;
use qualm_core::coverage::PLACES;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// The arrays of the library: whether an edge is in the list, the list, and its length. A library without locks is used
/// by one thread only, and one with locks at worst counts an edge for the wrong thread.
pub struct Edges {
    taken: &'static [AtomicU8],
    list: &'static [AtomicU32],
    count: &'static AtomicU32,
}

impl Edges {
    pub fn of(library: &Library) -> Option<Edges> {
        // Safety: the symbols are those of `setup/sqlite-coverage.c`, arrays of PLACES elements that live as long as
        // the library, which is never unloaded.
        unsafe {
            let taken = *library.get::<*const AtomicU8>(b"qualm_edge_taken\0").ok()?;
            let list = *library.get::<*const AtomicU32>(b"qualm_edge_list\0").ok()?;
            let count = *library.get::<*const AtomicU32>(b"qualm_edge_count\0").ok()?;
            Some(Edges {
                taken: std::slice::from_raw_parts(taken, PLACES),
                list: std::slice::from_raw_parts(list, PLACES),
                count: &*count,
            })
        }
    }

    /// Moves the list to the end of another one.
    pub fn take(&self, places: &mut Vec<u32>) {
        let count = self.count.swap(0, Ordering::Relaxed) as usize;
        for place in self.list.iter().take(count) {
            let place = place.load(Ordering::Relaxed);
            if let Some(taken) = self.taken.get(place as usize) {
                taken.store(0, Ordering::Relaxed);
            }
            places.push(place);
        }
    }
}
