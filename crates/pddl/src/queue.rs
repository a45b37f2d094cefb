//! A priority queue for Dijkstra's algorithm: buckets for small costs, a heap for the others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Costs below this have a bucket.
const BUCKETS: u32 = 1 << 10;

/// Items by their cost, least first.
#[derive(Default)]
pub(crate) struct Queue {
    buckets: Vec<Vec<u32>>,
    /// No bucket before this one has items.
    at: usize,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Queue {
    /// Adds an item.
    #[inline]
    pub fn push(&mut self, cost: u32, item: u32) {
        if cost >= BUCKETS {
            return self.heap.push(Reverse((cost, item)));
        }
        let cost = cost as usize;
        if cost >= self.buckets.len() {
            self.buckets.resize(cost + 1, Vec::new());
        }
        self.buckets[cost].push(item);
        self.at = self.at.min(cost);
    }

    /// Removes an item of the least cost.
    #[inline]
    pub fn pop(&mut self) -> Option<(u32, u32)> {
        while let Some(bucket) = self.buckets.get_mut(self.at) {
            if let Some(item) = bucket.pop() {
                return Some((self.at as u32, item));
            }
            self.at += 1;
        }
        self.heap.pop().map(|Reverse(least)| least)
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.heap.clear();
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn the_least_comes_first() {
        let mut queue = Queue::default();
        for (item, cost) in [5, 3_000, 0, 70_000, 5, 1023].into_iter().enumerate() {
            queue.push(cost, item as u32);
        }
        assert_eq!(queue.pop(), Some((0, 2)));
        assert_eq!(queue.pop(), Some((5, 4)));
        queue.push(2, 9);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [(2, 9), (5, 0), (1023, 5), (3_000, 1), (70_000, 3)]);
        queue.push(1, 1);
        queue.clear();
        assert_eq!(queue.pop(), None);
    }
}
