//! Beam search: layer by layer, but of each layer only the best states are kept. A narrow beam finds a good plan where
//! complete searches find none, or does not; a wider one costs more and finds a better one.
//!
//! States are ranked by g + h, then by h, then by their hash: where the bound cannot tell states apart, an order that
//! means nothing keeps them different from each other, which the order of generation does not. A layer holds the states
//! of one number of moves, whatever they cost, and a state that was kept in an earlier layer is not kept again.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::brood::Brood;
use crate::pace::Pace;
use crate::plan::{self, Found};
use crate::registry::{Registry, StateId, hash, spare};

/// Beams of growing width, until one finds a plan.
pub fn search<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut guide = guide();
    let mut effort = Effort::default();
    let mut width = 1 << 6;
    let outcome = loop {
        let Some(at_least) = guide.lower_bound(&space.start()) else {
            break Outcome::Unsolvable;
        };
        let aim = Aim {
            width,
            below: u32::MAX,
            at_least,
        };
        match beam(space, &mut guide, &aim, budget, &mut effort) {
            Err(why) => break Outcome::GaveUp { at_least, why },
            Ok(Cast::Found(found)) => {
                break plan::outcome(Some(found), at_least, Limit::Incomplete);
            }
            Ok(Cast::Nothing) => break Outcome::Unsolvable,
            Ok(Cast::Narrow) => width = width.saturating_mul(8),
        }
    };
    Report { outcome, effort }
}

/// What came of one beam.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cast<M> {
    Found(Found<M>),
    /// No plan was found, but states were dropped, or the beam went on for too long: a wider one may find a plan.
    Narrow,
    /// No state was dropped for want of width, and none led to a plan. If plans of any cost were asked for, there is
    /// none.
    Nothing,
}

/// What a beam is for.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// How many states of a layer are kept.
    pub width: usize,
    /// The plan must cost less.
    pub below: u32,
    /// What is proven of all plans, to be told to whoever watches.
    pub at_least: u32,
}

/// One beam. Adds to `effort` what it did.
pub fn beam<S: Space, G: Guide<S>>(
    space: &S,
    guide: &mut G,
    aim: &Aim,
    budget: &Budget,
    effort: &mut Effort,
) -> Result<Cast<S::Move>, Limit> {
    let mut beam = Beam {
        space,
        guide,
        budget,
        aim: *aim,
        kept: Registry::new(space.words()),
        parents: Vec::new(),
        layer: Registry::new(space.words()),
        candidates: Vec::new(),
        goal: None,
        effort: Effort::default(),
        spare: spare(budget),
        brood: Brood::new(),
    };
    let cast = beam.run();
    *effort += beam.effort;
    cast
}

/// How many full layers a beam may have. Without an end, a narrow one could wander through a large space for ever.
const LAYERS: usize = 2000;

struct Beam<'a, S: Space, G> {
    space: &'a S,
    guide: &'a mut G,
    budget: &'a Budget,
    aim: Aim,
    /// The states of all layers so far.
    kept: Registry,
    parents: Vec<u32>,
    /// The states of the layer that is being made.
    layer: Registry,
    candidates: Vec<Candidate>,
    /// The cheapest goal in the layer that is being made.
    goal: Option<Candidate>,
    effort: Effort,
    spare: u64,
    brood: Brood<S>,
}

/// A state of the layer that is being made, by its rank: the order of the fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    f: u32,
    h: u32,
    hash: u32,
    id: u32,
    parent: u32,
}

impl<S: Space, G: Guide<S>> Beam<'_, S, G> {
    fn run(&mut self) -> Result<Cast<S::Move>, Limit> {
        let Aim {
            width,
            below,
            at_least,
        } = self.aim;
        let mut pace = Pace::new(self.budget);
        let longest = width.saturating_mul(LAYERS) as u64;
        let mut dropped = false;
        self.brood.start(self.space, 0);
        self.rank(0)?;
        // The ids and costs of the layer that is being expanded.
        let mut front: Vec<(u32, u32)> = Vec::new();
        for depth in 0.. {
            if let Some(goal) = self.goal {
                return Ok(Cast::Found(self.plan(goal)));
            }
            if self.candidates.len() > width {
                self.candidates.select_nth_unstable(width);
                self.candidates.truncate(width);
                dropped = true;
            }
            self.candidates.sort_unstable();
            self.keep(&mut front)?;
            if front.is_empty() {
                break;
            }
            if self.effort.expanded > longest {
                return Ok(Cast::Narrow);
            }
            for &(id, g) in &front {
                pace.tick(self.budget, || Progress {
                    phase: "beam",
                    depth,
                    expanded: self.effort.expanded,
                    stored: self.effort.stored,
                    at_least,
                    best: (below < u32::MAX).then_some(below),
                    ..Progress::default()
                })?;
                let state = self.space.unpack(self.kept.state(StateId(id)));
                self.brood.raise(self.space, self.guide, &state, id);
                self.effort.expanded += 1;
                self.effort.generated += self.brood.len() as u64;
                self.rank(g)?;
            }
        }
        Ok(if dropped { Cast::Narrow } else { Cast::Nothing })
    }

    /// Moves the candidates to the states that are kept.
    fn keep(&mut self, front: &mut Vec<(u32, u32)>) -> Result<(), Limit> {
        front.clear();
        self.kept
            .make_room(self.candidates.len(), self.spare, self.budget)?;
        for candidate in self.candidates.drain(..) {
            let (id, new) = self.kept.insert(self.layer.state(StateId(candidate.id)));
            debug_assert!(new, "states of earlier layers are no candidates");
            self.parents.push(candidate.parent);
            front.push((id.0, candidate.f - candidate.h));
        }
        let stored = (self.kept.len() + self.layer.len()) as u64;
        self.effort.stored = self.effort.stored.max(stored);
        self.layer.clear();
        Ok(())
    }

    /// Makes candidates of the children that are new and may lead to a plan below the bound.
    fn rank(&mut self, parent_g: u32) -> Result<(), Limit> {
        let children = self
            .brood
            .intern(&mut self.layer, self.spare, self.budget)?;
        for (child, id, _) in children.filter(|&(.., new)| new) {
            let packed = self.layer.state(id);
            if self.kept.find(packed).is_some() {
                continue;
            }
            let Some(h) = self.guide.lower_bound(&child.state) else {
                continue;
            };
            let g = parent_g.saturating_add(child.cost);
            let candidate = Candidate {
                f: g.saturating_add(h),
                h,
                hash: hash(packed) as u32,
                id: id.0,
                parent: child.parent,
            };
            if candidate.f >= self.aim.below {
                continue;
            }
            if h == 0 && self.space.is_goal(&child.state) {
                self.goal = Some(self.goal.map_or(candidate, |goal| goal.min(candidate)));
            }
            self.candidates.push(candidate);
        }
        Ok(())
    }

    fn plan(&mut self, goal: Candidate) -> Found<S::Move> {
        if self.kept.is_empty() {
            return plan::along_kept(self.space, self.guide, []);
        }
        let parent = |id: StateId| (id.0 != 0).then(|| StateId(self.parents[id.index()]));
        let way = plan::way(StateId(goal.parent), parent);
        let kept = way.iter().map(|&id| self.kept.state(id));
        let last = self.layer.state(StateId(goal.id));
        plan::along_kept(self.space, self.guide, kept.chain([last]))
    }
}
