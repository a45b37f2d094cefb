//! A bucket queue: a priority queue for pairs of small integer keys, with a stack for each pair.
//! The least first key is popped first; among those the least second key; among those the item that
//! was pushed last. So the order is deterministic, and push and pop take a few instructions.
//!
//! Items whose keys are larger by a few thousand, as in spaces with large costs, are kept in an
//! ordered map instead.

use std::collections::BTreeMap;

/// A priority queue of items with two keys.
#[derive(Default)]
pub struct BucketQueue {
    /// The first key of the first item; the first keys in `buckets` count from here.
    base: Option<u32>,
    buckets: Vec<Bucket>,
    /// No bucket before this one has items.
    low: usize,
    /// The items with keys that are too large for `buckets`, or a first key below `base`.
    far: BTreeMap<(u32, u32), Vec<u32>>,
    len: usize,
}

#[derive(Default)]
struct Bucket {
    stacks: Vec<Vec<u32>>,
    /// No stack before this one has items.
    low: usize,
    len: usize,
}

/// Items with a key from here on, the first key counted from `base`, are in the ordered map.
const FAR: usize = 1 << 12;

impl BucketQueue {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an item with its two keys.
    pub fn push(&mut self, first: u32, second: u32, item: u32) {
        self.len += 1;
        let base = *self.base.get_or_insert(first);
        let bucket = first.wrapping_sub(base) as usize;
        let stack = second as usize;
        if bucket >= FAR || stack >= FAR {
            self.far.entry((first, second)).or_default().push(item);
            return;
        }
        if bucket >= self.buckets.len() {
            self.buckets.resize_with(bucket + 1, Bucket::default);
        }
        self.low = self.low.min(bucket);
        let bucket = &mut self.buckets[bucket];
        if stack >= bucket.stacks.len() {
            bucket.stacks.resize_with(stack + 1, Vec::new);
        }
        if bucket.len == 0 || stack < bucket.low {
            bucket.low = stack;
        }
        bucket.len += 1;
        bucket.stacks[stack].push(item);
    }

    /// The keys of the next item.
    #[inline]
    pub fn least(&mut self) -> Option<(u32, u32)> {
        let near = self.least_near();
        let far = self.far.first_key_value().map(|(&keys, _)| keys);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Removes the next item; gives its keys and the item.
    pub fn pop(&mut self) -> Option<(u32, u32, u32)> {
        let (first, second) = self.least()?;
        self.len -= 1;
        if let Some(mut stack) = self
            .far
            .first_entry()
            .filter(|entry| *entry.key() == (first, second))
        {
            let item = stack.get_mut().pop().expect("no stack is empty here");
            if stack.get().is_empty() {
                stack.remove();
            }
            return Some((first, second, item));
        }
        let bucket = &mut self.buckets[self.low];
        bucket.len -= 1;
        let item = bucket.stacks[bucket.low]
            .pop()
            .expect("this stack has the least keys");
        Some((first, second, item))
    }

    /// All items with their keys, in the order in which `pop` would give them.
    pub fn into_items(mut self) -> impl Iterator<Item = (u32, u32, u32)> {
        std::iter::from_fn(move || self.pop())
    }

    #[inline]
    fn least_near(&mut self) -> Option<(u32, u32)> {
        while let Some(bucket) = self.buckets.get_mut(self.low) {
            if bucket.len > 0 {
                while bucket.stacks[bucket.low].is_empty() {
                    bucket.low += 1;
                }
                let base = self.base.expect("something was pushed");
                return Some((base + self.low as u32, bucket.low as u32));
            }
            // An empty bucket is seldom needed again, so its memory is freed.
            bucket.stacks = Vec::new();
            self.low += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Random;

    #[test]
    fn items_are_popped_by_their_keys_and_last_in_first_out() {
        let mut random = Random::new(1);
        for spread in [3, 50, 20_000] {
            let mut queue = BucketQueue::default();
            let mut truth: Vec<(u32, u32, u32)> = Vec::new();
            for item in 0..5000 {
                let keys = (random.below(spread) as u32, random.below(spread) as u32);
                queue.push(keys.0, keys.1, item);
                truth.push((keys.0, keys.1, item));
                if random.chance(1, 2) {
                    let least = truth.iter().map(|&(a, b, _)| (a, b)).min();
                    assert_eq!(queue.least(), least);
                    let at = truth
                        .iter()
                        .rposition(|&(a, b, _)| Some((a, b)) == least)
                        .unwrap();
                    assert_eq!(queue.pop(), Some(truth.remove(at)));
                }
            }
            assert_eq!(queue.len(), truth.len());
            truth.sort_by_key(|&(a, b, item)| (a, b, std::cmp::Reverse(item)));
            assert!(queue.into_items().eq(truth));
        }
    }
}
