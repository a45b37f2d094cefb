//! Costs of the cheapest walks, in time linear in the size of the board.
//!
//! An edge costs 1 to 4, so Dijkstra's algorithm needs only five buckets (Dial, 1969).

use super::graph::{Direction, Graph, Node, UNREACHABLE};
use crate::*;

/// For each node, the cost of the cheapest walk from it to an end. A path does not end where it
/// began; so if several B pieces can be the start, we keep the two nearest ends of each node.
pub(super) struct Distances {
    near: Vec<u32>,
    /// The cell of the nearest end; empty if only the nearest distance is kept.
    near_end: Vec<u32>,
    /// The distance to the nearest end in another cell; empty if `near_end` is.
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

    /// The distance from a node for a walk that began in the cell `source` and may not end there.
    pub(super) fn of(&self, node: Node, source: u32) -> u32 {
        match self.near_end.get(node as usize) {
            Some(&end) if end == source => self.far[node as usize],
            _ => self.near[node as usize],
        }
    }
}

impl Graph {
    /// The distance of every node, given the known distances of some. Forward, walks lead from the
    /// known nodes to the others; backward, from the others to the known ones.
    pub(super) fn distances(
        &self,
        known: &[(Node, u32)],
        direction: Direction,
        budget: &Budget,
    ) -> Result<Vec<u32>, Limit> {
        let mut distance = vec![UNREACHABLE; self.nodes()];
        // An edge costs 1 to 4, so five buckets hold the open nodes. Known nodes with larger
        // distances wait in a sorted list.
        let mut buckets: [Vec<Node>; 5] = Default::default();
        let mut waiting: Vec<_> = known
            .iter()
            .filter(|&&(_, cost)| cost != UNREACHABLE)
            .collect();
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
                for (next, edge_cost) in self.edges(node, direction) {
                    let cost = now + edge_cost;
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

    /// For each node, the distances to the two nearest of many ends.
    pub(super) fn two_nearest(&self, ends: &[Node], budget: &Budget) -> Result<Distances, Limit> {
        let mut found = Distances {
            near: vec![UNREACHABLE; self.nodes()],
            near_end: vec![UNREACHABLE; self.nodes()],
            far: vec![UNREACHABLE; self.nodes()],
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
                if found.near[at] == UNREACHABLE {
                    (found.near[at], found.near_end[at]) = (now, end);
                } else if found.near_end[at] != end && found.far[at] == UNREACHABLE {
                    found.far[at] = now;
                } else {
                    continue;
                }
                for (before, edge_cost) in self.edges(node, Direction::Backward) {
                    if found.far[before as usize] == UNREACHABLE {
                        buckets[(now + edge_cost) as usize % 5].push((before, end));
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
