//! How far it is: the cheapest walks, in a time that grows with the board.
//!
//! A step costs 1 to 4, so Dijkstra's algorithm gets by with five buckets (Dial, 1969).

use super::graph::{Graph, NEVER, Node, Way};
use crate::*;

/// The cost of the cheapest walk from each node to an end. A path does not end where it began; so where it may begin in
/// several ends, we keep for each node the two nearest.
pub(super) struct Distances {
    near: Vec<u32>,
    /// The cell of the nearest end, and the distance to the nearest other one; empty where one end is as good as the other.
    near_end: Vec<u32>,
    far: Vec<u32>,
}

impl Distances {
    pub(super) fn single(near: Vec<u32>) -> Self {
        Self {
            near,
            near_end: Vec::new(),
            far: Vec::new(),
        }
    }

    /// The distance for a walk that began in this cell.
    pub(super) fn of(&self, node: Node, source: u32) -> u32 {
        match self.near_end.get(node as usize) {
            Some(&end) if end == source => self.far[node as usize],
            _ => self.near[node as usize],
        }
    }
}

impl Graph {
    /// The cost of the cheapest walk between some nodes, where it is known, and every other node. Forward, the walks
    /// lead to the other nodes; backward, they come from them.
    pub(super) fn distances(
        &self,
        known: &[(Node, u32)],
        way: Way,
        budget: &Budget,
    ) -> Result<Vec<u32>, Limit> {
        let mut distance = vec![NEVER; self.nodes()];
        // A step costs 1 to 4, so five buckets hold all that is open. What is known may lie further away: it waits, sorted.
        let mut buckets: [Vec<Node>; 5] = Default::default();
        let mut waiting: Vec<_> = known.iter().filter(|&&(_, cost)| cost != NEVER).collect();
        waiting.sort_unstable_by_key(|&&(node, cost)| std::cmp::Reverse((cost, node)));
        let mut now = 0u32;
        loop {
            while let Some(&&(node, cost)) = waiting.last()
                && cost <= now
            {
                waiting.pop();
                if cost < distance[node as usize] {
                    distance[node as usize] = cost;
                    buckets[now as usize % 5].push(node);
                }
            }
            budget.check(|| Progress {
                phase: "walks",
                depth: now,
                ..Progress::default()
            })?;
            let mut bucket = std::mem::take(&mut buckets[now as usize % 5]);
            for &node in &bucket {
                if distance[node as usize] != now {
                    continue;
                }
                for (next, step) in self.steps(node, way) {
                    let cost = now + step;
                    if cost < distance[next as usize] {
                        distance[next as usize] = cost;
                        buckets[cost as usize % 5].push(next);
                    }
                }
            }
            bucket.clear();
            buckets[now as usize % 5] = bucket;
            match (buckets.iter().all(Vec::is_empty), waiting.last()) {
                (true, None) => return Ok(distance),
                (true, Some(&&(_, cost))) => now = cost,
                (false, _) => now += 1,
            }
        }
    }

    /// The distances to the two nearest of many ends.
    pub(super) fn two_nearest(&self, ends: &[Node], budget: &Budget) -> Result<Distances, Limit> {
        let mut found = Distances {
            near: vec![NEVER; self.nodes()],
            near_end: vec![NEVER; self.nodes()],
            far: vec![NEVER; self.nodes()],
        };
        let mut buckets: [Vec<(Node, u32)>; 5] = Default::default();
        buckets[0].extend(ends.iter().map(|&node| (node, node / 4)));
        let mut now = 0u32;
        while buckets.iter().any(|bucket| !bucket.is_empty()) {
            budget.check(|| Progress {
                phase: "walks",
                depth: now,
                ..Progress::default()
            })?;
            let mut bucket = std::mem::take(&mut buckets[now as usize % 5]);
            for &(node, end) in &bucket {
                let at = node as usize;
                if found.near[at] == NEVER {
                    (found.near[at], found.near_end[at]) = (now, end);
                } else if found.near_end[at] != end && found.far[at] == NEVER {
                    found.far[at] = now;
                } else {
                    continue;
                }
                for (before, step) in self.steps(node, Way::Backward) {
                    if found.far[before as usize] == NEVER {
                        buckets[(now + step) as usize % 5].push((before, end));
                    }
                }
            }
            bucket.clear();
            buckets[now as usize % 5] = bucket;
            now += 1;
        }
        Ok(found)
    }
}
