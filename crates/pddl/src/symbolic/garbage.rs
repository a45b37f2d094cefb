//! When nodes that are no longer used are freed.

use super::bdd::{Bdd, Diagrams};

/// Frees nodes when there are twice as many as were in use after the last time.
pub(super) struct Garbage {
    at: usize,
}

/// Fewer nodes are never freed.
const FEW: usize = 1 << 19;

impl Garbage {
    pub fn new() -> Self {
        Self { at: FEW }
    }

    /// To be called between operations, with what is still used.
    pub fn collect(&mut self, diagrams: &mut Diagrams, live: impl FnOnce() -> Vec<Bdd>) {
        if diagrams.used() > self.at {
            diagrams.collect(live());
            self.at = (diagrams.used() * 2).max(FEW);
        }
    }
}
