//! Template in PDDL: the problem of a level, and the moves of a plan.

use super::rules::{Move, Template};
use crate::*;

pub(super) const MODELS: &[PlanningModel<Template>] = &[PlanningModel {
    name: "steps",
    about: "one action, the step to a neighbouring cell",
    measure: "steps",
    domain: include_str!("models/steps.pddl"),
    problem,
    moves,
    states: |level| Some(u128::from(level.cells)),
}];

fn problem(level: &Template) -> Result<String, String> {
    let name = |cell: u16| format!("c-{}", cell + 1);
    let names: Vec<String> = (0..level.cells).map(name).collect();
    let mut facts = vec![format!("(token {})", name(level.start))];
    facts.extend(level.goal.map(|goal| format!("(goal {})", name(goal))));
    for cell in 1..level.cells {
        let (left, right) = (name(cell - 1), name(cell));
        facts.push(format!("(next right {left} {right})"));
        facts.push(format!("(next left {right} {left})"));
    }
    Ok(format!(
        "(define (problem level)\n  (:domain template-steps)\n  \
         (:objects left right - direction {} - cell)\n  \
         (:init {})\n  \
         (:goal (exists (?c - cell) (and (token ?c) (goal ?c)))))\n",
        names.join(" "),
        facts.join("\n    ")
    ))
}

fn moves(_level: &Template, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let read = |step: &Vec<String>| match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["step", side, ..] => Side::parse(side).map(Move),
        _ => None,
    };
    let moves = steps.iter().map(|step| {
        read(step).ok_or_else(|| format!("'{}' is not a step of this model", step.join(" ")))
    });
    moves.collect()
}
