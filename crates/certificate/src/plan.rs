//! Checks the plan of a certificate: the referee replays it by the slow rules.

use ployglot_base::text::utf8;
use ployglot_games::{Game, Ruling, judge, plan};

use crate::verify::Trouble;

/// Checks that the plan has this cost, and says in a sentence what was checked.
pub(crate) fn check<G: Game>(
    level: &G,
    measure: &str,
    cost: u32,
    name: &str,
    bytes: &[u8],
) -> Result<String, Trouble> {
    let refuted = |why: String| Trouble::Refuted(format!("{name}: {why}"));
    let text = utf8(bytes, "a plan").map_err(|bad| refuted(bad.to_string()))?;
    let moves = plan::parse(level, text).map_err(|bad| refuted(bad.to_string()))?;
    match judge(level, measure, &moves) {
        Ruling::Accepted { cost: found, .. } if found == cost => Ok(format!(
            "{} moves, all legal by the slow rules; the last one reaches the goal; cost {cost}",
            moves.len()
        )),
        Ruling::Accepted { cost: found, .. } => Err(refuted(format!(
            "the plan costs {found}, and the claim is {cost}"
        ))),
        Ruling::Illegal { at, refusal, .. } => {
            Err(refuted(format!("move {at} is illegal: {}", refusal.0)))
        }
        Ruling::Missed { shortfall, .. } => {
            Err(refuted(format!("the plan misses the goal: {shortfall}")))
        }
    }
}
