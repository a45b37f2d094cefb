//! The slow engine: the rules cell by cell, as the manual describes them. It is the referee, and the
//! fast engine is held to it.
//!
//! A cell has objects, and a movement for each layer. A turn gives the movement of the input to the
//! players, and applies the groups of rules in order, each until it changes nothing more. Then the
//! objects move, as far as the cells before them are free, and the late rules are applied. If an
//! object could not make a movement that a rigid rule gave it, the turn starts again without the
//! group of that rule.

use crate::engine::{Engine, MOST_ROUNDS, Turn};
use crate::game::{
    ACTION, ALL_MOTIONS, Cell, Direction, Game, Group, Input, Level, Motion, Phase, Quantifier,
    Rule, Term, WinCondition,
};
use crate::random::Random;
use crate::set::Set;

/// Turns start again at most so often because of rigid rules.
const MOST_RESTARTS: usize = 50;

/// The slow engine.
pub struct Slow<'g> {
    game: &'g Game,
}

/// A board of the slow engine.
#[derive(Clone)]
pub struct SlowBoard {
    width: usize,
    height: usize,
    /// Column by column.
    cells: Vec<SlowCell>,
}

#[derive(Clone)]
struct SlowCell {
    objects: Set,
    /// For each layer, the bits of its movement.
    motions: Vec<u8>,
    /// For each layer, the bits that a rigid rule has set, and the number of its group, from 1.
    rigid_motions: Vec<u8>,
    rigid_groups: Vec<u8>,
}

/// The cells in which a pattern was found, in its order, without those of ellipses.
type Match = Vec<usize>;

impl<'g> Slow<'g> {
    /// The engine of a game.
    pub fn new(game: &'g Game) -> Self {
        Self { game }
    }

    /// The players of the board get a movement. Returns where they are.
    fn start_movement(&self, board: &mut SlowBoard, bit: u8) -> Vec<usize> {
        let player = &self.game.player;
        let cells = 0..board.cells.len();
        let players: Vec<usize> = cells
            .filter(|&cell| player.are_in(&board.cells[cell].objects))
            .collect();
        for &position in &players {
            let cell = &mut board.cells[position];
            for object in cell.objects.iter() {
                if player.objects.contains(object) {
                    cell.motions[self.game.objects[object].layer] |= bit;
                }
            }
        }
        players
    }

    /// Applies the groups of a phase in order, with its loops.
    fn apply_phase(
        &self,
        phase: &Phase,
        board: &mut SlowBoard,
        banned: &[usize],
        turn: &mut Turn,
        random: &mut Random,
    ) {
        let (mut index, mut changed, mut returns) = (0, false, 0);
        while index < phase.groups.len() {
            let group = &phase.groups[index];
            if !group.rigid.is_some_and(|rigid| banned.contains(&rigid)) {
                changed |= self.apply_group(group, board, turn, random);
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

    /// Applies the rules of a group until none changes anything. Returns whether one did.
    fn apply_group(
        &self,
        group: &Group,
        board: &mut SlowBoard,
        turn: &mut Turn,
        random: &mut Random,
    ) -> bool {
        if group.random {
            return self.apply_at_random(group, board, turn, random);
        }
        let mut changed = false;
        for _ in 0..MOST_ROUNDS {
            let mut changed_now = false;
            for rule in &group.rules {
                changed_now |= self.apply_rule(rule, group, board, turn, random);
            }
            if !changed_now {
                break;
            }
            changed = true;
        }
        changed
    }

    /// Applies one match of one rule, chosen among all.
    fn apply_at_random(
        &self,
        group: &Group,
        board: &mut SlowBoard,
        turn: &mut Turn,
        random: &mut Random,
    ) -> bool {
        let mut choices: Vec<(&Rule, Vec<Match>)> = Vec::new();
        for rule in &group.rules {
            if let Some(matches) = self.find(rule, board) {
                choices.extend(combinations(&matches).map(|found| (rule, found)));
            }
        }
        if choices.is_empty() {
            return false;
        }
        let (rule, found) = &choices[random.below(choices.len())];
        let changed = self.replace(rule, group, found, board, random);
        turn.command(&rule.commands);
        changed
    }

    /// Applies a rule wherever it matches. Returns whether something changed.
    fn apply_rule(
        &self,
        rule: &Rule,
        group: &Group,
        board: &mut SlowBoard,
        turn: &mut Turn,
        random: &mut Random,
    ) -> bool {
        let Some(matches) = self.find(rule, board) else {
            return false;
        };
        let mut changed = false;
        if rule.changes {
            for (index, found) in combinations(&matches).enumerate() {
                // An earlier replacement may have changed what was found.
                if index == 0 || self.still_matches(rule, &found, board) {
                    changed |= self.replace(rule, group, &found, board, random);
                }
            }
        }
        turn.command(&rule.commands);
        changed
    }

    /// The matches of each row of a rule; `None` where a row has none.
    fn find(&self, rule: &Rule, board: &SlowBoard) -> Option<Vec<Vec<Match>>> {
        let rows = rule.rows.iter().map(|row| {
            let matches = self.find_row(row, rule.direction, board);
            (!matches.is_empty()).then_some(matches)
        });
        rows.collect()
    }

    fn find_row(&self, row: &[Cell], direction: Direction, board: &SlowBoard) -> Vec<Match> {
        let mut matches = Vec::new();
        let horizontal = matches!(direction, Direction::Left | Direction::Right);
        // Along the rows for a horizontal rule, along the columns for a vertical one.
        let (lines, places) = match horizontal {
            true => (board.height, board.width),
            false => (board.width, board.height),
        };
        for line in 0..lines {
            for place in 0..places {
                let (x, y) = if horizontal {
                    (place, line)
                } else {
                    (line, place)
                };
                let start = (x as isize, y as isize);
                self.extend(row, start, direction, board, &mut Vec::new(), &mut matches);
            }
        }
        matches
    }

    /// Adds the matches of the rest of a row that starts at a place, after the cells found so far.
    fn extend(
        &self,
        row: &[Cell],
        (x, y): (isize, isize),
        direction: Direction,
        board: &SlowBoard,
        found: &mut Match,
        matches: &mut Vec<Match>,
    ) {
        let (dx, dy) = direction.step();
        match row.split_first() {
            None => matches.push(found.clone()),
            Some((Cell::Ellipsis, rest)) => {
                let (mut x, mut y) = (x, y);
                while board.position(x, y).is_some() {
                    self.extend(rest, (x, y), direction, board, found, matches);
                    (x, y) = (x + dx, y + dy);
                }
            }
            Some((Cell::Pattern { before, .. }, rest)) => {
                let Some(position) = board.position(x, y) else {
                    return;
                };
                if self.cell_matches(before, &board.cells[position]) {
                    found.push(position);
                    self.extend(rest, (x + dx, y + dy), direction, board, found, matches);
                    found.pop();
                }
            }
        }
    }

    fn still_matches(&self, rule: &Rule, found: &[Match], board: &SlowBoard) -> bool {
        let pairs = rule.rows.iter().zip(found);
        pairs.into_iter().all(|(row, found)| {
            let mut cells = patterns(row).zip(found);
            cells.all(|((before, _), &at)| self.cell_matches(before, &board.cells[at]))
        })
    }

    fn cell_matches(&self, before: &[Term], cell: &SlowCell) -> bool {
        let moves = |layer: usize, motion: Motion| match motion {
            Motion::Any => true,
            Motion::Stationary => cell.motions[layer] == 0,
            Motion::Moving(bits) => cell.motions[layer] & bits == bits,
            Motion::RandomDirection => false,
        };
        before.iter().all(|term| match term {
            Term::No(objects) => !objects.meets(&cell.objects),
            Term::Object {
                object,
                layer,
                motion,
            } => cell.objects.contains(*object) && moves(*layer, *motion),
            Term::Property {
                objects,
                layer,
                motion,
            } => objects.meets(&cell.objects) && moves(*layer, *motion),
            Term::Random(_) => false,
        })
    }

    /// Replaces what the left side of a rule found by the right side. Returns whether something
    /// changed.
    fn replace(
        &self,
        rule: &Rule,
        group: &Group,
        found: &[Match],
        board: &mut SlowBoard,
        random: &mut Random,
    ) -> bool {
        let rigid = group.rigid.filter(|_| rule.rigid);
        let mut changed = false;
        for (row, found) in rule.rows.iter().zip(found) {
            for ((before, after), &position) in patterns(row).zip(found) {
                let cell = &mut board.cells[position];
                changed |= self.replace_cell(before, after, rigid, cell, random);
            }
        }
        changed
    }

    fn replace_cell(
        &self,
        before: &[Term],
        after: &[Term],
        rigid: Option<usize>,
        cell: &mut SlowCell,
        random: &mut Random,
    ) -> bool {
        let layers = self.game.layers.len();
        let mut removed = Set::new();
        let mut added = Set::new();
        // For each layer: movements that end, that start, and whether all of them are replaced.
        let mut ended = vec![0; layers];
        let mut started = vec![0; layers];
        let mut replaced = vec![false; layers];

        // The objects of the right side take their layers.
        for term in after {
            match term {
                Term::No(objects) => removed.add(objects),
                Term::Object { object, layer, .. } => {
                    added.insert(*object);
                    removed.add(&self.game.layers[*layer]);
                }
                Term::Property { .. } | Term::Random(_) => {}
            }
            if let Some((layer, motion)) = motion_of(term) {
                replaced[layer] |= motion != Motion::Any;
                match motion {
                    Motion::Stationary => ended[layer] = ALL_MOTIONS,
                    Motion::Moving(bits) => started[layer] |= bits,
                    Motion::Any | Motion::RandomDirection => {}
                }
            }
        }
        // What the left side names and the right side does not is removed.
        let named: Set = objects_of(before).map(|(object, _)| object).collect();
        if !named.within(&added) {
            removed.add(&named);
        }
        let mut moving = vec![0; layers];
        for (layer, motion) in before.iter().filter_map(motion_of) {
            if let Motion::Moving(bits) = motion {
                moving[layer] |= bits;
            }
            if !after
                .iter()
                .filter_map(motion_of)
                .any(|(other, _)| other == layer)
            {
                removed.add(&self.game.layers[layer]);
                replaced[layer] = true;
            }
        }
        if (0..layers).any(|layer| moving[layer] & !started[layer] != 0) {
            (0..layers).for_each(|layer| ended[layer] |= moving[layer]);
        }
        for (_, layer) in objects_of(before) {
            replaced[layer] |= !objects_of(after).any(|(_, other)| other == layer);
        }

        // Random choices: at most one object for the whole cell, one direction for each layer.
        let mut choices = Set::new();
        for term in after {
            if let Term::Random(objects) = term {
                choices.add(objects);
            }
        }
        let choices: Vec<usize> = choices.iter().collect();
        if !choices.is_empty() {
            let object = choices[random.below(choices.len())];
            let layer = self.game.objects[object].layer;
            added.insert(object);
            removed.add(&self.game.layers[layer]);
            ended[layer] = ALL_MOTIONS;
        }
        for (layer, started) in started.iter_mut().enumerate() {
            let chooses = |(of, motion)| of == layer && motion == Motion::RandomDirection;
            if after.iter().filter_map(motion_of).any(chooses) {
                *started |= 1 << random.below(4);
            }
        }

        let mut objects = cell.objects.clone();
        objects.remove(&removed);
        objects.add(&added);
        let motions: Vec<u8> = (0..layers)
            .map(|layer| {
                let ends = if replaced[layer] {
                    ALL_MOTIONS
                } else {
                    ended[layer]
                };
                cell.motions[layer] & !ends | started[layer]
            })
            .collect();
        let mut changed = objects != cell.objects || motions != cell.motions;
        changed |= rigid.is_some_and(|group| mark_rigid(cell, &replaced, group));
        cell.objects = objects;
        cell.motions = motions;
        changed
    }

    /// Moves the objects. Returns the rigid groups to ban, where a movement that one of them gave
    /// was not possible.
    fn move_objects(&self, board: &mut SlowBoard) -> Vec<Option<usize>> {
        let mut moved = true;
        while moved {
            moved = false;
            for position in 0..board.cells.len() {
                for layer in 0..self.game.layers.len() {
                    moved |= self.move_layer(board, position, layer);
                }
            }
        }
        let mut failed = Vec::new();
        for cell in &mut board.cells {
            let stuck = cell.motions.iter().zip(&cell.rigid_motions);
            let mut stuck = stuck.map(|(motion, rigid)| motion & rigid);
            if let Some(layer) = stuck.position(|bits| bits != 0) {
                failed.push(usize::from(cell.rigid_groups[layer]).checked_sub(1));
            }
            cell.motions.fill(0);
            cell.rigid_motions.fill(0);
            cell.rigid_groups.fill(0);
        }
        failed
    }

    /// Moves what is in a layer of a cell, if it has a movement and the way is free.
    fn move_layer(&self, board: &mut SlowBoard, position: usize, layer: usize) -> bool {
        let motion = board.cells[position].motions[layer];
        if motion == 0 {
            return false;
        }
        let objects_of_layer = &self.game.layers[layer];
        let direction = Direction::ALL.iter().find(|one| one.bit() == motion);
        let target = match direction {
            Some(direction) => {
                let (dx, dy) = direction.step();
                let (x, y) = (position / board.height, position % board.height);
                board.position(x as isize + dx, y as isize + dy)
            }
            None => Some(position),
        };
        let Some(target) = target else {
            return false;
        };
        if motion != ACTION && objects_of_layer.meets(&board.cells[target].objects) {
            return false;
        }
        let objects = board.cells[position].objects.iter();
        let moving: Set = objects
            .filter(|&object| objects_of_layer.contains(object))
            .collect();
        board.cells[position].objects.remove(&moving);
        board.cells[target].objects.add(&moving);
        board.cells[position].motions[layer] = 0;
        true
    }

    fn holds(&self, condition: &WinCondition, board: &SlowBoard) -> bool {
        let mut there = board.cells.iter().map(|cell| {
            let what = condition.what.are_in(&cell.objects);
            (what, condition.on.are_in(&cell.objects))
        });
        match condition.quantifier {
            Quantifier::No => !there.any(|(what, on)| what && on),
            Quantifier::Some => there.any(|(what, on)| what && on),
            Quantifier::All => there.all(|(what, on)| !what || on),
        }
    }
}

/// All combinations of one match for each row; the first row changes fastest.
fn combinations(matches: &[Vec<Match>]) -> impl Iterator<Item = Vec<Match>> {
    let count = matches.iter().map(Vec::len).product();
    (0..count).map(|index: usize| {
        let mut rest = index;
        let choose = |row: &Vec<Match>| {
            let chosen = row[rest % row.len()].clone();
            rest /= row.len();
            chosen
        };
        matches.iter().map(choose).collect()
    })
}

/// Both sides of the cells of a row that are not ellipses.
fn patterns(row: &[Cell]) -> impl Iterator<Item = (&[Term], &[Term])> {
    row.iter().filter_map(|cell| match cell {
        Cell::Ellipsis => None,
        Cell::Pattern { before, after } => Some((before.as_slice(), after.as_slice())),
    })
}

/// The layer and the movement of a term about something that is there.
fn motion_of(term: &Term) -> Option<(usize, Motion)> {
    match term {
        Term::Object { layer, motion, .. } | Term::Property { layer, motion, .. } => {
            Some((*layer, *motion))
        }
        Term::No(_) | Term::Random(_) => None,
    }
}

/// The objects of terms, with their layers.
fn objects_of(terms: &[Term]) -> impl Iterator<Item = (usize, usize)> {
    terms.iter().filter_map(|term| match term {
        Term::Object { object, layer, .. } => Some((*object, *layer)),
        _ => None,
    })
}

/// Notes which movements of a cell a rigid rule has replaced. Returns whether that is new.
fn mark_rigid(cell: &mut SlowCell, replaced: &[bool], group: usize) -> bool {
    let number = group as u8 + 1;
    let layers: Vec<usize> = (0..replaced.len())
        .filter(|&layer| replaced[layer])
        .collect();
    let new_group = layers
        .iter()
        .any(|&layer| cell.rigid_groups[layer] & number != number);
    let new_motion = layers
        .iter()
        .any(|&layer| cell.rigid_motions[layer] != ALL_MOTIONS);
    if !new_group || !new_motion {
        return false;
    }
    for layer in layers {
        cell.rigid_groups[layer] |= number;
        cell.rigid_motions[layer] = ALL_MOTIONS;
    }
    true
}

impl SlowBoard {
    /// The index of the cell in a column and a row, if it is on the board.
    fn position(&self, x: isize, y: isize) -> Option<usize> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width && y < self.height).then_some(x * self.height + y)
    }
}

impl Engine for Slow<'_> {
    type Board = SlowBoard;

    fn board(&self, level: &Level) -> SlowBoard {
        let none = vec![0; self.game.layers.len()];
        let cell = |objects: &Set| SlowCell {
            objects: objects.clone(),
            motions: none.clone(),
            rigid_motions: none.clone(),
            rigid_groups: none.clone(),
        };
        SlowBoard {
            width: level.width,
            height: level.height,
            cells: level.cells.iter().map(cell).collect(),
        }
    }

    fn turn(&self, board: &mut SlowBoard, input: Option<Input>, random: &mut Random) -> Turn {
        let players = match input {
            Some(input) => self.start_movement(board, input.bit()),
            None => Vec::new(),
        };
        let start = board.clone();
        let mut turn = Turn::default();
        let mut banned: Vec<Option<usize>> = Vec::new();
        for _ in 0..MOST_RESTARTS {
            turn.commands.clear();
            let groups: Vec<usize> = banned.iter().copied().flatten().collect();
            self.apply_phase(&self.game.rules, board, &groups, &mut turn, random);
            let mut failed = self.move_objects(board);
            failed.retain(|group| !banned.contains(group));
            if failed.is_empty() {
                self.apply_phase(&self.game.late, board, &[], &mut turn, random);
                break;
            }
            banned.extend(failed);
            board.clone_from(&start);
            turn.commands.clear();
        }
        let player = &self.game.player.objects;
        let stays = |&position: &usize| player.meets(&board.cells[position].objects);
        turn.stuck = !players.is_empty() && players.iter().all(stays);
        turn
    }

    fn has_won(&self, board: &SlowBoard) -> bool {
        let mut conditions = self.game.wins.iter();
        !self.game.wins.is_empty() && conditions.all(|condition| self.holds(condition, board))
    }

    fn same_objects(&self, one: &SlowBoard, other: &SlowBoard) -> bool {
        let one = one.cells.iter().map(|cell| &cell.objects);
        one.eq(other.cells.iter().map(|cell| &cell.objects))
    }

    fn stop(&self, board: &mut SlowBoard) {
        board.cells.iter_mut().for_each(|cell| cell.motions.fill(0));
    }

    fn cells(&self, board: &SlowBoard) -> Vec<Set> {
        board
            .cells
            .iter()
            .map(|cell| cell.objects.clone())
            .collect()
    }
}
