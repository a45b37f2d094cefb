//! Claims about one level, held against each other. A plan that the referee has replayed is a fact; everything else is a
//! claim. Who contradicts a fact lies. Where two claims contradict each other and no fact decides, both are in dispute: one of
//! them is wrong, and somebody must look.

use std::collections::BTreeMap;

/// What one run says; `level` stands for the level and the measure.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub run: i64,
    pub level: String,
    pub status: String,
    pub cost: Option<u32>,
    pub at_least: Option<u32>,
    /// The referee has replayed the plan.
    pub checked: bool,
    /// The referee has rejected it, and why.
    pub rejected: Option<String>,
}

/// The runs that are contradicted, and by what.
pub fn lies(all: &[Said]) -> BTreeMap<i64, String> {
    let mut found = BTreeMap::new();
    let mut levels: BTreeMap<&str, Vec<&Said>> = BTreeMap::new();
    for said in all {
        levels.entry(&said.level).or_default().push(said);
    }
    for said in levels.values() {
        let fact = said
            .iter()
            .filter(|said| said.checked)
            .filter_map(|said| said.cost)
            .min();
        for one in said {
            if let Some(why) = one.rejected.clone().or_else(|| one.against(fact?)) {
                found.insert(one.run, format!("lie: {why}"));
            }
        }
        let honest: Vec<&&Said> = said
            .iter()
            .filter(|one| !found.contains_key(&one.run))
            .collect();
        let mut disputes = Vec::new();
        for one in &honest {
            if let Some(why) = honest
                .iter()
                .find_map(|other| one.disputes(other).or_else(|| other.disputes(one)))
            {
                disputes.push((one.run, format!("dispute: {why}")));
            }
        }
        found.extend(disputes);
    }
    found
}

impl Said {
    /// What it claims against a plan of this cost, which there is.
    fn against(&self, plan: u32) -> Option<String> {
        match (self.status.as_str(), self.cost, self.at_least) {
            ("unsolvable", ..) => Some(format!(
                "it says that there is no plan, but there is one that costs {plan}"
            )),
            ("optimal", Some(cost), _) if cost > plan => Some(format!(
                "it says that {cost} is best, but there is a plan that costs {plan}"
            )),
            (_, _, Some(bound)) if bound > plan => Some(format!(
                "it says that every plan costs at least {bound}, but there is one that costs {plan}"
            )),
            _ => None,
        }
    }

    /// A plan that nobody has replayed, against the other's bound or proof.
    fn disputes(&self, other: &Said) -> Option<String> {
        let claims_plan = matches!(self.status.as_str(), "optimal" | "feasible");
        match (
            claims_plan.then_some(self.cost),
            other.status.as_str(),
            other.at_least,
        ) {
            (Some(_), "unsolvable", _) => {
                Some("one says that there is a plan, another that there is none".to_string())
            }
            (Some(Some(cost)), "optimal", _) if other.cost.is_some_and(|best| best > cost) => {
                Some(format!(
                    "one claims a plan that costs {cost}, another that {} is best",
                    other.cost.unwrap_or(0)
                ))
            }
            (Some(Some(cost)), _, Some(bound)) if bound > cost => Some(format!(
                "one claims a plan that costs {cost}, another that every plan costs at least {bound}"
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(
        run: i64,
        status: &str,
        cost: Option<u32>,
        at_least: Option<u32>,
        checked: bool,
    ) -> Said {
        Said {
            run,
            level: "a".to_string(),
            status: status.to_string(),
            cost,
            at_least,
            checked,
            rejected: None,
        }
    }

    fn marked(all: &[Said]) -> Vec<(i64, bool)> {
        lies(all)
            .into_iter()
            .map(|(run, why)| (run, why.starts_with("lie")))
            .collect()
    }

    #[test]
    fn who_contradicts_a_replayed_plan_lies() {
        let plan = said(1, "optimal", Some(4), Some(4), true);
        let others = [
            said(2, "unsolvable", None, None, false),
            said(3, "optimal", Some(5), Some(5), true),
            said(4, "limit", None, Some(5), false),
            said(5, "limit", None, Some(4), false),
            said(6, "feasible", Some(9), Some(2), true),
        ];
        let all: Vec<Said> = std::iter::once(plan).chain(others).collect();
        assert_eq!(marked(&all), [(2, true), (3, true), (4, true)]);
    }

    #[test]
    fn where_no_fact_decides_both_are_in_dispute() {
        let no_plan = said(1, "unsolvable", None, None, false);
        let cheap = said(2, "optimal", Some(3), Some(3), false);
        assert_eq!(
            marked(&[no_plan.clone(), cheap.clone()]),
            [(1, false), (2, false)]
        );
        let proven = said(3, "optimal", Some(4), Some(4), true);
        assert_eq!(marked(&[proven.clone(), cheap]), [(2, false), (3, false)]);
        assert_eq!(marked(&[no_plan, proven]), [(1, true)]);
    }

    #[test]
    fn a_lie_on_one_level_says_nothing_of_another() {
        let mut other = said(2, "unsolvable", None, None, false);
        other.level = "b".to_string();
        assert!(marked(&[said(1, "optimal", Some(4), Some(4), true), other]).is_empty());
        let mut rejected = said(3, "feasible", Some(2), None, false);
        rejected.rejected = Some("move 1 is illegal".to_string());
        assert_eq!(marked(&[rejected]), [(3, true)]);
    }
}
