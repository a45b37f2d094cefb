//! Random levels: token and goal anywhere.

use super::rules::Plotting;
use crate::*;

pub(super) const KNOBS: &[Knob] =
    &[Knob { name: "goals", about: "0 or 1: whether there is a goal", default: 1 }];

pub(super) fn generate(spec: &Spec, random: &mut Random) -> Result<Plotting, String> {
    if spec.rows != 1 || spec.cols == 0 || spec.cols > document::LONGEST_SIDE {
        return Err(format!("a template level has the size 1xN, not {}x{}", spec.rows, spec.cols));
    }
    let mut cell = || random.below(spec.cols) as u16;
    let (start, goal) = (cell(), cell());
    let goal = (spec.knob::<Plotting>("goals") > 0).then_some(goal);
    Ok(Plotting { cells: spec.cols as u16, start, goal })
}
