//! Writes the certificate of a lower bound: `certify DOMAIN PROBLEM COST|unsolvable ESTIMATE OUT`
//! writes `OUT.opb` and `OUT.pbp`, which `veripb OUT.opb OUT.pbp` checks. Unlike `ploy plan
//! --certificate`, it does not look for a plan, so its time is that of the certificate alone.

use std::error::Error;
use std::fs::{File, read_to_string};
use std::io::{BufWriter, Write};

use ployglot_base::Budget;
use ployglot_pddl::certificate::{Claim, Names, certify};
use ployglot_pddl::estimates::Estimate;
use ployglot_pddl::{ground, parse_domain, parse_problem};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [domain, problem, claim, estimate, out] = &arguments[..] else {
        return Err("expected DOMAIN PROBLEM COST|unsolvable ESTIMATE OUT".into());
    };
    let domain = parse_domain(&read_to_string(domain)?)?.value;
    let problem = parse_problem(&read_to_string(problem)?, &domain)?.value;
    let claim = match claim.as_str() {
        "unsolvable" => Claim::Unsolvable,
        cost => Claim::AtLeast(cost.parse()?),
    };
    let task = ground(&domain, &problem)?;
    let names = Names::new(&task, &domain, &problem);
    let create = |end: &str| File::create(format!("{out}.{end}")).map(BufWriter::new);
    let (mut opb, mut proof) = (create("opb")?, create("pbp")?);
    let estimate = Estimate::parse(estimate)?;
    let budget = Budget::unlimited();
    let size = certify(
        &task, &names, claim, estimate, &budget, &mut opb, &mut proof,
    )?;
    opb.flush()?;
    proof.flush()?;
    println!(
        "{claim}: {} facts, {} operators, {} states listed, {} left out, {} constraints",
        task.facts.len(),
        task.operators.len(),
        size.expanded,
        size.dropped,
        size.constraints
    );
    Ok(())
}
