//! Beam search: layer by layer, but only the best states of each layer are kept. A narrow beam may
//! find a good plan where complete searches find none, or may find nothing; a wider one costs more
//! and finds a better plan.
//!
//! States are ranked by g + h, then by h, then by their hash. Where the bound does not distinguish
//! states, this arbitrary order keeps states that differ from each other; the order of generation
//! does not. A layer holds the states of one number of moves, whatever they cost, and a state that
//! was kept in an earlier layer is not kept again.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::plan::{self, FoundPlan};
use crate::registry::{Registry, StateId, hash, spare};
use crate::search_tree::SearchTree;
use crate::successors::Successors;
use crate::throttle::Throttle;

/// Beams of growing width, until one finds a plan.
pub fn beam_search<S: Space, G: Guide<S>>(
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
        let request = BeamRequest {
            width,
            below: u32::MAX,
            at_least,
        };
        match beam(space, &mut guide, &request, budget, &mut effort) {
            Err(why) => break Outcome::GaveUp { at_least, why },
            Ok(BeamResult::Found(found)) => {
                break plan::outcome(Some(found), at_least, Limit::Incomplete);
            }
            Ok(BeamResult::Exhausted) => break Outcome::Unsolvable,
            Ok(BeamResult::TooNarrow) => width = width.saturating_mul(8),
        }
    };
    Report { outcome, effort }
}

/// How a beam ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BeamResult<M> {
    /// It found a plan.
    Found(FoundPlan<M>),
    /// It found no plan, but it dropped states or had too many layers: a wider one may find a plan.
    TooNarrow,
    /// It dropped no state because of its width, and found no plan. If no cost was requested, there
    /// is no plan at all. Otherwise there is none below the requested cost, if all moves cost the
    /// same; where they do not, a state may have been kept with a path that is not the cheapest.
    Exhausted,
}

/// What a beam looks for.
#[derive(Clone, Copy, Debug)]
pub struct BeamRequest {
    /// How many states of a layer are kept.
    pub width: usize,
    /// The plan must cost less than this.
    pub below: u32,
    /// The proven lower bound on the cost of all plans; only for the progress report.
    pub at_least: u32,
}

/// Runs one beam. Adds its work to `effort`.
pub fn beam<S: Space, G: Guide<S>>(
    space: &S,
    guide: &mut G,
    request: &BeamRequest,
    budget: &Budget,
    effort: &mut Effort,
) -> Result<BeamResult<S::Move>, Limit> {
    let mut beam = Beam {
        space,
        guide,
        budget,
        request: *request,
        kept: SearchTree::new(space.words()),
        next: Registry::new(space.words()),
        candidates: Vec::new(),
        goal: None,
        effort: Effort::default(),
        spare: spare(budget),
        throttle: Throttle::new(budget),
        successors: Successors::new(budget),
    };
    let result = beam.run();
    *effort += beam.effort;
    result
}

/// How many full layers a beam may have. Without an end, a narrow one could wander through a large
/// space forever.
const MAX_LAYERS: usize = 2000;

struct Beam<'a, S: Space, G> {
    space: &'a S,
    guide: &'a mut G,
    budget: &'a Budget,
    request: BeamRequest,
    /// The states of all layers so far.
    kept: SearchTree,
    /// The states of the next layer.
    next: Registry,
    candidates: Vec<Candidate>,
    /// The cheapest goal in the next layer.
    goal: Option<Candidate>,
    effort: Effort,
    spare: u64,
    /// For the bounds of the successors.
    throttle: Throttle,
    successors: Successors<S>,
}

/// A state of the next layer. The order of the fields is the rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    f: u32,
    h: u32,
    hash: u32,
    /// The id in the next layer, and that of the parent among the states that are kept.
    id: u32,
    parent: u32,
}

impl<S: Space, G: Guide<S>> Beam<'_, S, G> {
    fn run(&mut self) -> Result<BeamResult<S::Move>, Limit> {
        let BeamRequest {
            width,
            below,
            at_least,
        } = self.request;
        let mut throttle = Throttle::new(self.budget);
        let max_expanded = width.saturating_mul(MAX_LAYERS) as u64;
        let mut dropped = false;
        self.successors.start(self.space, 0);
        self.rank(0)?;
        // The ids and costs of the layer that is being expanded.
        let mut layer: Vec<(StateId, u32)> = Vec::new();
        for depth in 0.. {
            if let Some(goal) = self.goal {
                return Ok(BeamResult::Found(self.plan(goal)));
            }
            if self.candidates.len() > width {
                self.candidates.select_nth_unstable(width);
                self.candidates.truncate(width);
                dropped = true;
            }
            self.candidates.sort_unstable();
            self.keep(&mut layer)?;
            if layer.is_empty() {
                break;
            }
            if self.effort.expanded > max_expanded {
                return Ok(BeamResult::TooNarrow);
            }
            for &(id, g) in &layer {
                throttle.tick(self.budget, || Progress {
                    phase: "beam",
                    depth,
                    expanded: self.effort.expanded,
                    stored: self.effort.stored,
                    at_least,
                    best: (below < u32::MAX).then_some(below),
                    ..Progress::default()
                })?;
                let registry = &self.kept.registry;
                let generated =
                    self.successors
                        .expand(self.space, self.guide, registry, id, self.budget)?;
                self.effort.expanded += 1;
                self.effort.generated += generated as u64;
                self.rank(g)?;
            }
        }
        Ok(if dropped {
            BeamResult::TooNarrow
        } else {
            BeamResult::Exhausted
        })
    }

    /// Moves the candidates to the states that are kept.
    fn keep(&mut self, layer: &mut Vec<(StateId, u32)>) -> Result<(), Limit> {
        let SearchTree { registry, parents } = &mut self.kept;
        layer.clear();
        registry.make_room(self.candidates.len(), self.spare, self.budget)?;
        for candidate in self.candidates.drain(..) {
            let (id, new) = registry.insert(self.next.state(StateId(candidate.id)));
            debug_assert!(new, "a state of an earlier layer is not a candidate");
            parents.push(candidate.parent);
            layer.push((id, candidate.f - candidate.h));
        }
        let stored = (registry.len() + self.next.len()) as u64;
        self.effort.stored = self.effort.stored.max(stored);
        self.next.clear();
        Ok(())
    }

    /// Makes candidates of the successors that are new and may lead to a plan below the requested
    /// cost.
    fn rank(&mut self, parent_g: u32) -> Result<(), Limit> {
        let successors = self
            .successors
            .intern(&mut self.next, self.spare, self.budget)?;
        for (successor, id, _) in successors.filter(|&(.., new)| new) {
            let packed = self.next.state(id);
            if self.kept.registry.find(packed).is_some() {
                continue;
            }
            self.throttle.tick_for_time(self.budget)?;
            let Some(h) = self.guide.lower_bound(&successor.state) else {
                continue;
            };
            let g = parent_g.saturating_add(successor.cost);
            let candidate = Candidate {
                f: g.saturating_add(h),
                h,
                hash: hash(packed) as u32,
                id: id.0,
                parent: successor.parent,
            };
            if candidate.f >= self.request.below {
                continue;
            }
            if h == 0 && self.space.is_goal(&successor.state) {
                self.goal = Some(self.goal.map_or(candidate, |goal| goal.min(candidate)));
            }
            self.candidates.push(candidate);
        }
        Ok(())
    }

    fn plan(&mut self, goal: Candidate) -> FoundPlan<S::Move> {
        if self.kept.registry.is_empty() {
            return plan::along_kept(self.space, self.guide, []);
        }
        let path = self.kept.path_to(StateId(goal.parent));
        let last = self.next.state(StateId(goal.id));
        plan::along_kept(self.space, self.guide, path.chain([last]))
    }
}
