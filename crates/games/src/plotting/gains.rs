//! Small numbers, eight in a word, byte by byte: what each of a row of shots gains, and the best shots of several rows.

/// A 1 in each byte.
pub(super) const ONES: u64 = 0x0101_0101_0101_0101;

/// What each further shot adds, if the curve may not rise above the limit. The first counts as much as the second, which
/// may be larger by what is recoloured; so the largest come first.
#[inline(always)]
pub(super) fn steps(curve: u64, limit: u32) -> u64 {
    let curve = smaller(curve, u64::from(limit) * ONES);
    let steps = curve - (curve << 8);
    let (first, second) = (steps & 0xff, (steps >> 8) & 0xff);
    steps + second.saturating_sub(first)
}

/// Byte by byte; bytes are below 128.
#[inline(always)]
fn larger(a: u64, b: u64) -> u64 {
    let wins = (((a | (0x80 * ONES)) - b) >> 7) & ONES;
    let mask = wins * 0xff;
    (a & mask) | (b & !mask)
}

#[inline(always)]
pub(super) fn smaller(a: u64, b: u64) -> u64 {
    a ^ b ^ larger(a, b)
}

/// How many shots gain at least 1, 2, … 8, of all colours together, byte by byte. What larger gains have above 8 counts
/// as had in any case.
#[derive(Clone, Copy, Default)]
pub(super) struct Gains {
    at_least: u64,
    beyond: u32,
}

impl Gains {
    /// Adds the bytes of a word, of which the largest come first, and gives the first of them.
    #[inline(always)]
    pub(super) fn add(&mut self, steps: u64) -> u32 {
        if steps & (0x78 * ONES) != 0 {
            return self.add_large(steps);
        }
        let at_least = |index: u32| AT_LEAST[(steps >> (8 * index)) as usize & 7];
        self.at_least += at_least(0) + at_least(1) + at_least(2) + at_least(3);
        if steps >> 32 != 0 {
            self.at_least += at_least(4) + at_least(5) + at_least(6) + at_least(7);
        }
        (steps & 7) as u32
    }

    #[cold]
    fn add_large(&mut self, steps: u64) -> u32 {
        for gain in steps.to_le_bytes() {
            self.at_least += AT_LEAST[usize::from(gain.min(8))];
            self.beyond += u32::from(gain.saturating_sub(8));
        }
        (steps & 0x7f) as u32
    }

    /// Takes away a gain that was added.
    #[inline(always)]
    pub(super) fn remove(&mut self, gain: u32) {
        self.at_least -= AT_LEAST[gain.min(8) as usize];
        self.beyond -= gain.saturating_sub(8);
    }

    /// The sum of the largest.
    #[inline(always)]
    pub(super) fn best(&self, shots: u32) -> u32 {
        let had = smaller(self.at_least, u64::from(shots.min(0x7f)) * ONES);
        (had.wrapping_mul(ONES) >> 56) as u32 + self.beyond
    }
}

/// For a gain: a 1 in as many bytes.
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
    fn best_gains_come_first() {
        let mut gains = Gains::default();
        assert_eq!(gains.add(steps(0x0c0c_0c0c_0c0c_0904, 11)), 5);
        assert_eq!(gains.add(0x09), 9);
        let best: Vec<u32> = (0..5).map(|shots| gains.best(shots)).collect();
        // The one block that a gain of 9 has above 8 counts in any case.
        assert_eq!(best, [1, 9, 14, 19, 21]);
        gains.remove(9);
        assert_eq!(gains.best(2), 10);
    }
}
