//! The fast engine: rules as masks of bits, boards as planes of bits.
//!
//! A rule is tried only if everything that it needs is somewhere on the board. Its matches are
//! found by shifting and intersecting the planes of what it needs, all cells at once; only what is
//! excluded, and properties, are looked up in the cells that remain. A rule that had no effect is
//! not tried again before something has changed. Movements are made where there are any.
//!
//! The slow engine says what must come out of this; `tests/engines.rs` compares them.

mod board;
mod program;

use std::cell::RefCell;
use std::sync::Arc;

use crate::engine::{Engine, MOST_ROUNDS, Turn};
use crate::game::{ACTION, ALL_MOTIONS, Direction, Game, Input, Level, Quantifier};
use crate::random::Random;
use crate::set::Set;
pub(crate) use board::{Bits, Shape};
use board::{Layout, OUTSIDE, for_each_bit};
use program::{FastGroup, FastPhase, FastRule, Pattern, Row, Translation, Wanted};

/// The fast engine.
pub struct Fast {
    layout: Layout,
    player: Wanted,
    /// The layer of each object.
    layer_of: Vec<usize>,
    rules: FastPhase,
    late: FastPhase,
    wins: Vec<FastWin>,
    /// How many rules there are, and cells in the longest row of one.
    rule_count: usize,
    longest: usize,
    has_rigid: bool,
}

struct FastWin {
    quantifier: Quantifier,
    what: Wanted,
    /// `None`: everywhere.
    on: Option<Wanted>,
}

/// A board of the fast engine.
#[derive(Clone)]
pub struct FastBoard {
    shape: Arc<Shape>,
    bits: Bits,
}

/// A match of a row: where it starts, and how many cells its ellipses skip.
#[derive(Clone, Copy)]
struct Found {
    start: u32,
    gaps: [u32; 2],
}

impl Found {
    /// For each part of the row, how many cells are skipped before it.
    fn gaps_before(self) -> [u32; 3] {
        [0, self.gaps[0], self.gaps[1]]
    }
}

/// Memory that a turn needs.
#[derive(Default)]
struct Scratch {
    players: Vec<usize>,
    /// Cells that may start a match.
    candidates: Vec<u64>,
    /// Cells that a rule changes.
    changing: Vec<u64>,
    /// The matches of the rows of a rule, one after the other, and where each row ends.
    found: Vec<Found>,
    ends: Vec<usize>,
    /// Counts changes of the board, also over turns.
    changes: u64,
    /// For each rule, the count at which it last had no effect.
    idle: Vec<u64>,
    /// Cells with movements.
    moving: Vec<usize>,
    /// For each cell and layer, the movement that a rigid rule has set and its group, from 1.
    rigid_motions: Vec<u8>,
    rigid_groups: Vec<u8>,
    banned: Vec<Option<usize>>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Fast {
    /// The engine of a game.
    pub fn new(game: &Game) -> Self {
        let layout = Layout::new(game);
        let mut translation = Translation {
            game,
            layout: &layout,
            rules: 0,
            longest: 1,
        };
        let rules = translation.phase(&game.rules);
        let late = translation.phase(&game.late);
        let (rule_count, longest) = (translation.rules, translation.longest);
        let everything = Set::below(game.objects.len());
        let wins = game.wins.iter().map(|condition| FastWin {
            quantifier: condition.quantifier,
            what: Wanted::new(&condition.what),
            // A cell that has one of the things has an object.
            on: (condition.on.all
                || condition.on.objects != everything
                || condition.what.objects.is_empty())
            .then(|| Wanted::new(&condition.on)),
        });
        Self {
            player: Wanted::new(&game.player),
            layer_of: game.objects.iter().map(|object| object.layer).collect(),
            wins: wins.collect(),
            has_rigid: game.rules.groups.iter().any(|group| group.rigid.is_some()),
            rules,
            late,
            rule_count,
            longest,
            layout,
        }
    }

    /// The shape of the board of a level.
    pub(crate) fn shape(&self, level: &Level) -> Shape {
        Shape::new(&self.layout, level.width, level.height, self.longest)
    }

    /// The board of a level.
    pub(crate) fn bits(&self, shape: &Shape, level: &Level) -> Bits {
        shape.board(level)
    }

    /// Plays the rules of one turn.
    pub(crate) fn play(
        &self,
        shape: &Shape,
        bits: &mut Bits,
        input: Option<Input>,
        random: &mut Random,
    ) -> Turn {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut run = Run {
                engine: self,
                shape,
                bits,
                scratch,
                random,
                turn: Turn::default(),
            };
            run.play(input);
            run.turn
        })
    }

    /// Whether all win conditions hold; never where there are none.
    pub(crate) fn wins(&self, shape: &Shape, bits: &Bits) -> bool {
        !self.wins.is_empty() && self.wins.iter().all(|win| self.holds(win, shape, bits))
    }

    fn holds(&self, win: &FastWin, shape: &Shape, bits: &Bits) -> bool {
        let mut words = (0..shape.words).map(|word| {
            let what = wanted_word(&win.what, shape, bits, word);
            let on = match &win.on {
                Some(on) => wanted_word(on, shape, bits, word),
                None => u64::MAX,
            };
            (what, on)
        });
        match win.quantifier {
            Quantifier::No => words.all(|(what, on)| what & on == 0),
            Quantifier::Some => words.any(|(what, on)| what & on != 0),
            Quantifier::All => words.all(|(what, on)| what & !on == 0),
        }
    }

    /// The cells that have an object, a bit for each.
    pub(crate) fn plane<'b>(&self, shape: &Shape, bits: &'b Bits, object: usize) -> &'b [u64] {
        debug_assert!(object < self.layout.objects);
        bits.plane(shape, object)
    }

    /// Puts an object, which is nowhere on the board, into these cells.
    pub(crate) fn add_plane(&self, shape: &Shape, bits: &mut Bits, object: usize, plane: &[u64]) {
        debug_assert!(object < self.layout.objects);
        bits.add_plane(shape, object, plane);
    }

    /// Removes an object from a cell.
    pub(crate) fn remove(&self, shape: &Shape, bits: &mut Bits, cell: usize, object: usize) {
        debug_assert!(object < self.layout.objects);
        bits.change(shape, cell, object / 64, 1 << (object % 64), 0);
    }

    /// The objects of each cell.
    pub(crate) fn objects(&self, shape: &Shape, bits: &Bits) -> Vec<Set> {
        let cell = |cell: usize| {
            let objects = 0..self.layout.objects;
            let there =
                |object: &usize| bits.cell(shape, cell, object / 64) >> (object % 64) & 1 == 1;
            objects.filter(there).collect()
        };
        (0..shape.cells).map(cell).collect()
    }
}

/// The cells of a word of a plane that have what is wanted.
fn wanted_word(wanted: &Wanted, shape: &Shape, bits: &Bits, word: usize) -> u64 {
    let planes = wanted.objects.iter();
    let planes = planes.map(|&object| bits.plane(shape, object)[word]);
    match wanted.all {
        // Cells beyond the last one have nothing, so they do not have all of nothing either.
        true if wanted.objects.is_empty() => shape.starts(Direction::Up, 1)[word],
        true => planes.fold(u64::MAX, |all, plane| all & plane),
        false => planes.fold(0, |any, plane| any | plane),
    }
}

/// More candidates than this for each word of a plane are checked by planes first.
const MANY: usize = 4;

/// One turn on a board.
struct Run<'r> {
    engine: &'r Fast,
    shape: &'r Shape,
    bits: &'r mut Bits,
    scratch: &'r mut Scratch,
    random: &'r mut Random,
    turn: Turn,
}

/// Turns start again at most so often because of rigid rules.
const MOST_RESTARTS: usize = 50;

impl Run<'_> {
    fn play(&mut self, input: Option<Input>) {
        let engine = self.engine;
        self.scratch.players.clear();
        if self.scratch.idle.len() < engine.rule_count {
            self.scratch.idle.resize(engine.rule_count, 0);
        }
        self.scratch.changes += 1;
        if let Some(input) = input {
            self.start_movement(input.bit());
        }
        if !engine.has_rigid {
            self.apply_phase(&engine.rules);
            self.move_objects();
            self.bits.stop(self.shape, &engine.layout);
            self.scratch.changes += 1;
            self.apply_phase(&engine.late);
        } else {
            self.play_with_rigid_rules();
        }
        let stays = |&cell: &usize| {
            let mut objects = engine.player.objects.iter();
            objects.any(|&object| {
                self.bits.cell(self.shape, cell, object / 64) >> (object % 64) & 1 == 1
            })
        };
        let players = &self.scratch.players;
        self.turn.stuck = !players.is_empty() && players.iter().all(stays);
    }

    fn play_with_rigid_rules(&mut self) {
        let engine = self.engine;
        let start = self.bits.clone();
        let size = self.shape.cells * engine.layout.layers.len();
        self.scratch.banned.clear();
        for _ in 0..MOST_RESTARTS {
            self.turn.commands.clear();
            self.scratch.rigid_motions.clear();
            self.scratch.rigid_motions.resize(size, 0);
            self.scratch.rigid_groups.clear();
            self.scratch.rigid_groups.resize(size, 0);
            self.apply_phase(&engine.rules);
            self.move_objects();
            let failed = self.ban_failed_groups();
            self.scratch.changes += 1;
            if !failed {
                self.bits.stop(self.shape, &engine.layout);
                self.scratch.banned.clear();
                self.apply_phase(&engine.late);
                return;
            }
            self.bits.0.copy_from_slice(&start.0);
            self.turn.commands.clear();
        }
    }

    fn start_movement(&mut self, bit: u8) {
        let engine = self.engine;
        for word in 0..self.shape.words {
            let mut cells = wanted_word(&engine.player, self.shape, self.bits, word);
            while cells != 0 {
                let cell = word * 64 + cells.trailing_zeros() as usize;
                cells &= cells - 1;
                self.scratch.players.push(cell);
                for &object in &engine.player.objects {
                    if self.bits.cell(self.shape, cell, object / 64) >> (object % 64) & 1 == 1 {
                        let layer = engine.layer_of[object];
                        let (word, bits) = engine.layout.motion_bits(layer, bit);
                        self.bits.change(self.shape, cell, word, 0, bits);
                    }
                }
            }
        }
    }

    fn apply_phase(&mut self, phase: &FastPhase) {
        let (mut index, mut changed, mut returns) = (0, false, 0);
        while index < phase.groups.len() {
            let group = &phase.groups[index];
            let banned = &self.scratch.banned;
            if group.rigid.is_none() || !banned.contains(&group.rigid) {
                changed |= self.apply_group(group);
            }
            match phase.loops[index] {
                Some(first) if changed => {
                    index = first;
                    changed = false;
                    returns += 1;
                    if returns > MOST_ROUNDS {
                        break;
                    }
                }
                _ => index += 1,
            }
        }
    }

    /// Whether all of these bits are set somewhere on the board.
    fn has(&self, needs: &[(usize, u64)]) -> bool {
        needs
            .iter()
            .all(|&(word, bits)| self.bits.present(self.shape, word) & bits == bits)
    }

    fn apply_group(&mut self, group: &FastGroup) -> bool {
        if !self.has(&group.needs) {
            return false;
        }
        if group.random {
            return self.apply_at_random(group);
        }
        let mut changed = false;
        for _ in 0..MOST_ROUNDS {
            let before = self.scratch.changes;
            for rule in &group.rules {
                self.apply_rule(rule, group.rigid);
            }
            if self.scratch.changes == before {
                break;
            }
            changed = true;
        }
        changed
    }

    fn apply_at_random(&mut self, group: &FastGroup) -> bool {
        let mut choices: Vec<(usize, Vec<Found>)> = Vec::new();
        for (number, rule) in group.rules.iter().enumerate() {
            if !self.find(rule) {
                continue;
            }
            let count = combinations(&self.scratch.ends);
            for index in 0..count {
                let chosen = (0..rule.rows.len()).scan(index, |rest, row| {
                    Some(*choose(&self.scratch.found, &self.scratch.ends, row, rest))
                });
                choices.push((number, chosen.collect()));
            }
        }
        if choices.is_empty() {
            return false;
        }
        let (number, found) = &choices[self.random.below(choices.len())];
        let rule = &group.rules[*number];
        let mut changed = false;
        for (row, &found) in rule.rows.iter().zip(found) {
            changed |= self.replace(rule, row, found, group.rigid);
        }
        self.scratch.changes += u64::from(changed);
        self.turn.command(&rule.commands);
        changed
    }

    /// Applies a rule wherever it matches.
    fn apply_rule(&mut self, rule: &FastRule, rigid: Option<usize>) {
        let (word, bits) = rule.first_need;
        if self.bits.present(self.shape, word) & bits != bits
            || self.scratch.idle[rule.number] == self.scratch.changes
            || !self.has(&rule.needs)
        {
            return;
        }
        if rule.single && rigid.is_none() {
            return self.apply_to_cells(rule);
        }
        if !self.find(rule) {
            self.scratch.idle[rule.number] = self.scratch.changes;
            return;
        }
        let mut changed = false;
        if rule.changes {
            for index in 0..combinations(&self.scratch.ends) {
                if index > 0 && !self.still_matches(rule, index) {
                    continue;
                }
                let mut rest = index;
                for (number, row) in rule.rows.iter().enumerate() {
                    let found = *choose(&self.scratch.found, &self.scratch.ends, number, &mut rest);
                    changed |= self.replace(rule, row, found, rigid);
                }
            }
        }
        self.turn.command(&rule.commands);
        if changed {
            self.scratch.changes += 1;
        } else if !rule.random {
            self.scratch.idle[rule.number] = self.scratch.changes;
        }
    }

    /// Applies a rule of one cell to all cells at once: they do not depend on each other.
    fn apply_to_cells(&mut self, rule: &FastRule) {
        let shape = self.shape;
        let pattern = &rule.rows[0].parts[0][0];
        let mut cells = std::mem::take(&mut self.scratch.candidates);
        cells.clear();
        cells.extend_from_slice(shape.starts(rule.direction, 1));
        let mut changed = false;
        if self.keep_matching(pattern, &mut cells) {
            self.turn.command(&rule.commands);
            // Only the cells in which something changes.
            let mut changing = std::mem::take(&mut self.scratch.changing);
            changing.clear();
            changing.resize(cells.len(), 0);
            for change in &pattern.changes {
                let present = self.bits.present(shape, change.word);
                for_each_bit(&[change.set], |bit| {
                    let plane = self.bits.plane(shape, change.word * 64 + bit);
                    let words = changing.iter_mut().zip(&cells).zip(plane);
                    words.for_each(|((changing, cells), plane)| *changing |= cells & !plane);
                });
                for_each_bit(&[change.clear & !change.set & present], |bit| {
                    let plane = self.bits.plane(shape, change.word * 64 + bit);
                    let words = changing.iter_mut().zip(&cells).zip(plane);
                    words.for_each(|((changing, cells), plane)| *changing |= cells & plane);
                });
            }
            changed = changing.iter().any(|&word| word != 0);
            if changed {
                for change in &pattern.changes {
                    let (clear, set) = (change.clear, change.set);
                    self.bits
                        .change_cells(shape, &changing, change.word, clear, set);
                }
            }
            self.scratch.changing = changing;
        }
        self.scratch.candidates = cells;
        self.scratch.changes += u64::from(changed);
        if !changed {
            self.scratch.idle[rule.number] = self.scratch.changes;
        }
    }

    /// Keeps the cells that match a pattern. Returns whether any is left.
    fn keep_matching(&self, pattern: &Pattern, cells: &mut [u64]) -> bool {
        let shape = self.shape;
        for check in &pattern.checks {
            let present = self.bits.present(shape, check.word);
            for_each_bit(&[check.set], |bit| {
                let plane = self.bits.plane(shape, check.word * 64 + bit);
                let words = cells.iter_mut().zip(plane);
                words.for_each(|(cells, plane)| *cells &= plane);
            });
            for_each_bit(&[check.clear & present], |bit| {
                let plane = self.bits.plane(shape, check.word * 64 + bit);
                let words = cells.iter_mut().zip(plane);
                words.for_each(|(cells, plane)| *cells &= !plane);
            });
        }
        for property in &pattern.any {
            for (index, cells) in cells.iter_mut().enumerate() {
                let mut any = 0;
                for &(word, bits) in property {
                    for_each_bit(&[bits & self.bits.present(shape, word)], |bit| {
                        any |= self.bits.plane(shape, word * 64 + bit)[index];
                    });
                }
                *cells &= any;
            }
        }
        cells.iter().any(|&word| word != 0)
    }

    fn still_matches(&self, rule: &FastRule, index: usize) -> bool {
        let delta = self.shape.delta(rule.direction);
        let mut rest = index;
        rule.rows.iter().enumerate().all(|(number, row)| {
            let found = *choose(&self.scratch.found, &self.scratch.ends, number, &mut rest);
            let mut cell = found.start as isize;
            row.parts
                .iter()
                .zip(found.gaps_before())
                .all(|(part, gap)| {
                    cell += delta * gap as isize;
                    part.iter().all(|pattern| {
                        let at = cell as usize;
                        cell += delta;
                        matches(pattern, self.shape, self.bits, at)
                    })
                })
        })
    }

    /// Finds the matches of all rows of a rule. Returns whether each row has one.
    fn find(&mut self, rule: &FastRule) -> bool {
        self.scratch.found.clear();
        self.scratch.ends.clear();
        for row in &rule.rows {
            let before = self.scratch.found.len();
            self.find_row(rule, row);
            if self.scratch.found.len() == before {
                return false;
            }
            self.scratch.ends.push(self.scratch.found.len());
        }
        true
    }

    fn find_row(&mut self, rule: &FastRule, row: &Row) {
        let shape = self.shape;
        let delta = shape.delta(rule.direction);
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        candidates.clear();
        candidates.extend_from_slice(shape.starts(rule.direction, row.length));
        let mut any = true;
        for &(bit, place) in &row.needs {
            let plane = self.bits.plane(shape, bit);
            any = intersect(&mut candidates, plane, delta * place as isize);
            if !any {
                break;
            }
        }
        if any && row.must_check {
            any = self.keep_possible(row, delta, &mut candidates);
        }
        if any {
            let first = self.scratch.found.len();
            for_each_bit(&candidates, |cell| self.find_from(rule, row, cell));
            // Horizontal rules go along the rows of the board, cells are numbered by columns.
            let horizontal = matches!(rule.direction, Direction::Left | Direction::Right);
            let found = &mut self.scratch.found[first..];
            if horizontal && found.len() > 1 {
                let height = shape.height as u32;
                found.sort_unstable_by_key(|found| (found.start % height, found.start, found.gaps));
            }
        }
        self.scratch.candidates = candidates;
    }

    /// Where many candidates are left, looks for the properties of the first part by planes. Returns
    /// whether any candidate is left.
    fn keep_possible(&mut self, row: &Row, delta: isize, candidates: &mut [u64]) -> bool {
        let shape = self.shape;
        let count: u32 = candidates.iter().map(|word| word.count_ones()).sum();
        if count as usize <= MANY * shape.words {
            return true;
        }
        let mut union = std::mem::take(&mut self.scratch.changing);
        let mut any = true;
        for (place, pattern) in row.parts[0].iter().enumerate() {
            for property in &pattern.any {
                union.clear();
                union.resize(shape.words, 0);
                for &(word, bits) in property {
                    for_each_bit(&[bits & self.bits.present(shape, word)], |bit| {
                        let plane = self.bits.plane(shape, word * 64 + bit);
                        let words = union.iter_mut().zip(plane);
                        words.for_each(|(union, plane)| *union |= plane);
                    });
                }
                any = any && intersect(candidates, &union, delta * place as isize);
            }
        }
        self.scratch.changing = union;
        any
    }

    /// Adds the matches that start in a cell, which has what the first part needs.
    fn find_from(&mut self, rule: &FastRule, row: &Row, cell: usize) {
        let (shape, bits): (&Shape, &Bits) = (self.shape, self.bits);
        let delta = shape.delta(rule.direction);
        let at = |first: usize, place: usize| (first as isize + delta * place as isize) as usize;
        let part = |part: &[Pattern], first: usize| {
            let mut cells = part.iter().enumerate();
            cells.all(|(place, pattern)| matches(pattern, shape, bits, at(first, place)))
        };
        if row.must_check && !part(&row.parts[0], cell) {
            return;
        }
        let start = cell as u32;
        let [first, rest @ ..] = row.parts.as_slice() else {
            return;
        };
        let room = shape.room(rule.direction, cell) - row.length;
        match rest {
            [] => self.scratch.found.push(Found {
                start,
                gaps: [0, 0],
            }),
            [second] => {
                for gap in 0..=room {
                    if part(second, at(cell, first.len() + gap)) {
                        let gaps = [gap as u32, 0];
                        self.scratch.found.push(Found { start, gaps });
                    }
                }
            }
            [second, third, ..] => {
                for gap in 0..=room {
                    let middle = first.len() + gap;
                    if !part(second, at(cell, middle)) {
                        continue;
                    }
                    for other in 0..=room - gap {
                        if part(third, at(cell, middle + second.len() + other)) {
                            let gaps = [gap as u32, other as u32];
                            self.scratch.found.push(Found { start, gaps });
                        }
                    }
                }
            }
        }
    }

    /// Puts the right side of a row where its left side was found.
    fn replace(&mut self, rule: &FastRule, row: &Row, found: Found, rigid: Option<usize>) -> bool {
        let delta = self.shape.delta(rule.direction);
        let mut cell = found.start as isize;
        let mut changed = false;
        for (part, gap) in row.parts.iter().zip(found.gaps_before()) {
            cell += delta * gap as isize;
            for pattern in part {
                changed |= self.replace_cell(rule, pattern, cell as usize, rigid);
                cell += delta;
            }
        }
        changed
    }

    fn replace_cell(
        &mut self,
        rule: &FastRule,
        pattern: &Pattern,
        cell: usize,
        rigid: Option<usize>,
    ) -> bool {
        let mut changed = false;
        if !pattern.random.is_empty() || !pattern.random_directions.is_empty() {
            changed |= self.replace_at_random(pattern, cell);
        } else {
            for change in &pattern.changes {
                let (clear, set) = (change.clear, change.set);
                changed |= self.bits.change(self.shape, cell, change.word, clear, set);
            }
        }
        if let Some(group) = rigid.filter(|_| rule.rigid) {
            changed |= self.mark_rigid(pattern, cell, group);
        }
        changed
    }

    fn replace_at_random(&mut self, pattern: &Pattern, cell: usize) -> bool {
        let layout = &self.engine.layout;
        let mut clear = vec![0; layout.words];
        let mut set = vec![0; layout.words];
        for change in &pattern.changes {
            clear[change.word] = change.clear;
            set[change.word] = change.set;
        }
        if !pattern.random.is_empty() {
            let object = pattern.random[self.random.below(pattern.random.len())];
            let layer = self.engine.layer_of[object];
            set[object / 64] |= 1 << (object % 64);
            for &(word, bits) in &layout.layers[layer] {
                clear[word] |= bits;
            }
            let (word, bits) = layout.motion_bits(layer, ALL_MOTIONS);
            clear[word] |= bits;
        }
        for &layer in &pattern.random_directions {
            let (word, bits) = layout.motion_bits(layer, 1 << self.random.below(4));
            set[word] |= bits;
        }
        (0..layout.words).fold(false, |changed, word| {
            changed
                | self
                    .bits
                    .change(self.shape, cell, word, clear[word], set[word])
        })
    }

    fn mark_rigid(&mut self, pattern: &Pattern, cell: usize, group: usize) -> bool {
        let number = group as u8 + 1;
        let first = cell * self.engine.layout.layers.len();
        let groups = &mut self.scratch.rigid_groups;
        let motions = &mut self.scratch.rigid_motions;
        let mut layers = pattern.replaced.iter().map(|layer| first + layer);
        let new_group = layers.clone().any(|at| groups[at] & number != number);
        let new_motion = layers.any(|at| motions[at] != ALL_MOTIONS);
        if !new_group || !new_motion {
            return false;
        }
        for layer in &pattern.replaced {
            groups[first + layer] |= number;
            motions[first + layer] = ALL_MOTIONS;
        }
        true
    }

    /// Moves the objects that have movements, until none can move.
    fn move_objects(&mut self) {
        let layout = &self.engine.layout;
        let mut moving = std::mem::take(&mut self.scratch.moving);
        moving.clear();
        for index in 0..self.shape.words {
            let mut cells = 0;
            for word in 0..layout.words {
                let mut motions = self.bits.present(self.shape, word) & !layout.object_bits[word];
                while motions != 0 {
                    let bit = word * 64 + motions.trailing_zeros() as usize;
                    motions &= motions - 1;
                    cells |= self.bits.plane(self.shape, bit)[index];
                }
            }
            while cells != 0 {
                moving.push(index * 64 + cells.trailing_zeros() as usize);
                cells &= cells - 1;
            }
        }
        let mut moved = !moving.is_empty();
        while moved {
            moved = false;
            for &cell in &moving {
                for layer in 0..layout.layers.len() {
                    let motion = self.bits.motion(self.shape, layout, cell, layer);
                    if motion != 0 && self.move_layer(cell, layer, motion) {
                        moved = true;
                    }
                }
            }
        }
        self.scratch.moving = moving;
    }

    fn move_layer(&mut self, cell: usize, layer: usize, motion: u8) -> bool {
        let layout = &self.engine.layout;
        let target = match motion {
            1 | 2 | 4 | 8 => self.shape.next[motion.trailing_zeros() as usize][cell],
            _ => cell as u32,
        };
        if target == OUTSIDE {
            return false;
        }
        let target = target as usize;
        let objects = &layout.layers[layer];
        let taken =
            |&(word, bits): &(usize, u64)| self.bits.cell(self.shape, target, word) & bits != 0;
        if motion != ACTION {
            if objects.iter().any(taken) {
                return false;
            }
            for &(word, bits) in objects {
                let there = self.bits.cell(self.shape, cell, word) & bits;
                if there != 0 {
                    self.bits.move_bits(self.shape, cell, target, word, there);
                }
            }
        }
        let (word, bits) = layout.motion_bits(layer, motion);
        self.bits.change(self.shape, cell, word, bits, 0);
        true
    }

    /// Bans the rigid groups whose movements were not possible. Returns whether there is a new one.
    fn ban_failed_groups(&mut self) -> bool {
        let layout = &self.engine.layout;
        let layers = layout.layers.len();
        let mut failed = false;
        for &cell in &self.scratch.moving {
            let stuck = (0..layers).find(|&layer| {
                let motion = self.bits.motion(self.shape, layout, cell, layer);
                motion & self.scratch.rigid_motions[cell * layers + layer] != 0
            });
            if let Some(layer) = stuck {
                let group = self.scratch.rigid_groups[cell * layers + layer];
                let group = usize::from(group).checked_sub(1);
                if !self.scratch.banned.contains(&group) {
                    self.scratch.banned.push(group);
                    failed = true;
                }
            }
        }
        failed
    }
}

fn matches(pattern: &Pattern, shape: &Shape, bits: &Bits, cell: usize) -> bool {
    let word = |word: usize| bits.cell(shape, cell, word);
    let checks = pattern.checks.iter().all(|check| {
        let bits = word(check.word);
        bits & check.set == check.set && bits & check.clear == 0
    });
    checks
        && pattern.any.iter().all(|property| {
            let mut words = property.iter();
            words.any(|&(number, bits)| word(number) & bits != 0)
        })
}

/// In how many ways a match of each row can be chosen. `ends`: where the matches of each row end.
fn combinations(ends: &[usize]) -> usize {
    let starts = std::iter::once(&0).chain(ends);
    ends.iter()
        .zip(starts)
        .map(|(end, start)| end - start)
        .product()
}

/// The match of a row in a combination; `rest` is what remains of its number. The first row changes
/// fastest.
fn choose<'f>(found: &'f [Found], ends: &[usize], row: usize, rest: &mut usize) -> &'f Found {
    let start = if row == 0 { 0 } else { ends[row - 1] };
    let count = ends[row] - start;
    let chosen = &found[start + *rest % count];
    *rest /= count;
    chosen
}

/// Keeps the candidates from which the cell `shift` further on is in the plane. Returns whether any
/// is left.
fn intersect(candidates: &mut [u64], plane: &[u64], shift: isize) -> bool {
    if let ([candidates], [plane]) = (&mut *candidates, plane) {
        let distance = shift.unsigned_abs() as u32;
        let shifted = match shift >= 0 {
            true => plane.checked_shr(distance),
            false => plane.checked_shl(distance),
        };
        *candidates &= shifted.unwrap_or(0);
        return *candidates != 0;
    }
    let words = (shift.unsigned_abs() / 64).min(plane.len());
    let bits = shift.unsigned_abs() % 64;
    let mut any = 0;
    let mut keep = |word: &mut u64, near: u64, far: u64| {
        *word &= near | far;
        any |= *word;
    };
    // The bits of a word come from two neighbouring words of the plane.
    if shift >= 0 {
        let near = &plane[words..];
        let (shifted, beyond) = candidates.split_at_mut(near.len());
        beyond.fill(0);
        let far = near.iter().skip(1).chain([&0]);
        for ((word, near), far) in shifted.iter_mut().zip(near).zip(far) {
            let far = if bits == 0 { 0 } else { far << (64 - bits) };
            keep(word, near >> bits, far);
        }
    } else {
        let near = &plane[..plane.len() - words];
        let (beyond, shifted) = candidates.split_at_mut(words);
        beyond.fill(0);
        let far = [&0].into_iter().chain(near);
        for ((word, near), far) in shifted.iter_mut().zip(near).zip(far) {
            let far = if bits == 0 { 0 } else { far >> (64 - bits) };
            keep(word, near << bits, far);
        }
    }
    any != 0
}

impl Engine for Fast {
    type Board = FastBoard;

    fn board(&self, level: &Level) -> FastBoard {
        let shape = self.shape(level);
        FastBoard {
            bits: self.bits(&shape, level),
            shape: Arc::new(shape),
        }
    }

    fn turn(&self, board: &mut FastBoard, input: Option<Input>, random: &mut Random) -> Turn {
        self.play(&board.shape, &mut board.bits, input, random)
    }

    fn has_won(&self, board: &FastBoard) -> bool {
        self.wins(&board.shape, &board.bits)
    }

    fn same_objects(&self, one: &FastBoard, other: &FastBoard) -> bool {
        one.bits.same_objects(&other.bits, &one.shape, &self.layout)
    }

    fn stop(&self, board: &mut FastBoard) {
        board.bits.stop(&board.shape, &self.layout);
    }

    fn cells(&self, board: &FastBoard) -> Vec<Set> {
        self.objects(&board.shape, &board.bits)
    }
}
