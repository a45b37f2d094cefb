//! Retrograde analysis: a table of the optimum of *every* state of a board with a given number of
//! craft.
//!
//! We start from all states with red on the goal and undo slides. A craft can have arrived on its
//! cell by a slide to one side if something stops it there; it then came from any of the empty
//! cells behind it. Breadth first, the layer in which a state is first reached is its optimum; a
//! state that is never reached is unsolvable. The table does not depend on a start state: it
//! answers all levels of the board.
//!
//! The index of a state has no gaps: it is made of the red cell and the rank of the set of helper
//! cells among all sets of the same size, in colexicographic order (the combinatorial number
//! system: a rank is a sum of binomials). The memory is two bytes a state plus the list of the
//! current layer: 5×5 with 7 craft has 3.4 million states.

use super::fast::{Bits, OFF_BOARD, bits};
use super::rules::{LunarLockout, Move, State};
use crate::*;

/// The optimum of every state of a level's board, with the level's number of craft.
pub struct Table {
    level: LunarLockout,
    ranks: Ranks,
    /// By state number: the optimum plus one, or 0 if unsolvable. (Zeroed pages cost nothing until
    /// they are written, and the table of a large board is mostly zeros.)
    marks: Vec<u16>,
    /// By optimum: the number of states with it.
    counts: Vec<u64>,
    /// The number of slides that were undone.
    undone: u64,
}

/// The mark of a state without a plan, or one that is not reached yet.
const UNSOLVABLE: u16 = 0;
/// The most layers of a table: a mark holds the optimum plus one.
const LONGEST: usize = u16::MAX as usize - 1;

/// Larger tables are not built: state numbers must fit in 32 bits, and the time is limited.
const MAX_STATES: u64 = 1 << 31;

impl Table {
    /// Builds the table of the level's board; `Err` if it is too large, or the budget is exhausted.
    pub fn new(level: &LunarLockout, budget: &Budget) -> Result<Self, Limit> {
        let Some(states) = size(level) else {
            return Err(Limit::Incomplete);
        };
        // Two bytes a state, and four for each state of a layer, which may be most of them.
        if !budget.affords(6 * states) {
            return Err(Limit::Memory);
        }
        let mut table = Table {
            level: level.clone(),
            ranks: Ranks::new(level),
            marks: vec![UNSOLVABLE; states as usize],
            counts: Vec::new(),
            undone: 0,
        };
        let mut layer = table.goals();
        for &number in &layer {
            table.marks[number as usize] = 1;
        }
        let mut known = 0;
        while !layer.is_empty() {
            known += layer.len() as u64;
            table.counts.push(layer.len() as u64);
            if table.counts.len() > LONGEST {
                return Err(Limit::Incomplete);
            }
            layer = table.next_layer(&layer, known, budget)?;
        }
        Ok(table)
    }

    /// The optimum from this state; `None`: there is no plan.
    pub fn optimum(&self, state: &State) -> Option<u32> {
        let craft = self.level.craft(state);
        let number = self.ranks.number(craft[0], bits(&craft[1..]));
        u32::from(self.marks[number as usize]).checked_sub(1)
    }

    /// The number of states, where helpers are interchangeable.
    pub fn states(&self) -> u64 {
        self.marks.len() as u64
    }

    /// The number of states with optimum 0, 1, 2, … up to the longest; all others are unsolvable.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The longest optimum of all.
    pub fn longest(&self) -> u32 {
        self.counts.len() as u32 - 1
    }

    /// The states with this optimum, each as a level of its own, in the order of their numbers.
    pub fn levels(&self, optimum: u32) -> impl Iterator<Item = LunarLockout> {
        let numbered = (0..).zip(&self.marks);
        let with_it = numbered.filter(move |&(_, &mark)| u32::from(mark) == optimum + 1);
        with_it.map(|(number, _)| LunarLockout {
            start: self.level.craft(&self.state(number)).to_vec(),
            ..self.level.clone()
        })
    }

    /// Every state with its optimum, in the order of their numbers; helpers are named in the order
    /// of their cells.
    pub fn all(&self) -> impl Iterator<Item = (State, Option<u32>)> {
        let numbered = (0..).zip(&self.marks);
        numbered.map(|(number, &mark)| (self.state(number), u32::from(mark).checked_sub(1)))
    }

    fn state(&self, number: u32) -> State {
        let (red, mut helpers) = self.ranks.state(number);
        let mut craft = vec![red];
        while helpers != 0 {
            craft.push(helpers.trailing_zeros() as u16);
            helpers &= helpers - 1;
        }
        State::new(&craft)
    }

    /// An optimal plan from a state; `None` if it is unsolvable. In each state it takes the first
    /// move that lowers the optimum.
    pub fn plan(&self, state: &State) -> Option<Vec<Move>> {
        let mut left = self.optimum(state)?;
        let (mut state, mut plan, mut moves) = (*state, Vec::new(), Vec::new());
        while left > 0 {
            left -= 1;
            moves.clear();
            self.level.moves(&state, &mut moves);
            let better = moves.iter().map(|&mv| (mv, self.level.apply(&state, mv)));
            let (mv, after) = better
                .into_iter()
                .find(|(_, after)| self.optimum(after) == Some(left))
                .expect("an optimum above 0 has a move that lowers it");
            plan.push(mv);
            state = after;
        }
        Some(plan)
    }

    /// The numbers of all states with red on the goal: one range.
    fn goals(&self) -> Vec<u32> {
        let red = u32::from(self.level.goal);
        (red * self.ranks.sets..(red + 1) * self.ranks.sets).collect()
    }

    fn next_layer(
        &mut self,
        layer: &[u32],
        known: u64,
        budget: &Budget,
    ) -> Result<Vec<u32>, Limit> {
        const CHECK_EVERY: usize = 4096;
        let depth = self.counts.len();
        let mut next = Vec::new();
        for (done, &number) in layer.iter().enumerate() {
            if done % CHECK_EVERY == 0 {
                budget.check(|| Progress {
                    phase: "layer",
                    depth: depth as u32,
                    expanded: known - layer.len() as u64 + done as u64,
                    stored: known + next.len() as u64,
                    ..Progress::default()
                })?;
            }
            let (red, helpers) = self.ranks.state(number);
            let (ranks, marks, undone) = (&self.ranks, &mut self.marks, &mut self.undone);
            self.level.predecessors(red, helpers, |red, helpers| {
                *undone += 1;
                let number = ranks.number(red, helpers);
                let mark = &mut marks[number as usize];
                if *mark == UNSOLVABLE {
                    *mark = depth as u16 + 1;
                    next.push(number);
                }
            });
        }
        Ok(next)
    }
}

/// The number of states in the table of this level's board; `None` if it is too large.
pub(super) fn size(level: &LunarLockout) -> Option<u64> {
    let fits = level.rows * level.cols <= Bits::BITS as usize;
    let states = super::fast::states(level)?;
    (fits && states <= MAX_STATES).then_some(states)
}

impl LunarLockout {
    /// Calls `visit` with the red cell and helper cells of every predecessor of a state.
    fn predecessors(&self, red: u16, helpers: Bits, mut visit: impl FnMut(u16, Bits)) {
        let occupied = helpers | 1 << red;
        let mut rest = occupied;
        while rest != 0 {
            let cell = rest.trailing_zeros() as u16;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            for side in Side::ALL {
                if !self.is_stopped(occupied, cell, side) {
                    continue;
                }
                let mut from = self.empty_towards(occupied, cell, side.opposite());
                while from != 0 {
                    if cell == red {
                        visit(from.trailing_zeros() as u16, helpers);
                    } else {
                        visit(red, helpers ^ bit ^ (from & from.wrapping_neg()));
                    }
                    from &= from - 1;
                }
            }
        }
    }

    /// Whether a craft on this cell is stopped there by a wall, the edge or a craft on that side.
    fn is_stopped(&self, occupied: Bits, cell: u16, side: Side) -> bool {
        let (index, from) = (side as usize, usize::from(cell));
        if self.tables.rays[index][from] == 0 {
            return self.tables.ends[index][from] != OFF_BOARD;
        }
        let (down, right) = side.step();
        let next = from as isize + down * self.cols as isize + right;
        occupied & (1 << next) != 0
    }

    /// The empty cells on the ray to that side, up to the first craft.
    fn empty_towards(&self, occupied: Bits, cell: u16, side: Side) -> Bits {
        let ray = self.tables.rays[side as usize][usize::from(cell)];
        let blockers = ray & occupied;
        if blockers == 0 {
            return ray;
        }
        match side {
            // The nearest craft on the ray has the highest cell number, or the lowest.
            Side::Up | Side::Left => {
                ray & (Bits::MAX << (127 - blockers.leading_zeros())) & !blockers
            }
            Side::Down | Side::Right => ray & ((blockers & blockers.wrapping_neg()) - 1),
        }
    }
}

/// Maps states to numbers and back.
struct Ranks {
    cells: usize,
    /// The number of helpers.
    helpers: usize,
    /// The number of sets of cells that the helpers can occupy, for a fixed red cell.
    sets: u32,
    /// `binomials[i][c]`: c choose i + 1.
    binomials: Vec<Vec<u32>>,
}

impl Ranks {
    fn new(level: &LunarLockout) -> Self {
        let cells = level.rows * level.cols;
        let helpers = level.names.len() - 1;
        let mut binomials: Vec<Vec<u32>> = Vec::new();
        for index in 0..helpers {
            let mut row = vec![0u32; cells];
            for c in 1..cells {
                let without = binomials.last().map_or(1, |above: &Vec<u32>| above[c - 1]);
                // Saturated entries are never used, because such a table would be too large.
                row[c] = row[c - 1].saturating_add(without);
            }
            debug_assert!(index < cells, "more craft than cells");
            binomials.push(row);
        }
        let sets = (size(level).expect("only tables that fit are built") / cells as u64) as u32;
        Self {
            cells,
            helpers,
            sets,
            binomials,
        }
    }

    fn number(&self, red: u16, helpers: Bits) -> u32 {
        // Cells after red are shifted down by one, so that red's own cell leaves no gap.
        let below = (1 << red) - 1;
        let mut others = helpers & below | (helpers >> 1) & !below;
        let mut number = u32::from(red) * self.sets;
        for row in &self.binomials {
            number += row[others.trailing_zeros() as usize];
            others &= others - 1;
        }
        number
    }

    fn state(&self, number: u32) -> (u16, Bits) {
        let red = number / self.sets;
        let mut rank = number % self.sets;
        let mut others: Bits = 0;
        let mut cell = self.cells - 1;
        for row in self.binomials[..self.helpers].iter().rev() {
            cell -= 1;
            while row[cell] > rank {
                cell -= 1;
            }
            rank -= row[cell];
            others |= 1 << cell;
        }
        let below = (1 << red) - 1;
        (red as u16, others & below | (others & !below) << 1)
    }
}

/// The hardest levels of a board with a given number of craft: the last layer of its table.
pub(super) fn hardest(spec: &Spec, budget: &Budget) -> Result<Hardest<LunarLockout>, NotGenerated> {
    let level = LunarLockout::generate(spec, &mut Random::new(1))?;
    let table = Table::new(&level, budget).map_err(|limit| match limit {
        Limit::Incomplete => "the table of this board is too large".to_string().into(),
        limit => NotGenerated::Limit(limit),
    })?;
    let par = table.longest();
    Ok(Hardest {
        levels: table.levels(par).collect(),
        par,
    })
}

/// The route `search:table`: builds the whole table to solve one level.
pub(super) fn search(
    level: &LunarLockout,
    _measure: &str,
    _switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    let mut effort = Effort::default();
    let outcome = match Table::new(level, budget) {
        Ok(table) => {
            effort.expanded = table.counts().iter().sum();
            effort.generated = table.undone;
            effort.stored = table.states();
            match table.plan(&level.start()) {
                Some(plan) => Outcome::Optimal {
                    cost: plan.len() as u32,
                    plan,
                },
                None => Outcome::Unsolvable,
            }
        }
        Err(why) => Outcome::GaveUp { at_least: 0, why },
    };
    Report { outcome, effort }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{optimum, read};
    use super::*;

    fn table(level: &LunarLockout) -> Table {
        Table::new(level, &Budget::unlimited()).expect("it fits")
    }

    #[test]
    fn the_longest_optima_on_5x5_agree_with_the_known_ones() {
        for (craft, longest) in [(2, 1), (3, 2), (4, 5), (5, 12), (6, 14), (7, 17)] {
            let spec = Spec::size(5, 5).with("craft", craft);
            let level = LunarLockout::generate(&spec, &mut Random::new(1)).unwrap();
            let table = table(&level);
            assert_eq!(table.longest(), longest, "{craft} craft");
            let hardest = table.levels(longest).next().expect("one has it");
            assert_eq!(optimum(&hardest), Some(longest), "{craft} craft");
        }
    }

    #[test]
    fn state_numbers_have_no_gaps_and_convert_back() {
        let level = read("game: lunar-lockout\nR.a\n.Xb\n");
        let ranks = Ranks::new(&level);
        let states = size(&level).unwrap() as u32;
        assert_eq!(states, 6 * 10);
        for number in 0..states {
            let (red, helpers) = ranks.state(number);
            assert_eq!(ranks.number(red, helpers), number);
            assert!(helpers & (1 << red) == 0 && helpers.count_ones() == 2);
        }
    }

    #[test]
    fn tables_agree_with_the_slow_rules() {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let (rows, cols) = *random.choose(&[(3, 4), (5, 2), (1, 9), (4, 4)]);
            let spec = Spec::size(rows, cols)
                .with("craft", 1 + random.below(4) as u32)
                .with("walls", random.below(6) as u32)
                .with("edge", random.below(2) as u32)
                .with("goal", 1);
            let level = LunarLockout::generate(&spec, &mut random).unwrap();
            let table = table(&level);
            for _ in 0..20 {
                let number = random.below(table.states() as usize);
                let (state, _) = table.all().nth(number).expect("it is one of them");
                let start = level.craft(&state).to_vec();
                let level = LunarLockout {
                    start,
                    ..level.clone()
                };
                let known = table.optimum(&level.start());
                assert_eq!(known, optimum(&level), "{:?}", level.write(&level.start()));
                let plan = table.plan(&level.start());
                assert_eq!(plan.as_ref().map(|plan| plan.len() as u32), known);
                if let Some(plan) = plan {
                    assert!(matches!(
                        judge(&level, "slides", &plan),
                        Ruling::Accepted { .. }
                    ));
                }
            }
        }
    }

    #[test]
    fn a_table_that_does_not_fit_gives_up_as_incomplete() {
        let level = LunarLockout::generate(&Spec::size(9, 9), &mut Random::new(1)).unwrap();
        let report = search(&level, "slides", &Switches::all_on(), &Budget::unlimited());
        let why = Limit::Incomplete;
        assert_eq!(report.outcome, Outcome::GaveUp { at_least: 0, why });
    }
}
