//! A* on several threads. The hash of a state determines the thread that owns it, and only the
//! owner stores, bounds and expands it (hash-distributed A*: Kishimoto, Fukunaga and Botea 2009).
//! So no table is shared, and no lock is taken for a single state.
//!
//! The threads work in rounds, separated by barriers. In each round a thread expands some of its
//! states with the least g + h of *all* threads and sends the successors to their owners. After the
//! barrier, each thread receives its messages, in the order of the senders. After a second barrier,
//! all threads agree on the next bound. So the same number of threads always does the same work,
//! any number of threads proves the same cost, and nothing is expanded that one thread would not
//! expand, except at the last bound. The price is the waiting at the barriers, which is short
//! because rounds are long and hashes distribute the states evenly.
//!
//! If a thread panics, the barriers break, the others end, and the caller panics. Where the system
//! starts fewer threads than were asked for, the search continues with those.
//!
//! With one thread this is `astar` itself. With more, when memory runs out, all stored states are
//! freed, and a depth-first search with a growing bound continues from the proven bound on one
//! thread.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::astar::astar;
use crate::batch::Batch;
use crate::ida_star::iterative_deepening;
use crate::node::{NO_PARENT, Nodes, Path};
use crate::open_list::OpenList;
use crate::plan::{self, FoundPlan};
use crate::registry::{Registry, StateId, hash, spare};
use crate::successors::Successors;
use crate::threads::{Barrier, Broken, run_team};
use crate::throttle::Throttle;

/// The index of a thread fits in a byte.
const MAX_THREADS: usize = 256;
/// The most states that a thread expands in a round: a small part (1 / `PART`) of those that it has
/// stored, because at the last bound short rounds go deep and long ones go wide.
const MAX_ROUND: usize = 1 << 12;
const MIN_ROUND: usize = 1 << 4;
const PART: usize = 32;
/// A round ends early when it has generated this many successors. Where states have thousands of
/// them, the clock would otherwise not be read for a long time.
const MAX_GENERATED: u64 = 1 << 14;

/// Hash-distributed A* on all threads of the budget; see the module's documentation.
pub fn parallel<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let threads = budget.threads().min(MAX_THREADS);
    if threads == 1 {
        return astar(space, guide, budget);
    }
    let (shared, shards) = run_team(threads, Shared::new, |shared, index| {
        let _guard = shared.barrier.break_on_panic();
        Worker::new(space, guide, budget, shared, index).run()
    });
    let report = shared.report(space, &shards);
    drop(shards);
    let contradicts = matches!(report.outcome, Outcome::Contradiction(_));
    if shared.limit() == Some(Limit::Memory) && !contradicts {
        return finish_depth_first(space, guide(), budget, report);
    }
    report
}

/// Continues on one thread from the bound and the plan of a report.
fn finish_depth_first<S: Space, G: Guide<S>>(
    space: &S,
    guide: G,
    budget: &Budget,
    report: Report<S::Move>,
) -> Report<S::Move> {
    let at_least = report.outcome.at_least().unwrap_or(0);
    let known = match report.outcome {
        Outcome::Feasible { plan, cost, .. } => Some(FoundPlan { plan, cost }),
        _ => None,
    };
    let mut rest = iterative_deepening(space, guide, budget, at_least, known);
    rest.effort += report.effort;
    rest
}

/// The data that all threads share.
struct Shared {
    threads: usize,
    barrier: Barrier,
    /// A mailbox from each thread to each thread.
    mailboxes: Vec<Mutex<Mailbox>>,
    /// The least g + h in the open list of each thread.
    least: Vec<AtomicU32>,
    /// The cost of the best plan so far.
    below: AtomicU32,
    /// Proven: no plan costs less.
    at_least: AtomicU32,
    /// A thread has ended by a limit.
    stop: AtomicBool,
    /// The first limit that ended a thread.
    limit: Mutex<Option<Limit>>,
    expanded: AtomicU64,
    stored: AtomicU64,
}

/// Packed successors for their owner, each with the path to it.
type Mailbox = Batch<Path>;

/// No state is open, or no plan is known.
const NONE: u32 = u32::MAX;

/// The states of one thread.
struct Shard {
    registry: Registry,
    nodes: Nodes,
    /// The goal with the least g, and that g.
    goal: Option<(u32, StateId)>,
    effort: Effort,
}

struct Worker<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    shared: &'a Shared,
    index: usize,
    shard: Shard,
    open: OpenList,
    /// The bound of this round, and the cost of the best plan when it began.
    bound: u32,
    below: u32,
    successors: Successors<S>,
    /// The messages of this round to each thread.
    outgoing: Vec<Mailbox>,
    inserted: Vec<(StateId, bool)>,
    spare: u64,
    throttle: Throttle,
    /// For the bounds of the states that are received.
    bound_throttle: Throttle,
    /// Ended by a limit; the other threads see this after the next barrier.
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn new(threads: usize) -> Self {
        Self {
            threads,
            barrier: Barrier::new(threads),
            mailboxes: (0..threads * threads).map(|_| Mutex::default()).collect(),
            least: (0..threads).map(|_| AtomicU32::new(NONE)).collect(),
            below: AtomicU32::new(NONE),
            at_least: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            limit: Mutex::default(),
            expanded: AtomicU64::new(0),
            stored: AtomicU64::new(0),
        }
    }

    fn owner(&self, packed: &[u64]) -> usize {
        // The lower half of the hash; the registry uses the upper.
        let lower = hash(packed) & u64::from(u32::MAX);
        ((lower * self.threads as u64) >> 32) as usize
    }

    fn mailbox(&self, from: usize, to: usize) -> MutexGuard<'_, Mailbox> {
        lock(&self.mailboxes[from * self.threads + to])
    }

    /// Records a limit; the first one is reported.
    fn set_limit(&self, limit: Limit) {
        lock(&self.limit).get_or_insert(limit);
    }

    fn limit(&self) -> Option<Limit> {
        *lock(&self.limit)
    }

    fn report<S: Space>(&self, space: &S, shards: &[Shard]) -> Report<S::Move> {
        let mut effort = Effort::default();
        for shard in shards {
            effort.expanded += shard.effort.expanded;
            effort.generated += shard.effort.generated;
            effort.stored += shard.effort.stored;
        }
        let goals = shards.iter().enumerate();
        let goal = goals
            .filter_map(|(owner, shard)| shard.goal.map(|(g, id)| (g, owner, id)))
            .min();
        let found = goal.map(|(_, owner, id)| plan_to(space, shards, owner, id));
        let outcome = match self.limit() {
            Some(why) => plan::outcome(found, self.at_least.load(Relaxed), why),
            None => plan::proven(found, self.at_least.load(Relaxed)),
        };
        Report { outcome, effort }
    }
}

fn plan_to<S: Space>(
    space: &S,
    shards: &[Shard],
    mut owner: usize,
    mut id: StateId,
) -> FoundPlan<S::Move> {
    let mut path = Vec::new();
    loop {
        let node = &shards[owner].nodes[id];
        if node.parent == NO_PARENT {
            break;
        }
        path.push(shards[owner].registry.state(id));
        (owner, id) = (node.parent_shard.into(), StateId(node.parent));
    }
    plan::along(space, path.into_iter().rev())
}

impl<'a, S: Space, G: Guide<S>> Worker<'a, S, G> {
    fn new(
        space: &'a S,
        guide: &(impl Fn() -> G + Sync),
        budget: &'a Budget,
        shared: &'a Shared,
        index: usize,
    ) -> Self {
        Self {
            space,
            guide: guide(),
            budget,
            shared,
            index,
            shard: Shard {
                registry: Registry::new(space.words()),
                nodes: Nodes::default(),
                goal: None,
                effort: Effort::default(),
            },
            open: OpenList::default(),
            bound: 0,
            below: NONE,
            successors: Successors::new(budget),
            outgoing: (0..shared.threads).map(|_| Mailbox::default()).collect(),
            inserted: Vec::new(),
            spare: spare(budget),
            throttle: Throttle::new(budget),
            bound_throttle: Throttle::new(budget),
            ended: false,
        }
    }

    fn run(mut self) -> Shard {
        if self.index == 0 {
            self.send_start();
        }
        // If another thread has panicked, the caller will panic too: the shard is not used.
        let _ = self.run_rounds();
        self.shard
    }

    fn run_rounds(&mut self) -> Result<(), Broken> {
        loop {
            let expanded = self.expand_some();
            self.record(expanded);
            self.shared.barrier.wait()?;
            let received = self.receive_all();
            self.record(received);
            let least = self.open.least().map_or(NONE, |(f, _)| f);
            self.shared.least[self.index].store(least, Relaxed);
            self.shared.stop.fetch_or(self.ended, Relaxed);
            self.shared.barrier.wait()?;
            if !self.agree() {
                return Ok(());
            }
        }
    }

    /// Records a limit that ended some work.
    fn record(&mut self, ended: Result<(), Limit>) {
        if let Err(why) = ended {
            self.ended = true;
            self.shared.set_limit(why);
        }
    }

    /// Computes, from the shared data, the bound of the next round, and whether there is one. All
    /// threads come to the same result, because the values that are read here do not change before
    /// all threads have reached the next barrier.
    fn agree(&mut self) -> bool {
        let least = self.shared.least.iter().map(|least| least.load(Relaxed));
        self.bound = least.min().expect("there are threads");
        self.below = self.shared.below.load(Relaxed);
        let done = self.bound >= self.below || self.bound == NONE;
        let stopped = self.shared.stop.load(Relaxed);
        if !stopped {
            let proven = self.bound.min(self.below);
            self.shared.at_least.fetch_max(proven, Relaxed);
        }
        !done && !stopped
    }

    fn send_start(&mut self) {
        let mut packed = vec![0; self.space.words()];
        self.space.pack(&self.space.start(), &mut packed);
        let owner = self.shared.owner(&packed);
        self.outgoing[owner].push_packed(&packed, Path::START);
    }

    /// Expands some states with the least bound, and sends their successors.
    fn expand_some(&mut self) -> Result<(), Limit> {
        let round = (self.shard.registry.len() / PART).clamp(MIN_ROUND, MAX_ROUND);
        let mut left = round;
        let max_generated = self.shard.effort.generated + MAX_GENERATED;
        while left > 0
            && self.shard.effort.generated < max_generated
            && let Some((f, _)) = self.open.least()
            && f <= self.bound
        {
            let progress = || Progress {
                phase: "bound",
                depth: self.bound,
                expanded: self.shared.expanded.load(Relaxed),
                stored: self.shared.stored.load(Relaxed),
                at_least: self.bound,
                best: (self.below < NONE).then_some(self.below),
                ..Progress::default()
            };
            self.throttle.tick(self.budget, progress)?;
            if let Some(id) = self.open.close_least(&mut self.shard.nodes) {
                self.expand(id)?;
                left -= 1;
            }
        }
        let expanded = (round - left) as u64;
        self.shared.expanded.fetch_add(expanded, Relaxed);
        for (to, outgoing) in self.outgoing.iter_mut().enumerate() {
            std::mem::swap(&mut *self.shared.mailbox(self.index, to), outgoing);
        }
        Ok(())
    }

    fn expand(&mut self, id: StateId) -> Result<(), Limit> {
        self.successors.clear();
        let (guide, registry) = (&mut self.guide, &self.shard.registry);
        let generated = self
            .successors
            .expand(self.space, guide, registry, id, self.budget)?;
        self.shard.effort.expanded += 1;
        self.shard.effort.generated += generated as u64;
        let node = &self.shard.nodes[id];
        for (successor, packed) in self.successors.packed(self.space) {
            let path = node.path_on(id, self.index as u8, successor.cost);
            self.outgoing[self.shared.owner(packed)].push_packed(packed, path);
        }
        Ok(())
    }

    fn receive_all(&mut self) -> Result<(), Limit> {
        let before = self.shard.registry.len();
        for from in 0..self.shared.threads {
            let mut mailbox = self.shared.mailbox(from, self.index);
            self.receive(&mailbox)?;
            mailbox.clear();
        }
        let new = self.shard.registry.len() - before;
        self.shared.stored.fetch_add(new as u64, Relaxed);
        self.shard.effort.stored = self.shard.registry.len() as u64;
        Ok(())
    }

    /// Opens the states that are new or reached by a cheaper path.
    fn receive(&mut self, mailbox: &Mailbox) -> Result<(), Limit> {
        let Shard {
            registry,
            nodes,
            goal,
            ..
        } = &mut self.shard;
        mailbox.insert_into(registry, self.spare, self.budget, &mut self.inserted)?;
        let messages = mailbox.iter(self.space.words());
        for ((packed, &path), (id, new)) in messages.zip(self.inserted.drain(..)) {
            self.bound_throttle.tick_for_time(self.budget)?;
            let (mut state, mut own_bound) = (None, None);
            let lower_bound = || {
                let unpacked = self.space.unpack(packed);
                own_bound = self.guide.lower_bound(&unpacked);
                state = Some(unpacked);
                own_bound
            };
            let Some(node) = nodes.record(id, new, path, lower_bound) else {
                continue;
            };
            // As in `astar`: a goal is seen even if the parent's bound was too high.
            let may_be_goal = node.h() == 0 || own_bound == Some(0);
            let state = || state.unwrap_or_else(|| self.space.unpack(packed));
            if may_be_goal && node.g < self.below && self.space.is_goal(&state()) {
                self.below = node.g;
                *goal = Some((node.g, id));
                self.shared.below.fetch_min(node.g, Relaxed);
            } else if node.allows_below(self.below) {
                self.open.push(node.f(), node.h(), id);
            }
        }
        Ok(())
    }
}
