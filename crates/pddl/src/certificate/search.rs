//! The states that a certificate lists: all that can be reached with less than the claimed cost and
//! whose estimate does not already prove the claim. This is A* without its order: uniform-cost
//! search that drops a state if the cost so far and the estimate are at least the claimed cost. Both
//! list the same states, and here each state is seen once, with its least cost.
//!
//! It shares no code with the searches of the project and uses the task itself, not its compact
//! form, because that is what the certificate is about.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ployglot_base::{Poll, Space};
use rustc_hash::FxHashMap;

use super::encode::Encoding;
use super::{CannotCertify, Claim};
use crate::task::{OperatorId, State};

/// What an estimate says of a state with the cost so far.
pub enum Verdict {
    /// The claim does not follow: the state must be listed.
    Open,
    /// Every plan through the state costs at least as much as is claimed. The number is for the
    /// estimate.
    Dropped(u32),
}

/// The states found, in the order of their costs.
#[derive(Default)]
pub struct Explored {
    pub states: Vec<State>,
    pub costs: Vec<u64>,
    /// For each state, `None` if it was expanded, or the estimate's number.
    pub dropped: Vec<Option<u32>>,
    pub numbers: FxHashMap<State, u32>,
}

impl Explored {
    pub fn expanded(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.states.len() as u32).filter(|&at| self.dropped[at as usize].is_none())
    }
}

/// The cost of an operator as the claim counts it.
pub fn cost(encoding: &Encoding, state: &State, mv: OperatorId) -> u64 {
    match encoding.claim {
        Claim::AtLeast(_) => u64::from(encoding.task.cost(state, mv)),
        Claim::Unsolvable => 0,
    }
}

/// `judge` is asked once for each state, with the least cost so far. States that cost as much as is
/// claimed are not stored.
pub fn explore(
    encoding: &Encoding,
    mut judge: impl FnMut(&State, u64) -> Result<Verdict, CannotCertify>,
    poll: &Poll,
) -> Result<Explored, CannotCertify> {
    let task = encoding.task;
    let mut explored = Explored::default();
    let mut is_done = Vec::new();
    let mut queue = BinaryHeap::new();
    let add = |explored: &mut Explored, is_done: &mut Vec<bool>, state: State, cost: u64| {
        let (len, capacity) = (explored.states.len(), explored.states.capacity());
        // The state is stored twice, and its number and cost are small.
        let bytes = 2 * size_of::<State>() + 8 * task.words() + 64;
        poll.affords_entry(len, capacity, bytes)?;
        explored.numbers.insert(state.clone(), len as u32);
        explored.states.push(state);
        explored.costs.push(cost);
        explored.dropped.push(None);
        is_done.push(false);
        Ok::<u32, CannotCertify>(len as u32)
    };
    if encoding.bound > 0 {
        let start = add(&mut explored, &mut is_done, task.start(), 0)?;
        queue.push(Reverse((0, start)));
    }
    let mut moves = Vec::new();
    while let Some(Reverse((so_far, at))) = queue.pop() {
        poll.try_step()?;
        if std::mem::replace(&mut is_done[at as usize], true) {
            continue;
        }
        let state = explored.states[at as usize].clone();
        if let Verdict::Dropped(number) = judge(&state, so_far)? {
            explored.dropped[at as usize] = Some(number);
            continue;
        }
        if task.is_goal(&state) {
            return Err(CannotCertify::Refuted(so_far));
        }
        moves.clear();
        task.moves(&state, &mut moves);
        for &mv in &moves {
            poll.try_step()?;
            let after = task.apply(&state, mv);
            let total = so_far + cost(encoding, &state, mv);
            if total >= encoding.bound {
                continue;
            }
            let known = explored.numbers.get(&after).copied();
            let number = match known {
                Some(number) if explored.costs[number as usize] <= total => continue,
                Some(number) => {
                    explored.costs[number as usize] = total;
                    number
                }
                None => add(&mut explored, &mut is_done, after, total)?,
            };
            queue.push(Reverse((total, number)));
        }
        if let Some(limit) = task.cut_off() {
            return Err(limit.into());
        }
    }
    Ok(explored)
}
