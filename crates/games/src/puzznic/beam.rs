//! A beam over bit boards: a plan soon, which need not be the best.
//!
//! Layer by layer the boards with the least bound go on. A board that was seen does not come again, nor, rarely, one with
//! the same hash: a beam may miss a plan.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::bitboard::{Bitboard, Board, Packed, Set};
use super::estimate::Estimate;
use super::nodes::hash;
use super::pits::Mixer;
use crate::*;

/// The boards of a plan that costs less than `below`, the start left out; `None` if none is found.
pub(super) fn search<S: Set, const N: usize, const W: usize>(
    board: &Bitboard<S>,
    estimate: &mut Estimate<S, N>,
    start: &Board<S, N>,
    width: usize,
    below: u32,
    budget: &Budget,
    effort: &mut Effort,
) -> Option<Vec<Packed<W>>> {
    let packed: Packed<W> = board.pack(start);
    let mut seen: HashSet<u64, BuildHasherDefault<Mixer>> = HashSet::default();
    seen.insert(hash(&packed));
    // Each layer's boards, with the number of the one before.
    let mut layers: Vec<Vec<(Packed<W>, u32)>> = vec![vec![(packed, 0)]];
    loop {
        let g = layers.len() as u32;
        let mut next: Vec<(u32, Packed<W>, u32)> = Vec::new();
        let mut goal = None;
        for (number, (packed, _)) in layers[layers.len() - 1].iter().enumerate() {
            if number.is_multiple_of(256) {
                let progress = || Progress {
                    phase: "beam",
                    depth: g,
                    expanded: effort.expanded,
                    stored: seen.len() as u64,
                    ..Progress::default()
                };
                budget.check(progress).ok()?;
            }
            let moves = estimate.successors(&board.unpack(packed), g, below - 1, |after, h| {
                if g.saturating_add(h) >= below {
                    return;
                }
                let packed = board.pack(after);
                if seen.insert(hash(&packed)) {
                    if board.blocks(after) == S::EMPTY {
                        goal = Some((packed, number as u32));
                    }
                    next.push((h, packed, number as u32));
                }
            });
            effort.expanded += 1;
            effort.generated += moves;
        }
        if let Some((packed, mut number)) = goal {
            let mut way = vec![packed];
            for layer in layers[1..].iter().rev() {
                let (packed, before) = layer[number as usize];
                way.push(packed);
                number = before;
            }
            way.reverse();
            return Some(way);
        }
        if next.is_empty() {
            return None;
        }
        next.sort_by_key(|&(h, _, _)| h);
        next.truncate(width);
        let layer = next.into_iter().map(|(_, packed, before)| (packed, before));
        layers.push(layer.collect());
    }
}
