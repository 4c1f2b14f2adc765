//! Which of several ways to hunt pays: each is tried as often as its weight says, times how much it has shown of late
//! for what it cost, beside the others. Nothing here depends on time, so that a seed means the same on every machine.

/// Draws between two looks at what paid.
const DRAWS: u64 = 256;
/// How many times more, and less, than its weight alone says a way may be drawn.
const MOST: f64 = 3.0;
/// Costs of this size count as much as what was seen: no way is judged by its first draws.
const PRIOR_COST: f64 = 400.0;
/// What was seen counts half after so many looks, because what was new once is not for ever.
const FADE: f64 = 0.9;

#[derive(Clone, Debug, Default)]
struct Way {
    weight: u32,
    cost: f64,
    gain: f64,
}

/// The ways and what they gave.
#[derive(Clone, Debug, Default)]
pub struct Yields {
    ways: Vec<Way>,
    now: Vec<u32>,
    draws: u64,
}

/// Weights are multiplied by this, so that fractions of them are whole.
const UNIT: f64 = 64.0;

impl Yields {
    pub fn new(weights: &[u32]) -> Yields {
        let ways = weights.iter().map(|weight| Way { weight: *weight, ..Way::default() }).collect();
        let now = weights.iter().map(|weight| weight * UNIT as u32).collect();
        Yields { ways, now, draws: 0 }
    }

    /// By how much each way is to be drawn now.
    pub fn weights(&self) -> &[u32] {
        &self.now
    }

    /// What one draw of a way cost and gave.
    pub fn note(&mut self, way: usize, cost: f64, gain: f64) {
        self.ways[way].cost += cost;
        self.ways[way].gain += gain;
        self.draws += 1;
        if self.draws.is_multiple_of(DRAWS) {
            self.weigh();
        }
    }

    fn weigh(&mut self) {
        let (cost, gain) = self.ways.iter().fold((0.0, 0.0), |(c, g), way| (c + way.cost, g + way.gain));
        if gain <= 0.0 || cost <= 0.0 {
            return;
        }
        let usual = gain / cost;
        for (way, now) in self.ways.iter_mut().zip(&mut self.now) {
            let rate = (way.gain + usual * PRIOR_COST) / (way.cost + PRIOR_COST);
            let factor = (rate / usual).clamp(1.0 / MOST, MOST);
            *now = (f64::from(way.weight) * UNIT * factor).ceil() as u32;
            way.cost *= FADE;
            way.gain *= FADE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pays_is_drawn_more_within_bounds_and_what_has_no_weight_never() {
        let mut yields = Yields::new(&[10, 10, 0]);
        assert_eq!(yields.weights(), [640, 640, 0]);
        for _ in 0..40 * DRAWS {
            yields.note(0, 2.0, 1.0);
            yields.note(1, 2.0, 0.0);
        }
        let [rich, poor, none] = yields.weights() else { panic!("three ways") };
        assert!(*rich > 1000 && *poor < 300 && *poor >= 213 && *none == 0, "{rich} {poor} {none}");
        // When nothing pays any more, all are equal again in time.
        for _ in 0..200 * DRAWS {
            yields.note(0, 2.0, 0.001);
            yields.note(1, 2.0, 0.001);
        }
        let [a, b, _] = yields.weights() else { panic!("three ways") };
        assert!(a.abs_diff(*b) < 20, "{a} {b}");
    }

    #[test]
    fn without_any_gain_the_weights_stay() {
        let mut yields = Yields::new(&[1, 7]);
        (0..3 * DRAWS).for_each(|_| yields.note(1, 5.0, 0.0));
        assert_eq!(yields.weights(), [64, 448]);
    }
}
