//! A* on several threads. Each state belongs to the thread that its hash names, which alone stores, bounds and expands it
//! (hash-distributed A*: Kishimoto, Fukunaga and Botea 2009), so that no table is shared and no lock is held for a state.
//!
//! The threads go in step. In each round a thread expands some of its states with the least g + h of *all* threads and
//! posts the children to their owners; then all meet; then each takes in its post, in the order of the senders; then all
//! meet again and agree on the next bound. So the same number of threads always does the same work, any number of threads
//! proves the same cost, and nothing is expanded that one thread would not expand, but for the last bound. The price is
//! waiting at the meetings, which is small because rounds are long and hashes are fair.
//!
//! With one thread this is `astar` itself. With more, when memory runs out, all that is stored is freed, and a depth-first
//! search with a growing bound goes on from the bound that is proven, on one thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Barrier, Mutex, PoisonError};

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::astar::astar;
use crate::brood::Brood;
use crate::ida_star::deepen;
use crate::pace::Pace;
use crate::plan::{self, Found};
use crate::queue::Queue;
use crate::registry::{Registry, StateId, hash, spare};

/// The number of a thread fits a byte.
const MOST_THREADS: usize = 256;
/// How many states a thread expands at most before it meets the others: a small part of what it has stored, because in
/// the last bound a short round goes deep and a long one goes wide.
const ROUND: usize = 1 << 12;
const SHORT_ROUND: usize = 1 << 4;
const PART: usize = 32;
/// A round ends early when it has this many children to post: where states have thousands of children, the meetings come
/// by children, or nobody would look at the clock for long.
const FULL_POST: u64 = 1 << 14;

pub fn parallel<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let threads = budget.threads().min(MOST_THREADS);
    if threads == 1 {
        return astar(space, guide, budget);
    }
    let hall = Hall::new(threads);
    let shards: Vec<Shard> = std::thread::scope(|scope| {
        let work = |name| {
            let hall = &hall;
            scope.spawn(move || Worker::new(space, guide, budget, hall, name).run())
        };
        let workers: Vec<_> = (0..threads).map(work).collect();
        let ends = workers.into_iter().map(|worker| worker.join());
        ends.map(|end| end.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    let report = hall.report(space, &shards);
    drop(shards);
    if hall.why() == Some(Limit::Memory) {
        return go_on(space, guide(), budget, report);
    }
    report
}

fn go_on<S: Space, G: Guide<S>>(
    space: &S,
    guide: G,
    budget: &Budget,
    report: Report<S::Move>,
) -> Report<S::Move> {
    let at_least = report.outcome.at_least().unwrap_or(0);
    let given = match report.outcome {
        Outcome::Feasible { plan, cost, .. } => Some(Found { plan, cost }),
        _ => None,
    };
    let mut rest = deepen(space, guide, budget, at_least, given);
    rest.effort += report.effort;
    rest
}

/// Where the threads meet.
struct Hall {
    threads: usize,
    barrier: Barrier,
    /// From each thread to each.
    post: Vec<Mutex<Post>>,
    /// The least g + h that each thread has open.
    least: Vec<AtomicU32>,
    /// The cost of the best plan so far.
    below: AtomicU32,
    at_least: AtomicU32,
    stop: AtomicBool,
    why: Mutex<Option<Limit>>,
    expanded: AtomicU64,
    stored: AtomicU64,
}

/// Children on the way to their owner.
#[derive(Default)]
struct Post {
    packed: Vec<u64>,
    slips: Vec<Slip>,
}

/// What goes with a child.
#[derive(Clone, Copy)]
struct Slip {
    parent: u32,
    /// Where it was reached; and what the parent's bound implies for it.
    g: u32,
    h: u16,
}

struct Node {
    parent: u32,
    g: u32,
    h: u16,
    owner_of_parent: u8,
    closed: bool,
}

const DEAD: u16 = u16::MAX;
const NO_PARENT: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX;

/// The states of one thread.
struct Shard {
    registry: Registry,
    nodes: Vec<Node>,
    goal: Option<(u32, StateId)>,
    effort: Effort,
}

struct Worker<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    hall: &'a Hall,
    name: usize,
    shard: Shard,
    open: Queue,
    /// As agreed at the last meeting.
    bound: u32,
    below: u32,
    brood: Brood<S>,
    outgoing: Vec<Post>,
    found: Vec<(StateId, bool)>,
    spare: u64,
    pace: Pace,
    /// By a limit or a panic; the others are told at the next meeting.
    ended: bool,
}

impl Hall {
    fn new(threads: usize) -> Self {
        Self {
            threads,
            barrier: Barrier::new(threads),
            post: (0..threads * threads).map(|_| Mutex::default()).collect(),
            least: (0..threads).map(|_| AtomicU32::new(NOTHING)).collect(),
            below: AtomicU32::new(NOTHING),
            at_least: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            why: Mutex::default(),
            expanded: AtomicU64::new(0),
            stored: AtomicU64::new(0),
        }
    }

    fn owner(&self, packed: &[u64]) -> usize {
        // The lower half of the hash; the registry uses the upper.
        let lower = hash(packed) & u64::from(u32::MAX);
        ((lower * self.threads as u64) >> 32) as usize
    }

    fn post(&self, from: usize, to: usize) -> &Mutex<Post> {
        &self.post[from * self.threads + to]
    }

    /// The first reason to end is the one that is told.
    fn end(&self, why: Limit) {
        let mut told = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        told.get_or_insert(why);
    }

    fn why(&self) -> Option<Limit> {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner)
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
        let outcome = match (self.why(), found) {
            (Some(why), found) => plan::outcome(found, self.at_least.load(Relaxed), why),
            (None, Some(Found { plan, cost })) => Outcome::Optimal { plan, cost },
            (None, None) => Outcome::Unsolvable,
        };
        Report { outcome, effort }
    }
}

fn plan_to<S: Space>(space: &S, shards: &[Shard], owner: usize, id: StateId) -> Found<S::Move> {
    let mut way = Vec::new();
    let (mut owner, mut id) = (owner, id);
    loop {
        let node = &shards[owner].nodes[id.index()];
        if node.parent == NO_PARENT {
            break;
        }
        way.push(shards[owner].registry.state(id));
        (owner, id) = (node.owner_of_parent.into(), StateId(node.parent));
    }
    plan::along(space, way.into_iter().rev())
}

impl<'a, S: Space, G: Guide<S>> Worker<'a, S, G> {
    fn new(
        space: &'a S,
        guide: &(impl Fn() -> G + Sync),
        budget: &'a Budget,
        hall: &'a Hall,
        name: usize,
    ) -> Self {
        Self {
            space,
            guide: guide(),
            budget,
            hall,
            name,
            shard: Shard {
                registry: Registry::new(space.words()),
                nodes: Vec::new(),
                goal: None,
                effort: Effort::default(),
            },
            open: Queue::default(),
            bound: 0,
            below: NOTHING,
            brood: Brood::new(),
            outgoing: (0..hall.threads).map(|_| Post::default()).collect(),
            found: Vec::new(),
            spare: spare(budget),
            pace: Pace::new(budget),
            ended: false,
        }
    }

    /// A panic must not leave the others waiting: it ends all of them, and goes on from here afterwards.
    fn run(mut self) -> Shard {
        let mut panic = None;
        if self.name == 0 {
            self.post_start();
        }
        loop {
            self.guarded(&mut panic, Self::expand_some);
            self.hall.barrier.wait();
            self.guarded(&mut panic, Self::take_in_all);
            let least = self.open.least().map_or(NOTHING, |(f, _)| f);
            self.hall.least[self.name].store(least, Relaxed);
            self.hall.stop.fetch_or(self.ended, Relaxed);
            self.hall.barrier.wait();
            if let Some(panic) = panic {
                resume_unwind(panic);
            }
            if !self.agree() {
                return self.shard;
            }
        }
    }

    fn guarded(
        &mut self,
        panic: &mut Option<Box<dyn Any + Send>>,
        work: impl FnOnce(&mut Self) -> Result<(), Limit>,
    ) {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => {
                self.ended = true;
                self.hall.end(why);
            }
            Err(payload) => {
                self.ended = true;
                *panic = Some(payload);
            }
        }
    }

    /// What all threads conclude from what all have told: whether to go on, and with which bound. Nobody tells anything
    /// new before everybody has come to the next meeting.
    fn agree(&mut self) -> bool {
        let least = self.hall.least.iter().map(|least| least.load(Relaxed));
        self.bound = least.min().expect("there are threads");
        self.below = self.hall.below.load(Relaxed);
        let done = self.bound >= self.below || self.bound == NOTHING;
        let stopped = self.hall.stop.load(Relaxed);
        if !stopped {
            let proven = self.bound.min(self.below);
            self.hall.at_least.fetch_max(proven, Relaxed);
        }
        !done && !stopped
    }

    fn post_start(&mut self) {
        let mut packed = vec![0; self.space.words()];
        self.space.pack(&self.space.start(), &mut packed);
        let post = &mut self.outgoing[self.hall.owner(&packed)];
        post.packed = packed;
        post.slips.push(Slip {
            parent: NO_PARENT,
            g: 0,
            h: 0,
        });
    }

    /// Expands some states with the least bound, and posts their children.
    fn expand_some(&mut self) -> Result<(), Limit> {
        let round = (self.shard.registry.len() / PART).clamp(SHORT_ROUND, ROUND);
        let mut left = round;
        let full = self.shard.effort.generated + FULL_POST;
        while left > 0
            && self.shard.effort.generated < full
            && let Some((f, h)) = self.open.least()
            && f <= self.bound
        {
            let progress = || Progress {
                phase: "bound",
                depth: self.bound,
                expanded: self.hall.expanded.load(Relaxed),
                stored: self.hall.stored.load(Relaxed),
                at_least: self.bound,
                best: (self.below < NOTHING).then_some(self.below),
                ..Progress::default()
            };
            self.pace.tick(self.budget, progress)?;
            let (.., id) = self.open.pop().expect("it has a least item");
            let node = &mut self.shard.nodes[id as usize];
            if node.closed || node.g != f - h {
                continue;
            }
            node.closed = true;
            self.expand(StateId(id));
            left -= 1;
        }
        self.hall.expanded.fetch_add((round - left) as u64, Relaxed);
        for (to, outgoing) in self.outgoing.iter_mut().enumerate() {
            let post = self.hall.post(self.name, to).lock();
            let mut post = post.unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut *post, outgoing);
        }
        Ok(())
    }

    fn expand(&mut self, id: StateId) {
        let state = self.space.unpack(self.shard.registry.state(id));
        self.brood.clear();
        self.brood.raise(self.space, &mut self.guide, &state, id.0);
        self.shard.effort.expanded += 1;
        self.shard.effort.generated += self.brood.len() as u64;
        let node = &self.shard.nodes[id.index()];
        for (child, packed) in self.brood.packed(self.space) {
            let post = &mut self.outgoing[self.hall.owner(packed)];
            post.packed.extend_from_slice(packed);
            post.slips.push(Slip {
                parent: id.0,
                g: node.g.saturating_add(child.cost),
                h: u32::from(node.h).saturating_sub(child.cost) as u16,
            });
        }
    }

    fn take_in_all(&mut self) -> Result<(), Limit> {
        let before = self.shard.registry.len();
        for from in 0..self.hall.threads {
            let post = self.hall.post(from, self.name).lock();
            let mut post = post.unwrap_or_else(PoisonError::into_inner);
            self.take_in(from, &post)?;
            post.packed.clear();
            post.slips.clear();
        }
        let new = self.shard.registry.len() - before;
        self.hall.stored.fetch_add(new as u64, Relaxed);
        self.shard.effort.stored = self.shard.registry.len() as u64;
        Ok(())
    }

    /// Opens the states that are new or reached more cheaply.
    fn take_in(&mut self, from: usize, post: &Post) -> Result<(), Limit> {
        let words = self.space.words();
        let Shard {
            registry,
            nodes,
            goal,
            ..
        } = &mut self.shard;
        registry.make_room(post.slips.len(), self.spare, self.budget)?;
        registry.insert_all(&post.packed, &mut self.found);
        let children = post.packed.chunks_exact(words).zip(&post.slips);
        for ((packed, &slip), (id, new)) in children.zip(self.found.drain(..)) {
            let mut state = None;
            if new {
                let unpacked = self.space.unpack(packed);
                let h = match self.guide.lower_bound(&unpacked) {
                    Some(bound) => bound.min(u32::from(DEAD) - 1) as u16,
                    None => DEAD,
                };
                state = Some(unpacked);
                nodes.push(Node {
                    parent: slip.parent,
                    g: slip.g,
                    h: h.max(slip.h),
                    owner_of_parent: from as u8,
                    closed: false,
                });
            } else {
                let node = &mut nodes[id.index()];
                node.h = node.h.max(slip.h);
                if slip.g >= node.g {
                    continue;
                }
                node.g = slip.g;
                node.parent = slip.parent;
                node.owner_of_parent = from as u8;
                node.closed = false;
            }
            let node = &nodes[id.index()];
            let f = slip.g.saturating_add(u32::from(node.h));
            if node.h == DEAD || f >= self.below {
                continue;
            }
            let state = || state.unwrap_or_else(|| self.space.unpack(packed));
            if node.h == 0 && self.space.is_goal(&state()) {
                self.below = slip.g;
                *goal = Some((slip.g, id));
                self.hall.below.fetch_min(slip.g, Relaxed);
            } else {
                self.open.push(f, u32::from(node.h), id.0);
            }
        }
        Ok(())
    }
}
