//! Gains of shots: small numbers, eight bytes in a word, and the sum of the largest gains over
//! several colours.

/// A 1 in each byte.
pub(super) const ONES: u64 = 0x0101_0101_0101_0101;

/// What each further shot adds to a curve that is cut off at `limit`. The first shot counts as much
/// as the second, which may be larger by a recoloured block. So the largest increments come first.
#[inline(always)]
pub(super) fn increments(curve: u64, limit: u32) -> u64 {
    let curve = min_bytes(curve, u64::from(limit) * ONES);
    let increments = curve - (curve << 8);
    let (first, second) = (increments & 0xff, (increments >> 8) & 0xff);
    increments + second.saturating_sub(first)
}

/// Maximum of each byte; bytes are below 128.
#[inline(always)]
fn max_bytes(a: u64, b: u64) -> u64 {
    let a_is_larger = (((a | (0x80 * ONES)) - b) >> 7) & ONES;
    let mask = a_is_larger * 0xff;
    (a & mask) | (b & !mask)
}

/// Minimum of each byte; bytes are below 128.
#[inline(always)]
pub(super) fn min_bytes(a: u64, b: u64) -> u64 {
    a ^ b ^ max_bytes(a, b)
}

/// A multiset of gains, of all colours together.
#[derive(Clone, Copy, Default)]
pub(super) struct Gains {
    /// Byte i - 1 is the number of gains that are at least i, for i = 1, 2, … 8.
    at_least: u64,
    /// The sum of what gains have above 8. It always counts in full.
    above_eight: u32,
}

impl Gains {
    /// Adds the bytes of a word, which are sorted, largest first.
    #[inline(always)]
    pub(super) fn add(&mut self, increments: u64) {
        if increments & (0x78 * ONES) != 0 {
            self.add_large(increments);
            return;
        }
        let at_least = |index: u32| AT_LEAST[(increments >> (8 * index)) as usize & 7];
        self.at_least += at_least(0) + at_least(1) + at_least(2) + at_least(3);
        if increments >> 32 != 0 {
            self.at_least += at_least(4) + at_least(5) + at_least(6) + at_least(7);
        }
    }

    #[cold]
    fn add_large(&mut self, increments: u64) {
        for gain in increments.to_le_bytes() {
            self.at_least += AT_LEAST[usize::from(gain.min(8))];
            self.above_eight += u32::from(gain.saturating_sub(8));
        }
    }

    /// The sum of the `shots` largest gains.
    #[inline(always)]
    pub(super) fn best(&self, shots: u32) -> u32 {
        let counted = min_bytes(self.at_least, u64::from(shots.min(0x7f)) * ONES);
        // The highest byte of the product is the sum of all bytes.
        (counted.wrapping_mul(ONES) >> 56) as u32 + self.above_eight
    }
}

/// For a gain of n: a 1 in each of the lowest n bytes.
const AT_LEAST: [u64; 9] = [
    0,
    0x01,
    0x0101,
    0x01_0101,
    0x0101_0101,
    0x01_0101_0101,
    0x0101_0101_0101,
    0x01_0101_0101_0101,
    ONES,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_is_the_sum_of_the_largest_gains() {
        let mut gains = Gains::default();
        gains.add(increments(0x0c0c_0c0c_0c0c_0904, 11));
        assert_eq!(gains.best(1), 5);
        gains.add(0x09);
        let best: Vec<u32> = (0..5).map(|shots| gains.best(shots)).collect();
        // The 1 that a gain of 9 has above 8 always counts.
        assert_eq!(best, [1, 9, 14, 19, 21]);
    }
}
