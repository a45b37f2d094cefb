//! Plans a small PDDL problem, and prints the plan as planners do.
//!
//! `cargo run -p ployglot-solve --example plan_pddl`

use ployglot_base::Budget;
use ployglot_pddl::{ground, parse_domain, parse_problem, print_step};
use ployglot_solve::{Engine, Estimate, PlanRequest, Search, plan_task};

const DOMAIN: &str = "(define (domain ferry)
  (:requirements :strips)
  (:predicates (car ?c) (bank ?b) (at ?c ?b) (ferry-at ?b) (on-board ?c) (empty))
  (:action sail :parameters (?from ?to)
    :precondition (and (bank ?from) (bank ?to) (ferry-at ?from))
    :effect (and (ferry-at ?to) (not (ferry-at ?from))))
  (:action board :parameters (?c ?b)
    :precondition (and (car ?c) (at ?c ?b) (ferry-at ?b) (empty))
    :effect (and (on-board ?c) (not (at ?c ?b)) (not (empty))))
  (:action debark :parameters (?c ?b)
    :precondition (and (on-board ?c) (ferry-at ?b))
    :effect (and (at ?c ?b) (empty) (not (on-board ?c)))))";

const PROBLEM: &str = "(define (problem two-cars) (:domain ferry)
  (:objects red blue left right)
  (:init (car red) (car blue) (bank left) (bank right)
    (at red left) (at blue left) (ferry-at right) (empty))
  (:goal (and (at red right) (at blue right))))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let domain = parse_domain(DOMAIN)?.value;
    let problem = parse_problem(PROBLEM, &domain)?.value;
    let task = ground(&domain, &problem)?;
    let request = PlanRequest {
        estimate: Some(Estimate::LandmarkCut),
        ..PlanRequest::new(Engine::Search(Search::Astar))
    };
    let planned = plan_task(&task, &request, &Budget::unlimited(), &mut |_, _| {})?;
    let outcome = planned.report.outcome;
    match (outcome.plan(), outcome.cost()) {
        (Some(plan), Some(cost)) => {
            for operator in plan {
                let step = &task.operators[operator.0 as usize].step;
                println!("{}", print_step(step, &domain, &problem));
            }
            println!("; cost = {cost}, by {} with lmcut", request.engine);
        }
        _ => println!("; no plan: {outcome:?}"),
    }
    Ok(())
}
