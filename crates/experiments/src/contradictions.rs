//! Finds runs whose claims about a level contradict each other.
//!
//! A plan that the referee has replayed is a fact; everything else is a claim. A claim that
//! contradicts a fact is false; reports call it a *lie*. So they call a run that found a defect of
//! its own route, because nothing that the route says can be relied on. Where two claims contradict
//! each other and no fact decides between them, both are marked as a *dispute*: one of them is
//! wrong, and a person has to find out which.

use std::collections::BTreeMap;

/// What one run claims.
#[derive(Clone, Debug, Default)]
pub struct RunClaim {
    /// The number of the run in the database.
    pub run: i64,
    /// The text of the level, and the measure.
    pub level: String,
    pub status: String,
    pub cost: Option<u32>,
    pub at_least: Option<u32>,
    /// The referee has replayed the plan.
    pub checked: bool,
    /// Why the referee has rejected the plan, or what is broken.
    pub rejected: Option<String>,
}

/// The runs that are contradicted, each with a text that begins with `lie: ` or `dispute: `.
pub fn contradictions(all: &[RunClaim]) -> BTreeMap<i64, String> {
    let mut found = BTreeMap::new();
    let mut levels: BTreeMap<&str, Vec<&RunClaim>> = BTreeMap::new();
    for claim in all {
        levels.entry(&claim.level).or_default().push(claim);
    }
    for claims in levels.values() {
        let cheapest_plan = claims
            .iter()
            .filter(|claim| claim.checked)
            .filter_map(|claim| claim.cost)
            .min();
        for claim in claims {
            let refuted = || claim.refuted_by(cheapest_plan?);
            if let Some(why) = claim.rejected.clone().or_else(refuted) {
                found.insert(claim.run, format!("lie: {why}"));
            }
        }
        let others: Vec<&&RunClaim> = claims
            .iter()
            .filter(|claim| !found.contains_key(&claim.run))
            .collect();
        let mut disputes = Vec::new();
        for claim in &others {
            let mut others = others.iter();
            let why =
                others.find_map(|other| claim.disputes(other).or_else(|| other.disputes(claim)));
            if let Some(why) = why {
                disputes.push((claim.run, format!("dispute: {why}")));
            }
        }
        found.extend(disputes);
    }
    found
}

impl RunClaim {
    /// Why the claim is false, given that there is a plan of this cost.
    fn refuted_by(&self, plan: u32) -> Option<String> {
        match (self.status.as_str(), self.cost, self.at_least) {
            ("unsolvable", ..) => Some(format!(
                "it claims that there is no plan, but there is one that costs {plan}"
            )),
            ("optimal", Some(cost), _) if cost > plan => Some(format!(
                "it claims that {cost} is the optimal cost, but there is a plan that costs {plan}"
            )),
            (_, _, Some(bound)) if bound > plan => Some(format!(
                "it claims that every plan costs at least {bound}, but there is one that costs {plan}"
            )),
            _ => None,
        }
    }

    /// How the claim of a plan, not replayed, contradicts the bound or the proof of another run.
    fn disputes(&self, other: &RunClaim) -> Option<String> {
        let claims_plan = matches!(self.status.as_str(), "optimal" | "feasible");
        match (
            claims_plan.then_some(self.cost),
            other.status.as_str(),
            other.at_least,
        ) {
            (Some(_), "unsolvable", _) => {
                Some("one run claims a plan, another that there is none".to_string())
            }
            (Some(Some(cost)), "optimal", _) if other.cost.is_some_and(|best| best > cost) => {
                Some(format!(
                    "one run claims a plan that costs {cost}, another that {} is the optimal cost",
                    other.cost.unwrap_or(0)
                ))
            }
            (Some(Some(cost)), _, Some(bound)) if bound > cost => Some(format!(
                "one run claims a plan that costs {cost}, another that every plan costs at least {bound}"
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(
        run: i64,
        status: &str,
        cost: Option<u32>,
        at_least: Option<u32>,
        checked: bool,
    ) -> RunClaim {
        RunClaim {
            run,
            level: "a".to_string(),
            status: status.to_string(),
            cost,
            at_least,
            checked,
            rejected: None,
        }
    }

    fn marked(all: &[RunClaim]) -> Vec<(i64, bool)> {
        contradictions(all)
            .into_iter()
            .map(|(run, why)| (run, why.starts_with("lie")))
            .collect()
    }

    #[test]
    fn a_claim_that_contradicts_a_replayed_plan_is_a_lie() {
        let plan = claim(1, "optimal", Some(4), Some(4), true);
        let others = [
            claim(2, "unsolvable", None, None, false),
            claim(3, "optimal", Some(5), Some(5), true),
            claim(4, "limit", None, Some(5), false),
            claim(5, "limit", None, Some(4), false),
            claim(6, "feasible", Some(9), Some(2), true),
        ];
        let all: Vec<RunClaim> = std::iter::once(plan).chain(others).collect();
        assert_eq!(marked(&all), [(2, true), (3, true), (4, true)]);
    }

    #[test]
    fn two_claims_without_a_replayed_plan_are_a_dispute() {
        let no_plan = claim(1, "unsolvable", None, None, false);
        let cheap = claim(2, "optimal", Some(3), Some(3), false);
        assert_eq!(
            marked(&[no_plan.clone(), cheap.clone()]),
            [(1, false), (2, false)]
        );
        let proven = claim(3, "optimal", Some(4), Some(4), true);
        assert_eq!(marked(&[proven.clone(), cheap]), [(2, false), (3, false)]);
        assert_eq!(marked(&[no_plan, proven]), [(1, true)]);
    }

    #[test]
    fn levels_are_compared_separately_and_rejected_plans_are_lies() {
        let mut other = claim(2, "unsolvable", None, None, false);
        other.level = "b".to_string();
        assert!(marked(&[claim(1, "optimal", Some(4), Some(4), true), other]).is_empty());
        let mut rejected = claim(3, "feasible", Some(2), None, false);
        rejected.rejected = Some("move 1 is illegal".to_string());
        assert_eq!(marked(&[rejected]), [(3, true)]);
    }
}
