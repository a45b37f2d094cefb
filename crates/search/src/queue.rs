//! A priority queue for small whole numbers: a stack for each pair of keys. The least first key comes out first; among
//! those the least second key; among those the last that went in. So the order is a rule, and both push and pop are a few
//! instructions.
//!
//! Keys beyond a few thousand, which spaces with large costs have, go to an ordered map instead.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Queue {
    /// The least first key that was pushed first; near keys count from here.
    base: Option<u32>,
    levels: Vec<Level>,
    /// No level before this one has items.
    low: usize,
    far: BTreeMap<(u32, u32), Vec<u32>>,
    len: usize,
}

#[derive(Default)]
struct Level {
    stacks: Vec<Vec<u32>>,
    /// No stack before this one has items.
    low: usize,
    len: usize,
}

const NEAR: usize = 1 << 12;

impl Queue {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn push(&mut self, first: u32, second: u32, item: u32) {
        self.len += 1;
        let base = *self.base.get_or_insert(first);
        let level = first.wrapping_sub(base) as usize;
        let stack = second as usize;
        if level >= NEAR || stack >= NEAR {
            self.far.entry((first, second)).or_default().push(item);
            return;
        }
        if level >= self.levels.len() {
            self.levels.resize_with(level + 1, Level::default);
        }
        self.low = self.low.min(level);
        let level = &mut self.levels[level];
        if stack >= level.stacks.len() {
            level.stacks.resize_with(stack + 1, Vec::new);
        }
        if level.len == 0 || stack < level.low {
            level.low = stack;
        }
        level.len += 1;
        level.stacks[stack].push(item);
    }

    /// The least keys in the queue.
    pub fn least(&mut self) -> Option<(u32, u32)> {
        let near = self.least_near();
        let far = self.far.first_key_value().map(|(&keys, _)| keys);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

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
        let level = &mut self.levels[self.low];
        level.len -= 1;
        let item = level.stacks[level.low]
            .pop()
            .expect("this stack has the least keys");
        Some((first, second, item))
    }

    /// Every item with its keys, in the order in which they would come out.
    pub fn into_items(mut self) -> impl Iterator<Item = (u32, u32, u32)> {
        std::iter::from_fn(move || self.pop())
    }

    fn least_near(&mut self) -> Option<(u32, u32)> {
        while let Some(level) = self.levels.get_mut(self.low) {
            if level.len > 0 {
                while level.stacks[level.low].is_empty() {
                    level.low += 1;
                }
                let base = self.base.expect("something was pushed");
                return Some((base + self.low as u32, level.low as u32));
            }
            // Seldom needed again; its memory is worth more to others.
            level.stacks = Vec::new();
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
    fn items_come_out_by_their_keys_and_last_in_first_out() {
        let mut random = Random::new(1);
        for spread in [3, 50, 20_000] {
            let mut queue = Queue::default();
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
