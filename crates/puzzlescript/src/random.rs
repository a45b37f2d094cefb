//! The random numbers of PuzzleScript: RC4 with the seed as its key.
//!
//! A recorded play holds the seed of its level, so the same numbers must come in the same order as
//! in the reference engine. Seven bytes of the key stream make one number.

/// A generator of random numbers, the same for the same seed.
#[derive(Clone)]
pub struct Random {
    table: [u8; 256],
    i: u8,
    j: u8,
    drawn: u64,
}

impl Random {
    /// The generator of a seed. The reference engine reads a character of the seed as its UTF-16
    /// units, high byte first where it is not zero.
    pub fn new(seed: &str) -> Self {
        let mut key = Vec::new();
        for unit in seed.encode_utf16() {
            if unit > 0xff {
                key.push((unit >> 8) as u8);
            }
            key.push(unit as u8);
        }
        let mut table = [0; 256];
        for (index, entry) in table.iter_mut().enumerate() {
            *entry = index as u8;
        }
        let mut random = Self {
            table,
            i: 0,
            j: 0,
            drawn: 0,
        };
        if !key.is_empty() {
            random.mix(&key);
        }
        random
    }

    /// The key schedule of RC4.
    fn mix(&mut self, key: &[u8]) {
        let mut j = 0u8;
        for i in 0..256 {
            j = j
                .wrapping_add(self.table[i])
                .wrapping_add(key[i % key.len()]);
            self.table.swap(i, usize::from(j));
        }
    }

    fn byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        self.j = self.j.wrapping_add(self.table[usize::from(self.i)]);
        self.table.swap(usize::from(self.i), usize::from(self.j));
        let sum = self.table[usize::from(self.i)].wrapping_add(self.table[usize::from(self.j)]);
        self.table[usize::from(sum)]
    }

    /// How many numbers were drawn.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }

    /// A number from 0 up to, but not including, `count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        // Rounding is part of the format: 56 bits are added up in a float of 53.
        let sum = (0..7).fold(0.0, |sum: f64, _| sum * 256.0 + f64::from(self.byte()));
        let fraction = sum / (256f64.powi(7) - 1.0);
        ((fraction * count as f64) as usize).min(count.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key stream of the key "Key" is a published test vector of RC4.
    #[test]
    fn the_key_stream_is_that_of_rc4() {
        let mut random = Random::new("Key");
        let stream: Vec<u8> = (0..8).map(|_| random.byte()).collect();
        assert_eq!(stream, [0xeb, 0x9f, 0x77, 0x81, 0xb7, 0x34, 0xca, 0x72]);
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = Random::new("1397237766414.352");
        let numbers: Vec<usize> = (0..1000).map(|_| random.below(4)).collect();
        assert!((0..4).all(|number| numbers.contains(&number)));
        assert!(numbers.iter().all(|&number| number < 4));
    }
}
