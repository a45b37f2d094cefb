//! The end of long evaluations. A quantifier with very many bindings is searched in each state
//! (`Choice`), and one such search may take longer than any limit. A task has the budget that it was
//! grounded with; at a limit these searches end with an arbitrary value, the limit is kept, and
//! the caller must then claim nothing.

use std::sync::{Arc, OnceLock};

use ployglot_base::{Budget, Limit, Progress};

/// A budget for evaluations, and the limit that ended one. The default has no limit.
#[derive(Clone, Default)]
pub(crate) struct Cutoff(Option<Arc<(Budget, OnceLock<Limit>)>>);

impl Cutoff {
    pub fn new(budget: &Budget) -> Self {
        Self(Some(Arc::new((budget.clone(), OnceLock::new()))))
    }

    /// The limit that ended an evaluation.
    pub fn ended(&self) -> Option<Limit> {
        self.0.as_ref()?.1.get().copied()
    }

    /// Checks the budget. True if the evaluation must end.
    pub fn check(&self) -> bool {
        let Some((budget, ended)) = self.0.as_deref() else {
            return false;
        };
        if let Err(limit) = budget.check(Progress::default) {
            ended.get_or_init(|| limit);
        }
        ended.get().is_some()
    }
}

impl std::fmt::Debug for Cutoff {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Cutoff({:?})", self.ended())
    }
}
