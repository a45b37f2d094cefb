//! All solutions by trying every combination of values: slow, and obviously right if the judge is.
//! Tests compare the refinement with it.

use ployglot_base::{BadText, Poll};
use ployglot_eprime::Ruling;

use crate::evaluate::GlobalValue;
use crate::instance::{Instance, Solution};

impl Instance<'_> {
    /// All solutions, by trying all values of the decision variables; `None` if there are more than
    /// `most` combinations. Of a specification with an objective, also those that are not best.
    pub fn exhaust(&self, most: u64) -> Result<Option<Vec<Solution>>, BadText> {
        let mut all = vec![Solution { values: Vec::new() }];
        for (place, global) in self.model.globals.iter().enumerate() {
            let GlobalValue::Find(domain) = &self.evaluator.globals[place] else {
                continue;
            };
            let values = match domain {
                None => Vec::new(),
                Some(domain) => match domain.values(&Poll::default()) {
                    Some(values) => values,
                    None => return Ok(None),
                },
            };
            if (all.len() as u64).saturating_mul(values.len() as u64) > most {
                return Ok(None);
            }
            let longer = all.iter().flat_map(|solution| {
                values.iter().map(|value| {
                    let mut solution = solution.clone();
                    solution.values.push((global.name.clone(), value.clone()));
                    solution
                })
            });
            all = longer.collect();
        }
        let mut found = Vec::new();
        for solution in all {
            if let Ruling::Solves(_) = self.judge(&solution)? {
                found.push(solution);
            }
        }
        Ok(Some(found))
    }
}
