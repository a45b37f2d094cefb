//! From rules as they are written to rules for one direction, with objects instead of names that
//! may mean several things.
//!
//! A rule is copied for each of its directions, then for each movement that an ambiguous word such
//! as `moving` may be, then for each object that a property may be. The order of the copies is the
//! order in which the engine tries them, so it is that of the reference. A property whose objects
//! are all in one layer is kept as it is, unless it decides what the right side means.

use std::collections::VecDeque;
use std::rc::Rc;

use super::names::{Names, Symbol};
use super::rule_text::{CellText, Mark, Side, WrittenRule};
use crate::fault::{Faults, Place};
use crate::game::{Command, Direction};
use crate::set::Set;

/// A rule for one direction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Concrete {
    pub(super) line: usize,
    pub(super) group: usize,
    pub(super) direction: Direction,
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) late: bool,
    pub(super) rigid: bool,
    pub(super) random: bool,
    pub(super) commands: Rc<Vec<Command>>,
}

/// Expands rules; `None` where a rule makes the game unusable.
pub(super) fn expand(
    mut rules: Vec<WrittenRule>,
    invalid: bool,
    names: &Names,
    faults: &mut Faults,
) -> Option<Vec<Concrete>> {
    for rule in &mut rules {
        check_requirements(rule, names, faults);
    }
    let mut directed = Vec::new();
    for rule in &rules {
        for &direction in &rule.directions {
            let mut rule = with_direction(rule, direction);
            replace_aggregates(&mut rule, names, faults);
            if invalid {
                return None;
            }
            replace_synonyms(&mut rule, names);
            directed.push(rule);
        }
    }
    if invalid {
        return None;
    }
    let mut clear = true;
    let mut moving = Vec::new();
    for rule in directed {
        clear &= expand_movements(rule, &mut moving, faults);
    }
    let mut concrete = Vec::new();
    for rule in moving {
        expand_properties(rule, &mut concrete, names, faults);
    }
    for rule in &mut concrete {
        stop_spawned_objects(rule, names);
    }
    if !clear {
        return None;
    }
    remove_duplicates(&mut concrete);
    Some(concrete)
}

/// Reports objects that a cell both wants and excludes, and removes exclusions that say nothing
/// new: `no` of something whose layer is taken, and `no` on the right that is also on the left.
fn check_requirements(rule: &mut WrittenRule, names: &Names, faults: &mut Faults) {
    let place = Place::line(rule.line);
    for cell in rule.right.iter().flatten() {
        let wanted = cell.iter().filter(|(mark, _)| *mark != Mark::No);
        let wanted: Vec<(Symbol, usize)> = wanted
            .filter_map(|&(_, name)| Some((name, names.object(name)?.number())))
            .collect();
        let present: Set = wanted.iter().map(|&(_, number)| number).collect();
        for &(_, name) in cell.iter().filter(|(mark, _)| *mark == Mark::No) {
            let mask = names.of(name).mask.as_ref();
            if mask.is_some_and(|mask| mask.meets(&present)) {
                let list: Vec<String> = wanted.iter().map(|&(name, _)| names.upper(name)).collect();
                let message = format!(
                    "NO {} in a cell in which {} must be",
                    names.upper(name),
                    list.join(", ")
                );
                faults.error(place, "no-but-wanted", message);
            }
        }
    }
    for (row, cells) in rule.right.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            let Some(left) = rule.left.get(row).and_then(|row| row.get(column)) else {
                continue;
            };
            // The reference skips the entry that follows a removed one.
            let mut index = 0;
            while index < cell.len() {
                if cell[index].0 == Mark::No && left.contains(&cell[index]) {
                    cell.remove(index);
                }
                index += 1;
            }
        }
    }
    for cell in rule.left.iter_mut().flatten() {
        remove_covered(cell, place, names, faults);
    }
}

fn remove_covered(cell: &mut CellText, place: Place, names: &Names, faults: &mut Faults) {
    let mut layers = Set::new();
    let mut objects = Set::new();
    let mut occupier: Vec<Option<Symbol>> = vec![None; names.layers.len()];
    for &(_, name) in cell.iter().filter(|(mark, _)| *mark != Mark::No) {
        let meaning = names.of(name);
        let members: Vec<Symbol> = if let Some(layer) = meaning.single_layer {
            layers.insert(layer.unwrap_or(0));
            if let Some(layer) = layer {
                occupier[layer] = Some(name);
            }
            for &member in meaning.property.iter().flatten() {
                if let Some(object) = names.object(member) {
                    objects.insert(object.number());
                }
            }
            continue;
        } else if meaning.object.is_some() {
            vec![name]
        } else {
            meaning.aggregate.clone().unwrap_or_default()
        };
        for object in members.iter().filter_map(|&member| names.object(member)) {
            layers.insert(object.layer());
            objects.insert(object.number());
            if let Some(layer) = object.layer {
                occupier[layer] = Some(name);
            }
        }
    }
    cell.retain(|&(mark, name)| {
        let Some(excluded) = names.of(name).mask.as_ref().filter(|_| mark == Mark::No) else {
            return true;
        };
        let in_layer = |layer: &usize| names.layers[*layer].meets(excluded);
        let its_layers: Set = (0..names.layers.len()).filter(in_layer).collect();
        if !its_layers.within(&layers) || excluded.meets(&objects) {
            return true;
        }
        let taken = occupier.iter().enumerate();
        let taken: Vec<(usize, Symbol)> = taken
            .filter_map(|(layer, occupier)| Some((layer + 1, (*occupier)?)))
            .collect();
        let by: Vec<String> = taken.iter().map(|&(_, name)| names.upper(name)).collect();
        let on: Vec<String> = taken.iter().map(|(layer, _)| layer.to_string()).collect();
        let message = format!(
            "NO {} says nothing new: {} must be there, in the same layers ({})",
            names.upper(name),
            by.join(", "),
            on.join(", ")
        );
        faults.warning(place, "no-is-superfluous", message);
        false
    });
}

/// The rule in one direction: relative movements become absolute. A rule that looks up or left is
/// turned round, so that patterns are always found in the same order, unless it has an ellipsis.
fn with_direction(rule: &WrittenRule, direction: Mark) -> Concrete {
    let mut left = rule.left.clone();
    let mut right = rule.right.clone();
    for (mark, _) in left.iter_mut().chain(&mut right).flatten().flatten() {
        *mark = absolute(*mark, direction);
    }
    let has_ellipsis = |cell: &CellText| cell.first().is_some_and(|pair| pair.0 == Mark::Ellipsis);
    let turns = !left.iter().flatten().any(has_ellipsis);
    let direction = match direction {
        Mark::Up => Direction::Up,
        Mark::Down => Direction::Down,
        Mark::Left => Direction::Left,
        _ => Direction::Right,
    };
    let turned = match direction {
        Direction::Up if turns => Direction::Down,
        Direction::Left if turns => Direction::Right,
        same => same,
    };
    if turned != direction {
        left.iter_mut()
            .chain(&mut right)
            .for_each(|row| row.reverse());
    }
    Concrete {
        line: rule.line,
        group: rule.group,
        direction: turned,
        left,
        right,
        late: rule.late,
        rigid: rule.rigid,
        random: rule.random,
        commands: Rc::clone(&rule.commands),
    }
}

/// What a relative movement is in a direction.
fn absolute(mark: Mark, forward: Mark) -> Mark {
    let horizontal = matches!(forward, Mark::Left | Mark::Right);
    let around = [Mark::Up, Mark::Right, Mark::Down, Mark::Left];
    let quarter_turns = |turns: usize| {
        let index = around.iter().position(|&mark| mark == forward);
        around[(index.unwrap_or(0) + turns) % 4]
    };
    match mark {
        Mark::Forward => forward,
        Mark::Right90 => quarter_turns(1),
        Mark::Backward => quarter_turns(2),
        Mark::Left90 => quarter_turns(3),
        Mark::Parallel if horizontal => Mark::HorizontalParallel,
        Mark::Parallel => Mark::VerticalParallel,
        Mark::Perpendicular if horizontal => Mark::VerticalPerpendicular,
        Mark::Perpendicular => Mark::HorizontalPerpendicular,
        other => other,
    }
}

/// Replaces aggregates by their parts, the first in its place and the others at the end.
fn replace_aggregates(rule: &mut Concrete, names: &Names, faults: &mut Faults) {
    let place = Place::line(rule.line);
    for cell in rule.left.iter_mut().chain(&mut rule.right).flatten() {
        for index in 0..cell.len() {
            let (mark, name) = cell[index];
            let Some(parts) = &names.of(name).aggregate else {
                continue;
            };
            if mark == Mark::No {
                let message = format!(
                    "NO cannot exclude the aggregate {}, only objects and properties",
                    names.upper(name)
                );
                faults.error(place, "no-aggregate", message);
            }
            if let Some((first, others)) = parts.split_first() {
                cell[index].1 = *first;
                cell.extend(others.iter().map(|&part| (mark, part)));
            }
        }
    }
}

fn replace_synonyms(rule: &mut Concrete, names: &Names) {
    for (_, name) in rule
        .left
        .iter_mut()
        .chain(&mut rule.right)
        .flatten()
        .flatten()
    {
        if let Some(meaning) = names.of(*name).synonym {
            *name = meaning;
        }
    }
}

/// A choice that was made for an ambiguous word while a rule was expanded.
#[derive(Clone)]
struct Choice<K> {
    key: K,
    chosen: Mark,
    /// In how many cells of the left side the word was replaced.
    count: usize,
    /// The first of these cells.
    cell: (usize, usize),
}

/// A rule that is being expanded, with the choices so far.
#[derive(Clone)]
struct Choosing {
    rule: Concrete,
    /// By movement and object.
    of_objects: Vec<Choice<(Mark, Symbol)>>,
    /// By movement alone.
    of_movements: Vec<Choice<Mark>>,
}

/// The first ambiguous movement of a cell, and its object.
fn ambiguous(cell: &CellText) -> Option<(Mark, Symbol)> {
    cell.iter()
        .copied()
        .find(|(mark, _)| !mark.choices().is_empty())
}

/// Copies a rule for each meaning of its ambiguous movements. Returns whether the right side became
/// clear.
fn expand_movements(rule: Concrete, expanded: &mut Vec<Concrete>, faults: &mut Faults) -> bool {
    let line = rule.line;
    let mut queue = VecDeque::from([Choosing {
        rule,
        of_objects: Vec::new(),
        of_movements: Vec::new(),
    }]);
    let mut clear = true;
    while let Some(current) = queue.pop_front() {
        let mut complete = true;
        for (row, cells) in current.rule.left.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let Some((mark, name)) = ambiguous(cell) else {
                    continue;
                };
                complete = false;
                for &chosen in mark.choices() {
                    queue.push_back(current.choose(mark, name, chosen, (row, column)));
                }
            }
        }
        if complete {
            let mut rule = current.rule;
            apply_choices(&mut rule, &current.of_objects, &current.of_movements);
            if clear && let Some((mark, _)) = rule.right.iter().flatten().find_map(ambiguous) {
                clear = false;
                let message = format!(
                    "the movement \"{}\" on the right side cannot be inferred from the left side",
                    word_of(mark)
                );
                faults.error(Place::line(line), "ambiguous-movement", message);
            }
            expanded.push(rule);
        }
    }
    clear
}

/// The word of an ambiguous movement, for messages.
fn word_of(mark: Mark) -> &'static str {
    match mark {
        Mark::Horizontal => "horizontal",
        Mark::Vertical => "vertical",
        Mark::Moving => "moving",
        Mark::Orthogonal => "orthogonal",
        Mark::HorizontalParallel => "parallel (left or right)",
        Mark::VerticalParallel => "parallel (up or down)",
        Mark::HorizontalPerpendicular => "perpendicular (left or right)",
        _ => "perpendicular (up or down)",
    }
}

/// Replaces a movement of an object in a cell.
fn set_movement(cell: &mut CellText, from: (Mark, Symbol), to: Mark) {
    for pair in cell.iter_mut().filter(|pair| **pair == from) {
        pair.0 = to;
    }
}

impl Choosing {
    /// The rule with one movement chosen in a cell, on both sides.
    fn choose(&self, mark: Mark, name: Symbol, chosen: Mark, at: (usize, usize)) -> Choosing {
        let mut next = self.clone();
        let (row, column) = at;
        set_movement(&mut next.rule.left[row][column], (mark, name), chosen);
        if let Some(cell) = next
            .rule
            .right
            .get_mut(row)
            .and_then(|row| row.get_mut(column))
        {
            set_movement(cell, (mark, name), chosen);
        }
        let key = (mark, name);
        match next.of_objects.iter_mut().find(|choice| choice.key == key) {
            Some(choice) => choice.count += usize::from(choice.cell != at),
            None => next.of_objects.push(Choice {
                key,
                chosen,
                count: 1,
                cell: at,
            }),
        }
        match next
            .of_movements
            .iter_mut()
            .find(|choice| choice.key == mark)
        {
            Some(choice) => choice.count += 1,
            None => next.of_movements.push(Choice {
                key: mark,
                chosen,
                count: 1,
                cell: at,
            }),
        }
        next
    }
}

/// Makes the right side agree with choices that were made once on the left side.
fn apply_choices(
    rule: &mut Concrete,
    of_objects: &[Choice<(Mark, Symbol)>],
    of_movements: &[Choice<Mark>],
) {
    for choice in of_objects.iter().filter(|choice| choice.count == 1) {
        for cell in rule.right.iter_mut().flatten() {
            set_movement(cell, choice.key, choice.chosen);
        }
    }
    for choice in of_movements.iter().filter(|choice| choice.count == 1) {
        for (mark, _) in rule.right.iter_mut().flatten().flatten() {
            if *mark == choice.key {
                *mark = choice.chosen;
            }
        }
    }
}

/// The properties of a cell that must be of one object on the whole board. `random` chooses anew.
fn properties<'c>(cell: &'c CellText, names: &'c Names) -> impl Iterator<Item = Symbol> + 'c {
    let chosen = cell.iter().filter(|(mark, _)| *mark != Mark::Random);
    chosen
        .map(|&(_, name)| name)
        .filter(|&name| names.of(name).property.is_some())
}

fn set_property(cell: &mut CellText, property: Symbol, object: Symbol) {
    for (mark, name) in cell {
        if *name == property && *mark != Mark::Random {
            *name = object;
        }
    }
}

/// `no property` becomes `no` of each of its objects.
fn exclude_each(cell: &mut CellText, names: &Names) {
    let expand = |&(mark, name): &(Mark, Symbol)| match &names.of(name).property {
        Some(members) if mark == Mark::No => members.iter().map(|&member| (mark, member)).collect(),
        _ => vec![(mark, name)],
    };
    *cell = cell.iter().flat_map(expand).collect();
}

/// A property, the object that it became, and in how many cells.
type ChosenObject = (Symbol, Symbol, usize);

/// Copies a rule for each object of its properties, as far as needed.
fn expand_properties(
    mut rule: Concrete,
    expanded: &mut Vec<Concrete>,
    names: &Names,
    faults: &mut Faults,
) {
    for cell in rule.left.iter_mut().chain(&mut rule.right).flatten() {
        exclude_each(cell, names);
    }
    // A property that occurs on the right in a cell in which it is not on the left must be known.
    let mut undecided: Vec<Symbol> = Vec::new();
    for (left, right) in rule.left.iter().zip(&rule.right) {
        for (left, right) in left.iter().zip(right) {
            let new = |property: &Symbol| !properties(left, names).any(|known| known == *property);
            undecided.extend(properties(right, names).filter(new));
        }
    }
    let must_choose = |property: &Symbol| {
        names.of(*property).single_layer.is_none() || undecided.contains(property)
    };
    let line = rule.line;
    let mut queue: VecDeque<(Concrete, Vec<ChosenObject>)> = VecDeque::from([(rule, Vec::new())]);
    let mut complete: Vec<Concrete> = Vec::new();
    while let Some((mut rule, chosen)) = queue.pop_front() {
        let cells = rule.left.iter().enumerate();
        let mut cells = cells.flat_map(|(row, cells)| {
            let cells = cells.iter().enumerate();
            cells.map(move |(column, cell)| (row, column, cell))
        });
        let next = cells.find_map(|(row, column, cell)| {
            let property = properties(cell, names).find(must_choose)?;
            Some((row, column, property))
        });
        let Some((row, column, property)) = next else {
            for &(property, object, count) in &chosen {
                if count == 1 {
                    for cell in rule.right.iter_mut().flatten() {
                        set_property(cell, property, object);
                    }
                }
            }
            complete.push(rule);
            continue;
        };
        for &object in names.of(property).property.iter().flatten() {
            let (mut rule, mut chosen) = (rule.clone(), chosen.clone());
            set_property(&mut rule.left[row][column], property, object);
            if let Some(cell) = rule.right.get_mut(row).and_then(|row| row.get_mut(column)) {
                set_property(cell, property, object);
            }
            match chosen.iter_mut().find(|(known, _, _)| *known == property) {
                Some((_, _, count)) => *count += 1,
                None => chosen.push((property, object, 1)),
            }
            queue.push_back((rule, chosen));
        }
    }
    let right = complete.iter().flat_map(|rule| rule.right.iter().flatten());
    let remaining = right
        .flat_map(|cell| properties(cell, names))
        .filter(|property| undecided.contains(property))
        .last();
    match remaining {
        None => expanded.extend(complete),
        Some(property) => {
            let message = format!(
                "the property {} on the right side cannot be inferred from the left side",
                names.upper(property)
            );
            faults.error(Place::line(line), "ambiguous-property", message);
        }
    }
}

/// An object that a rule puts into a cell starts without movement, unless the rule says otherwise
/// or something of its layer was there before.
fn stop_spawned_objects(rule: &mut Concrete, names: &Names) {
    if rule.late {
        return;
    }
    for (left, right) in rule.left.iter().zip(&mut rule.right) {
        for (left, right) in left.iter().zip(right) {
            let mut before = Vec::new();
            for &(_, name) in left {
                match &names.of(name).property {
                    _ if names.of(name).object.is_some() => before.push(name),
                    Some(members) => before.extend(members),
                    None => {}
                }
            }
            let objects = before.iter().filter_map(|&name| names.object(name));
            let layers: Vec<Option<usize>> = objects.map(|object| object.layer).collect();
            for (mark, name) in right.iter_mut().filter(|(mark, _)| *mark == Mark::Plain) {
                let Some(object) = names.object(*name) else {
                    continue;
                };
                let known = names.of(*name).property.is_some() || before.contains(name);
                if !known && !layers.contains(&object.layer) {
                    *mark = Mark::Stationary;
                }
            }
        }
    }
}

/// Of equal copies of a rule within its group, the last one stays.
fn remove_duplicates(rules: &mut Vec<Concrete>) {
    // Two copies of a line agree in everything but their patterns and direction.
    type Key = (usize, Option<Direction>, Side, Side);
    let mut seen: std::collections::HashSet<Key> = std::collections::HashSet::new();
    let mut group = None;
    let mut keep = vec![true; rules.len()];
    for (index, rule) in rules.iter().enumerate().rev() {
        if group != Some(rule.group) {
            seen.clear();
        }
        group = Some(rule.group);
        let long = rule.left.iter().any(|row| row.len() > 1);
        let direction = long.then_some(rule.direction);
        keep[index] = seen.insert((rule.line, direction, rule.left.clone(), rule.right.clone()));
    }
    let mut keep = keep.into_iter();
    rules.retain(|_| keep.next().unwrap_or(true));
}
