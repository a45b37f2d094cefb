//! A finite set of integers as sorted ranges that neither touch nor overlap.

use std::fmt;

/// A finite set of integers. The default is the empty set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// Inclusive bounds, in ascending order.
    ranges: Vec<(i32, i32)>,
}

impl Domain {
    /// All integers from `low` to `high`, inclusive; empty where `low > high`.
    pub fn range(low: i32, high: i32) -> Self {
        Self::from_ranges([(low, high)])
    }

    /// 0 and 1.
    pub fn bool() -> Self {
        Self::range(0, 1)
    }

    /// A single value.
    pub fn constant(value: i32) -> Self {
        Self::range(value, value)
    }

    /// The union of inclusive ranges in any order, overlapping or not; empty ranges are dropped.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (i32, i32)>) -> Self {
        let mut sorted: Vec<_> = ranges.into_iter().filter(|(a, b)| a <= b).collect();
        sorted.sort_unstable();
        let mut ranges: Vec<(i32, i32)> = Vec::with_capacity(sorted.len());
        for (low, high) in sorted {
            match ranges.last_mut() {
                Some(last) if i64::from(low) <= i64::from(last.1) + 1 => last.1 = last.1.max(high),
                _ => ranges.push((low, high)),
            }
        }
        Self { ranges }
    }

    /// The set of the given values, in any order.
    pub fn from_values(values: impl IntoIterator<Item = i32>) -> Self {
        Self::from_ranges(values.into_iter().map(|value| (value, value)))
    }

    /// The maximal ranges of consecutive values, inclusive and in ascending order.
    pub fn ranges(&self) -> &[(i32, i32)] {
        &self.ranges
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The least value. Panics on an empty domain.
    pub fn min(&self) -> i32 {
        self.ranges[0].0
    }

    /// The largest value. Panics on an empty domain.
    pub fn max(&self) -> i32 {
        self.ranges[self.ranges.len() - 1].1
    }

    /// The largest absolute value. Panics on an empty domain.
    pub(crate) fn magnitude(&self) -> i64 {
        i64::from(self.min()).abs().max(i64::from(self.max()).abs())
    }

    /// The least and the largest product of a value of this set and one of the other. Panics on
    /// empty domains.
    pub(crate) fn product_bounds(&self, other: &Self) -> (i64, i64) {
        let ends = |d: &Self| [i64::from(d.min()), i64::from(d.max())];
        let ([a, b], [c, d]) = (ends(self), ends(other));
        let corners = [a * c, a * d, b * c, b * d];
        let fold = |f: fn(i64, i64) -> i64| corners.into_iter().fold(corners[0], f);
        (fold(i64::min), fold(i64::max))
    }

    /// The only value, if there is exactly one.
    pub fn fixed(&self) -> Option<i32> {
        match self.ranges[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// The number of values.
    pub fn len(&self) -> u64 {
        let size = |&(low, high): &(i32, i32)| (i64::from(high) - i64::from(low) + 1) as u64;
        self.ranges.iter().map(size).sum()
    }

    /// Whether the value is in the set.
    pub fn contains(&self, value: i32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= value);
        after > 0 && value <= self.ranges[after - 1].1
    }

    /// All values in ascending order.
    pub fn values(&self) -> impl Iterator<Item = i32> + '_ {
        self.ranges.iter().flat_map(|&(low, high)| low..=high)
    }

    /// The values in both sets.
    pub fn intersect(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let (mut mine, mut theirs) = (
            self.ranges.iter().peekable(),
            other.ranges.iter().peekable(),
        );
        while let (Some(&&(a, b)), Some(&&(c, d))) = (mine.peek(), theirs.peek()) {
            let (low, high) = (a.max(c), b.min(d));
            if low <= high {
                ranges.push((low, high));
            }
            if b < d {
                mine.next();
            } else {
                theirs.next();
            }
        }
        Self { ranges }
    }

    /// The values in either set.
    pub fn union(&self, other: &Self) -> Self {
        Self::from_ranges(self.ranges.iter().chain(&other.ranges).copied())
    }

    /// The values in this set that are not in the other.
    pub fn minus(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        for &(mut low, high) in &self.ranges {
            let mut done = false;
            for &(from, to) in &other.ranges {
                if to < low {
                    continue;
                }
                if from > high {
                    break;
                }
                if low < from {
                    ranges.push((low, from - 1));
                }
                if to >= high {
                    done = true;
                    break;
                }
                low = to + 1;
            }
            if !done {
                ranges.push((low, high));
            }
        }
        Self { ranges }
    }
}

/// The notation of Essence Prime without the word `int`: `1..3, 5`.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, &(low, high)) in self.ranges.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            match low == high {
                true => write!(f, "{comma}{low}")?,
                false => write!(f, "{comma}{low}..{high}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_operations_agree_with_membership() {
        let mut random = ployglot_base::Random::new(1);
        let mut any = || Domain::from_values((0..6).map(|_| random.below(12) as i32 - 3));
        for _ in 0..500 {
            let (a, b) = (any(), any());
            for v in -5..12 {
                let (x, y) = (a.contains(v), b.contains(v));
                assert_eq!(a.intersect(&b).contains(v), x && y);
                assert_eq!(a.union(&b).contains(v), x || y);
                assert_eq!(a.minus(&b).contains(v), x && !y);
            }
            assert_eq!(a.values().count() as u64, a.len());
        }
    }
}
