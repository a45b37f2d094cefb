//! Novelty with respect to an estimate (Katz, Lipovetzky, Moshkovich and Tuisov 2017): a state is
//! novel if it has a fact that no earlier state with an estimate as good as this one had.
//!
//! The rank of a state is lower the more such facts it has. Of states without one, the rank is lower
//! the fewer of its facts occurred in a state with a better estimate. So a search by ranks leaves a
//! plateau of the estimate by the states that differ from what it has seen.

use crate::task::{State, Task};

/// The facts that occurred so far, each with the least estimate of the states that have it.
pub struct Novelty {
    least: Vec<u32>,
    /// The number of words of a state that hold facts.
    words: usize,
}

impl Novelty {
    /// No state was seen so far.
    pub fn new(task: &Task) -> Self {
        Self {
            least: vec![u32::MAX; task.facts.len()],
            words: task.fact_words(),
        }
    }

    /// Forgets all states.
    pub fn forget_states(&mut self) {
        self.least.fill(u32::MAX);
    }

    /// The rank of a state with this estimate among those before it: below the number of facts of
    /// the task if the state is novel.
    pub fn rank(&mut self, state: &State, estimate: u32) -> u32 {
        let (mut better, mut worse) = (0, 0);
        for (at, &word) in state.0[..self.words].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let least = &mut self.least[at * 64 + rest.trailing_zeros() as usize];
                rest &= rest - 1;
                if estimate < *least {
                    *least = estimate;
                    better += 1;
                } else if estimate > *least {
                    worse += 1;
                }
            }
        }
        let facts = self.least.len() as u32;
        match better {
            0 => facts + worse,
            _ => facts - better,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Space;

    /// Three facts, of which one holds at the start.
    fn task() -> Task {
        let domain = "(define (domain d) (:predicates (p) (q) (r))
            (:action a :parameters () :precondition (p) :effect (and (q) (not (p))))
            (:action b :parameters () :precondition (q) :effect (and (r) (p) (not (q)))))";
        let problem = "(define (problem x) (:domain d) (:init (p)) (:goal (and (p) (r))))";
        let domain = crate::parse_domain(domain).expect("a domain").value;
        let problem = crate::parse_problem(problem, &domain).expect("a problem");
        crate::ground(&domain, &problem.value).expect("a task")
    }

    #[test]
    fn a_state_with_new_facts_comes_first() {
        let task = task();
        let facts = task.facts.len() as u32;
        let mut novelty = Novelty::new(&task);
        let start = task.start();
        let mut moves = Vec::new();
        task.moves(&start, &mut moves);
        let next = task.apply(&start, moves[0]);
        assert_eq!(novelty.rank(&start, 5), facts - 1);
        // Nothing is new, but nothing was better.
        assert_eq!(novelty.rank(&start, 5), facts);
        assert_eq!(novelty.rank(&start, 6), facts + 1);
        assert_eq!(novelty.rank(&next, 9), facts - 1);
        // The estimate is better than that of all states with this fact.
        assert_eq!(novelty.rank(&start, 4), facts - 1);
        novelty.forget_states();
        assert_eq!(novelty.rank(&start, 9), facts - 1);
    }
}
