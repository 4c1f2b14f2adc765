//! Random numbers that mean the same for ever: xoshiro256** (Blackman, Vigna 2018) seeded by SplitMix64, with sampling
//! of our own, so that no release of a library can change what a seed stands for.

#[derive(Clone, Debug)]
pub struct Rng {
    s: [u64; 4],
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut x = seed;
        Rng { s: std::array::from_fn(|_| split_mix(&mut x)) }
    }

    /// An independent stream for part `n` of a campaign (a worker, a database).
    pub fn stream(seed: u64, n: u64) -> Rng {
        let mut x = seed ^ n.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mixed = split_mix(&mut x);
        Rng::new(mixed ^ n.rotate_left(32))
    }

    #[inline]
    pub fn draw(&mut self) -> u64 {
        let result = self.s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = self.s[1] << 17;
        self.s[2] ^= self.s[0];
        self.s[3] ^= self.s[1];
        self.s[1] ^= self.s[2];
        self.s[0] ^= self.s[3];
        self.s[2] ^= t;
        self.s[3] = self.s[3].rotate_left(45);
        result
    }

    /// Below `n` (which is at least 1). The bias of multiply-shift is under 2^-32 for the small ranges used here.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.draw()) * n as u128) >> 64) as usize
    }

    /// From `low` to `high`, both included.
    #[inline]
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True `numerator` times in `denominator`.
    #[inline]
    pub fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.below(denominator as usize) < numerator as usize
    }

    #[inline]
    pub fn coin(&mut self) -> bool {
        self.draw() >> 63 == 1
    }

    #[inline]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// An index drawn by weight; the weights do not all vanish.
    #[inline]
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u32 = weights.iter().sum();
        let mut at = self.below(total as usize) as u32;
        for (i, w) in weights.iter().enumerate() {
            if at < *w {
                return i;
            }
            at -= w;
        }
        unreachable!("the draw is below the sum of the weights")
    }

    /// One of these, each drawn by the weight beside it; the weights do not all vanish.
    #[inline]
    pub fn pick_weighted<'a, T, const N: usize>(&mut self, choices: &'a [(u32, T); N]) -> &'a T {
        &choices[self.weighted(&choices.each_ref().map(|(weight, _)| *weight))].1
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

fn split_mix(x: &mut u64) -> u64 {
    *x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *x;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..4).map(|_| rng.draw()).collect();
        insta::assert_debug_snapshot!(first);
    }

    #[test]
    fn streams_differ() {
        assert_ne!(Rng::stream(1, 0).draw(), Rng::stream(1, 1).draw());
        assert_ne!(Rng::stream(1, 1).draw(), Rng::stream(2, 1).draw());
    }

    #[test]
    fn weights_are_kept() {
        let mut rng = Rng::new(7);
        let mut seen = [0usize; 3];
        (0..4000).for_each(|_| seen[rng.weighted(&[1, 0, 3])] += 1);
        assert_eq!(seen[1], 0);
        assert!(seen[2] > 2 * seen[0]);
    }
}
