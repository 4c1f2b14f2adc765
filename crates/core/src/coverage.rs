//! Which code of an engine was reached, for engines whose build says so: how often each place was, and which
//! places are new. A place is an edge between two blocks of the engine's code; what it is for nobody here knows.

/// Numbers of places are below this.
pub const PLACES: usize = 1 << 18;

/// Places reached so far, and in how many looks each was.
pub struct Reached {
    looks: Vec<u32>,
    distinct: u64,
}

impl Default for Reached {
    fn default() -> Reached {
        Reached { looks: vec![0; PLACES], distinct: 0 }
    }
}

impl Reached {
    /// Notes the places of one look, each of which is there once. Gives those that were never reached before.
    pub fn note(&mut self, places: &[u32]) -> Vec<u32> {
        let mut new = Vec::new();
        for place in places {
            let Some(looks) = self.looks.get_mut(*place as usize) else { continue };
            if *looks == 0 {
                new.push(*place);
            }
            *looks = looks.saturating_add(1);
        }
        self.distinct += new.len() as u64;
        new
    }

    /// How rare the rarest of these places is: the number of looks that met it.
    pub fn rarest(&self, places: &[u32]) -> u32 {
        places.iter().filter_map(|place| self.looks.get(*place as usize)).copied().min().unwrap_or(0)
    }

    pub fn distinct(&self) -> u64 {
        self.distinct
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_new_once_and_rare_while_few_looks_meet_it() {
        let mut reached = Reached::default();
        assert_eq!(reached.note(&[3, 9]), [3, 9]);
        assert_eq!(reached.note(&[9, 4]), [4]);
        assert_eq!((reached.rarest(&[9, 3]), reached.rarest(&[9]), reached.rarest(&[])), (1, 2, 0));
        assert_eq!(reached.distinct(), 3);
        // A number that no build gives is left out.
        assert_eq!(reached.note(&[PLACES as u32]), [0u32; 0]);
    }
}
