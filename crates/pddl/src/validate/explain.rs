//! Why a condition does not hold: sentences for the user.

use super::LiftedState;
use super::state::Part;
use crate::lifted::*;

impl LiftedState<'_> {
    /// Why a formula is false, down to the atom; `None` where it holds.
    pub(super) fn why_not(
        &self,
        formula: &Formula,
        environment: &mut Vec<ObjectId>,
    ) -> Option<String> {
        if self.holds(formula, environment) {
            return None;
        }
        Some(match formula {
            Formula::And(parts) => {
                return parts
                    .iter()
                    .find_map(|part| self.why_not(part, environment));
            }
            Formula::Or(parts) if parts.is_empty() => "an empty 'or' never holds".to_string(),
            Formula::Or(parts) => {
                let reasons: Vec<_> = parts
                    .iter()
                    .take(3)
                    .filter_map(|part| self.why_not(part, environment))
                    .collect();
                let more = if parts.len() > 3 { ", …" } else { "" };
                format!(
                    "none of {} choices holds: {}{more}",
                    parts.len(),
                    reasons.join(", ")
                )
            }
            Formula::Not(body) => match &**body {
                Formula::Atom(atom) => {
                    format!("{} holds", self.print_fact(&self.ground(atom, environment)))
                }
                Formula::Equal(left, _) => {
                    format!("both are {}", self.name(self.object(*left, environment)))
                }
                _ => "a condition holds that must not hold".to_string(),
            },
            Formula::Exists { variables, .. } => {
                let names: Vec<_> = variables
                    .iter()
                    .map(|variable| variable.name.as_str())
                    .collect();
                format!("no objects for {} satisfy the condition", names.join(", "))
            }
            Formula::Forall {
                variables, body, ..
            } => {
                let first = environment.len();
                let mut reason = String::new();
                let parts = Part::refuting(body, first);
                self.each_where(variables, &parts, environment, &mut |inner| {
                    let Some(why) = self.why_not(body, inner) else {
                        return true;
                    };
                    let bound: Vec<_> = variables
                        .iter()
                        .zip(&inner[first..])
                        .map(|(variable, &object)| {
                            format!("{} = {}", variable.name, self.name(object))
                        })
                        .collect();
                    reason = format!("for {}: {why}", bound.join(", "));
                    false
                });
                reason
            }
            Formula::Atom(atom) => {
                let fact = self.ground(atom, environment);
                let kind = if self.is_derived(fact.predicate) {
                    "does not follow"
                } else {
                    "does not hold"
                };
                format!("{} {kind}", self.print_fact(&fact))
            }
            Formula::Equal(left, right) => {
                let (left, right) = (
                    self.object(*left, environment),
                    self.object(*right, environment),
                );
                format!("{} is not {}", self.name(left), self.name(right))
            }
            Formula::Compare(_, left, right) => {
                let print = |value: Option<f64>| {
                    value.map_or("undefined".to_string(), |value| value.to_string())
                };
                let (left, right) = (
                    self.value(left, environment),
                    self.value(right, environment),
                );
                format!(
                    "the comparison of {} and {} is false",
                    print(left),
                    print(right)
                )
            }
        })
    }

    fn print_fact(&self, fact: &Fact) -> String {
        let name = &self.domain.predicates[usize::from(fact.predicate.0)].name;
        self.print_call(name, &fact.arguments)
    }

    pub(super) fn print_function(
        &self,
        (function, arguments): &(FunctionId, Vec<ObjectId>),
    ) -> String {
        self.print_call(
            &self.domain.functions[usize::from(function.0)].name,
            arguments,
        )
    }

    fn print_call(&self, name: &str, arguments: &[ObjectId]) -> String {
        let words: Vec<_> = std::iter::once(name)
            .chain(arguments.iter().map(|&object| self.name(object)))
            .collect();
        format!("({})", words.join(" "))
    }
}
