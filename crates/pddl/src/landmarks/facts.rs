//! For each gate of the relaxed task, the literals that are true at some time whenever the gate
//! opens.
//!
//! A conjunction has the literals of all its inputs, another gate those that all its inputs have in
//! common, and a literal has itself and those that the conditions of all its achievers have in
//! common. The greatest solution of these equations is found by a worklist (Zhu and Givan 2003). The
//! sets are sorted lists, because most are small compared to the number of literals.

use std::collections::VecDeque;

use ployglot_base::{Limit, Poll};

use crate::estimates::{Gate, RelaxedTask};

/// The literals that are true at some time whenever a gate opens.
pub(super) struct NecessaryLiterals {
    /// For each gate; `None` where it never opens.
    of: Vec<Option<Box<[u32]>>>,
}

/// All lists together have at most this many literals.
const MAX_SIZE: usize = 60_000_000;
/// The most literals that are compared.
const MAX_WORK: u64 = 3_000_000_000;

impl NecessaryLiterals {
    /// From a state, given as its packed words. `None` if that takes too much work.
    pub fn new(graph: &RelaxedTask, bits: &[u64], poll: &Poll) -> Result<Option<Self>, Limit> {
        let mut found = Self {
            of: vec![None; graph.len()],
        };
        let mut queue: VecDeque<u32> = VecDeque::new();
        let mut waiting = vec![false; graph.len()];
        for literal in graph.true_literals(bits) {
            found.of[literal.0 as usize] = Some(Box::new([literal.0]));
            queue.push_back(literal.0);
        }
        for gate in &graph.open {
            found.of[gate.0 as usize] = Some(Box::new([]));
            queue.push_back(gate.0);
        }
        let (mut size, mut work) = (queue.len(), 0u64);
        let mut union = Vec::new();
        while let Some(gate) = queue.pop_front() {
            waiting[gate as usize] = false;
            for &output in graph.conjunctions.of(gate) {
                poll.try_step()?;
                union.clear();
                let inputs = graph.inputs.of(output.0).iter();
                let complete = inputs
                    .map(|input| found.of(*input))
                    .try_for_each(|set| set.map(|set| union.extend_from_slice(set)));
                if complete.is_none() {
                    continue;
                }
                work += union.len() as u64;
                union.sort_unstable();
                union.dedup();
                found.replace(output.0, &union, &mut size, &mut waiting, &mut queue);
            }
            let own = found.of[gate as usize].clone().expect("it was reached");
            for &output in graph.others.of(gate) {
                poll.try_step()?;
                work += own.len() as u64;
                found.intersect(output.0, None, &own, &mut size, &mut waiting, &mut queue);
            }
            for &(effect, _) in graph.reaches.of(gate) {
                poll.try_step()?;
                work += own.len() as u64;
                let itself = Some(effect.0);
                found.intersect(effect.0, itself, &own, &mut size, &mut waiting, &mut queue);
            }
            if size > MAX_SIZE || work > MAX_WORK {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// The literals of a gate; `None` where it never opens.
    pub fn of(&self, gate: Gate) -> Option<&[u32]> {
        self.of[gate.0 as usize].as_deref()
    }

    /// Whether the gate can open before the literal was ever true.
    pub fn opens_without(&self, gate: Gate, literal: u32) -> bool {
        self.of(gate)
            .is_some_and(|set| set.binary_search(&literal).is_err())
    }

    /// Keeps the literals of the gate that are in the other set too; `itself` stays in any case.
    fn intersect(
        &mut self,
        gate: u32,
        itself: Option<u32>,
        other: &[u32],
        size: &mut usize,
        waiting: &mut [bool],
        queue: &mut VecDeque<u32>,
    ) {
        let mut set: Vec<u32> = match &self.of[gate as usize] {
            None => other.to_vec(),
            Some(held) if held.len() == usize::from(itself.is_some()) => return,
            Some(held) => {
                let mut rest = other.iter().peekable();
                let common = held.iter().copied().filter(|literal| {
                    while rest.next_if(|next| *next < literal).is_some() {}
                    rest.peek() == Some(&literal) || Some(*literal) == itself
                });
                common.collect()
            }
        };
        if let Some(itself) = itself
            && let Err(place) = set.binary_search(&itself)
        {
            set.insert(place, itself);
        }
        self.replace(gate, &set, size, waiting, queue);
    }

    /// Sets the list of a gate, and lets the gates that depend on it wait if it has changed.
    fn replace(
        &mut self,
        gate: u32,
        set: &[u32],
        size: &mut usize,
        waiting: &mut [bool],
        queue: &mut VecDeque<u32>,
    ) {
        let held = &mut self.of[gate as usize];
        if held.as_deref() == Some(set) {
            return;
        }
        *size = *size + set.len() - held.as_ref().map_or(0, |held| held.len());
        *held = Some(set.into());
        if !std::mem::replace(&mut waiting[gate as usize], true) {
            queue.push_back(gate);
        }
    }
}
