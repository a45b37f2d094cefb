//! Beam search on bitboards: finds a plan soon, which need not be optimal.
//!
//! In each layer the `width` boards with the least bound are kept. Boards are compared by hash, so
//! a new board is, rarely, taken for one that was seen: the beam may miss a plan.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::bitboard::{BitLevel, Bitboard, Packed, Set};
use super::bitboard_bound::BitboardBound;
use super::by_key::by_key;
use super::nodes::hash;
use super::pits::Mixer;
use crate::*;

/// The boards of a plan that costs less than `below`, without the start; `None` if none is found.
pub(super) fn search<S: Set, const N: usize, const W: usize>(
    bits: &BitLevel<S>,
    bound: &mut BitboardBound<S, N>,
    start: &Bitboard<S, N>,
    width: usize,
    below: u32,
    budget: &Budget,
    effort: &mut Effort,
) -> Option<Vec<Packed<W>>> {
    let packed: Packed<W> = bits.pack(start);
    let mut seen: HashSet<u64, BuildHasherDefault<Mixer>> = HashSet::default();
    seen.insert(hash(&packed));
    // The boards of each layer, with the index of their parent in the layer before.
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
            let moves = bound.successors(&bits.unpack(packed), g, below - 1, |after, h| {
                if g.saturating_add(h) >= below {
                    return;
                }
                let packed = bits.pack(after);
                if seen.insert(hash(&packed)) {
                    if bits.blocks(after) == S::EMPTY {
                        goal = Some((packed, number as u32));
                    }
                    next.push((h, packed, number as u32));
                }
            });
            effort.expanded += 1;
            effort.generated += moves;
        }
        if let Some((packed, mut number)) = goal {
            let mut path = vec![packed];
            for layer in layers[1..].iter().rev() {
                let (packed, parent) = layer[number as usize];
                path.push(packed);
                number = parent;
            }
            path.reverse();
            return Some(path);
        }
        if next.is_empty() {
            return None;
        }
        let mut best = by_key(next.iter().map(|&(h, _, _)| h));
        best.truncate(width);
        let layer = best.into_iter().map(|(_, at)| {
            let (_, packed, parent) = next[at as usize];
            (packed, parent)
        });
        layers.push(layer.collect());
    }
}
