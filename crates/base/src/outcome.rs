//! How a search may end. Four facts are four arms: a plan that is proven best, a plan that is not,
//! a proof that there is none, and a limit that was hit with nothing found. A fifth arm is for
//! results that cannot all be true.
//!
//! [`Outcome::join`] is the one function that joins results: the plans and bounds of one search, the
//! results of several threads, horizons or routes. It never takes the word of one result against
//! another: a plan below a bound that was claimed, or beside the claim that there is none, is a
//! contradiction, whichever of the two came last.

use std::fmt;

/// How a search ended.
///
/// ```
/// use ployglot_base::{Limit, Outcome};
///
/// fn sentence(outcome: &Outcome<&str>) -> String {
///     match outcome {
///         Outcome::Optimal { plan, cost } => format!("{} costs {cost}: optimal", plan.join(" ")),
///         Outcome::Feasible { cost, at_least, why, .. } => {
///             format!("a plan costs {cost}, every plan at least {at_least}; ended by {why}")
///         }
///         Outcome::Unsolvable => "there is no plan".to_string(),
///         Outcome::GaveUp { at_least, why } => {
///             format!("no plan found, every plan costs at least {at_least}; ended by {why}")
///         }
///         Outcome::Contradiction(contradiction) => format!("a defect: {contradiction}"),
///     }
/// }
///
/// let plan = vec!["left", "down"];
/// let outcome = Outcome::Feasible { plan, cost: 2, at_least: 1, why: Limit::Time };
/// assert_eq!(sentence(&outcome), "a plan costs 2, every plan at least 1; ended by time");
/// assert_eq!(outcome.cost(), Some(2));
/// assert_eq!(outcome.at_least(), Some(1));
/// assert_eq!(Outcome::<&str>::Unsolvable.at_least(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<M> {
    /// A plan that is proven optimal: no plan costs less.
    Optimal {
        /// The moves from the start to a goal.
        plan: Vec<M>,
        /// The cost of the plan.
        cost: u32,
    },
    /// A plan that is not proven optimal.
    Feasible {
        /// The moves from the start to a goal.
        plan: Vec<M>,
        /// The cost of the plan.
        cost: u32,
        /// A proven lower bound on the cost of all plans.
        at_least: u32,
        /// What ended the proof.
        why: Limit,
    },
    /// It is proven that there is no plan.
    Unsolvable,
    /// No plan was found before the limit.
    GaveUp {
        /// A proven lower bound on the cost of all plans, if there are any.
        at_least: u32,
        /// What ended the search.
        why: Limit,
    },
    /// Results contradict each other: a defect of what found them. Nothing is claimed.
    Contradiction(Contradiction),
}

/// A plan, and a claim that denies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The cost of the plan.
    pub cost: u32,
    /// The claimed bound on the cost of all plans; `None`: the claim that there is no plan.
    pub at_least: Option<u32>,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cost = self.cost;
        match self.at_least {
            Some(bound) => write!(f, "a plan of cost {cost}, and a bound of {bound}"),
            None => write!(f, "a plan of cost {cost}, and a proof that there is none"),
        }
    }
}

/// What ended a search before its proof was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time of the budget is over.
    Time,
    /// The memory of the budget is used up.
    Memory,
    /// The user, or the calling program, stopped the search.
    Interrupt,
    /// The search ended by itself, but it is of a kind that proves nothing (a beam, greedy search).
    Incomplete,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Interrupt => "interrupt",
            Limit::Incomplete => "incomplete",
        })
    }
}

/// The work that a search did, in counts: the same run gives the same numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Moves that were applied.
    pub generated: u64,
    /// The largest number of states stored at once.
    pub stored: u64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.stored = self.stored.max(other.stored);
    }
}

/// What a search returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<M> {
    /// How it ended.
    pub outcome: Outcome<M>,
    /// The work that it did.
    pub effort: Effort,
}

impl<M> Outcome<M> {
    /// What two results about the same question say together: the cheaper plan (at equal costs that
    /// of `self`) and the higher bound. If they meet, the plan is optimal, even though neither
    /// result proves it. Of two limits, that of `later` is reported.
    ///
    /// ```
    /// use ployglot_base::{Contradiction, Limit, Outcome};
    ///
    /// let why = Limit::Time;
    /// let plan = || Outcome::Feasible { plan: vec!["left"], cost: 7, at_least: 3, why };
    /// let bound = |at_least| Outcome::GaveUp { at_least, why };
    ///
    /// assert_eq!(plan().join(bound(7)), Outcome::Optimal { plan: vec!["left"], cost: 7 });
    /// let contradiction = Contradiction { cost: 7, at_least: Some(8) };
    /// assert_eq!(bound(8).join(plan()), Outcome::Contradiction(contradiction));
    /// ```
    pub fn join(self, later: Self) -> Self {
        if let Outcome::Contradiction(found) = self {
            return Outcome::Contradiction(found);
        }
        if let Outcome::Contradiction(found) = later {
            return Outcome::Contradiction(found);
        }
        let why = later.limit().or(self.limit());
        // `None` is greater than every bound: there is no plan.
        let at_least = match (self.at_least(), later.at_least()) {
            (Some(one), Some(other)) => Some(one.max(other)),
            _ => None,
        };
        let best = match (self.into_plan(), later.into_plan()) {
            (Some(one), Some(other)) if other.1 < one.1 => Some(other),
            (one, other) => one.or(other),
        };
        match (best, at_least) {
            (Some((_, cost)), None) => Outcome::Contradiction(Contradiction { cost, at_least }),
            (Some((_, cost)), Some(bound)) if cost < bound => {
                Outcome::Contradiction(Contradiction { cost, at_least })
            }
            (Some((plan, cost)), Some(bound)) if cost == bound => Outcome::Optimal { plan, cost },
            (Some((plan, cost)), Some(at_least)) => Outcome::Feasible {
                plan,
                cost,
                at_least,
                why: why.unwrap_or(Limit::Incomplete),
            },
            (None, Some(at_least)) => Outcome::GaveUp {
                at_least,
                why: why.unwrap_or(Limit::Incomplete),
            },
            (None, None) => Outcome::Unsolvable,
        }
    }

    /// The outcome of a search that this limit ended: its best plan with the plan's cost, and the
    /// bound that it proved.
    pub fn at_limit(best: Option<(Vec<M>, u32)>, at_least: u32, why: Limit) -> Self {
        let bound = Outcome::GaveUp { at_least, why };
        match best {
            Some((plan, cost)) => bound.join(Outcome::Feasible {
                plan,
                cost,
                at_least: 0,
                why,
            }),
            None => bound,
        }
    }

    /// The outcome of a complete search: its best plan is optimal, and without one there is none.
    /// `at_least` is a bound that it proved on the way.
    pub fn proven(best: Option<(Vec<M>, u32)>, at_least: u32) -> Self {
        let why = Limit::Incomplete;
        match best {
            Some((plan, cost)) => {
                Outcome::Optimal { plan, cost }.join(Outcome::GaveUp { at_least, why })
            }
            None => Outcome::Unsolvable,
        }
    }

    /// The same outcome; a contradiction if its plan costs less than its own bound.
    pub fn checked(self) -> Self {
        match self {
            Outcome::Feasible {
                plan,
                cost,
                at_least,
                why,
            } => Outcome::at_limit(Some((plan, cost)), at_least, why),
            outcome => outcome,
        }
    }

    /// The same outcome with other moves for the plan, such as the moves of a game for the steps of
    /// a model.
    pub fn try_map<N, E>(
        self,
        map: impl FnOnce(Vec<M>) -> Result<Vec<N>, E>,
    ) -> Result<Outcome<N>, E> {
        Ok(match self {
            Outcome::Optimal { plan, cost } => Outcome::Optimal {
                plan: map(plan)?,
                cost,
            },
            Outcome::Feasible {
                plan,
                cost,
                at_least,
                why,
            } => Outcome::Feasible {
                plan: map(plan)?,
                cost,
                at_least,
                why,
            },
            Outcome::Unsolvable => Outcome::Unsolvable,
            Outcome::GaveUp { at_least, why } => Outcome::GaveUp { at_least, why },
            Outcome::Contradiction(found) => Outcome::Contradiction(found),
        })
    }

    /// No plan costs less than this; `None`: it is proven that there is no plan, or nothing is
    /// claimed.
    pub fn at_least(&self) -> Option<u32> {
        match self {
            Outcome::Optimal { cost, .. } => Some(*cost),
            Outcome::Feasible { at_least, .. } | Outcome::GaveUp { at_least, .. } => {
                Some(*at_least)
            }
            Outcome::Unsolvable | Outcome::Contradiction(_) => None,
        }
    }

    /// The limit that ended the proof.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Outcome::Feasible { why, .. } | Outcome::GaveUp { why, .. } => Some(*why),
            _ => None,
        }
    }

    /// The plan, if one was found.
    pub fn plan(&self) -> Option<&[M]> {
        match self {
            Outcome::Optimal { plan, .. } | Outcome::Feasible { plan, .. } => Some(plan),
            _ => None,
        }
    }

    /// The cost of the plan, if one was found.
    pub fn cost(&self) -> Option<u32> {
        match self {
            Outcome::Optimal { cost, .. } | Outcome::Feasible { cost, .. } => Some(*cost),
            _ => None,
        }
    }

    /// The plan with its cost, if one was found.
    pub fn into_plan(self) -> Option<(Vec<M>, u32)> {
        match self {
            Outcome::Optimal { plan, cost } | Outcome::Feasible { plan, cost, .. } => {
                Some((plan, cost))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All outcomes with costs and bounds up to 4, true or not; the move of a plan is its cost.
    fn all() -> Vec<Outcome<u32>> {
        let why = Limit::Time;
        let mut all = vec![Outcome::Unsolvable];
        for number in 0..=4 {
            all.push(Outcome::Optimal {
                plan: vec![number],
                cost: number,
            });
            all.push(Outcome::GaveUp {
                at_least: number,
                why,
            });
            all.extend((0..number).map(|at_least| Outcome::Feasible {
                plan: vec![number],
                cost: number,
                at_least,
                why,
            }));
        }
        all
    }

    /// Whether an outcome can be true where the best plan costs `truth`.
    fn holds(outcome: &Outcome<u32>, truth: Option<u32>) -> bool {
        match (outcome, truth) {
            (Outcome::Unsolvable, truth) => truth.is_none(),
            (Outcome::GaveUp { .. }, None) => true,
            (_, None) => false,
            (outcome, Some(truth)) => {
                outcome.cost().is_none_or(|cost| truth <= cost)
                    && outcome.at_least().is_some_and(|bound| bound <= truth)
            }
        }
    }

    /// The joined outcome says exactly what both say: it holds for the same truths, and where no
    /// truth is left, it is a contradiction. The order does not matter.
    #[test]
    fn a_joined_outcome_holds_where_both_hold_and_nowhere_else() {
        let truths: Vec<Option<u32>> = (0..=5).map(Some).chain([None]).collect();
        for one in all() {
            for other in all() {
                let joined = one.clone().join(other.clone());
                assert_eq!(joined, other.clone().join(one.clone()));
                let possible =
                    |truth: &&Option<u32>| holds(&one, **truth) && holds(&other, **truth);
                let has_truth = truths.iter().any(|truth| possible(&truth));
                let is_contradiction = matches!(joined, Outcome::Contradiction(_));
                assert_eq!(is_contradiction, !has_truth, "{one:?} {other:?}");
                if is_contradiction {
                    assert!(matches!(
                        joined.join(one.clone()),
                        Outcome::Contradiction(_)
                    ));
                    continue;
                }
                for truth in &truths {
                    assert_eq!(
                        holds(&joined, *truth),
                        possible(&truth),
                        "{one:?} {other:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_later_limit_is_reported() {
        let gave_up = |why| Outcome::<u32>::GaveUp { at_least: 1, why };
        let joined = gave_up(Limit::Incomplete).join(gave_up(Limit::Memory));
        assert_eq!(joined.limit(), Some(Limit::Memory));
    }

    #[test]
    fn a_search_that_undercuts_its_own_bound_contradicts_itself() {
        let found = || Some((vec![0], 3));
        let contradiction = Outcome::Contradiction(Contradiction {
            cost: 3,
            at_least: Some(4),
        });
        assert_eq!(Outcome::at_limit(found(), 4, Limit::Time), contradiction);
        assert_eq!(Outcome::proven(found(), 4), contradiction);
        assert_eq!(
            Outcome::proven(None::<(Vec<u32>, u32)>, 4),
            Outcome::Unsolvable
        );
    }
}
