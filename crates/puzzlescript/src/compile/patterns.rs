//! From rules of names to the rules of a [`Game`](crate::Game): terms, groups and loops. Rules that
//! can never match are removed here.

use std::collections::BTreeMap;

use super::expand::Concrete;
use super::names::{Names, Symbol};
use super::rule_text::{CellText, Mark};
use crate::fault::{Faults, Place};
use crate::game::{ACTION, Cell, Direction, Group, Motion, Phase, Rule, Term};
use crate::set::Set;

/// The bits of a rule in the reference that has a random direction on its left side.
const LEFT_RANDOM_DIRECTION: u8 = 0b00101;

/// A rule of which two objects on the left side are in the same layer.
type Overlap = (String, String);

/// A rule before it is put into its group.
struct Translated {
    rule: Rule,
    group: usize,
    late: bool,
    random: bool,
    overlap: Option<Overlap>,
}

/// The lines on which loops start and end: the line, and whether a loop starts there.
pub(super) type LoopLines = Vec<(usize, bool)>;

/// Translates rules, and puts them into groups: those before and after the movements.
pub(super) fn translate(
    rules: &[Concrete],
    names: &Names,
    faults: &mut Faults,
) -> (Vec<Group>, Vec<Group>) {
    let mut early: BTreeMap<usize, Vec<Translated>> = BTreeMap::new();
    let mut late: BTreeMap<usize, Vec<Translated>> = BTreeMap::new();
    for rule in rules {
        if let Some(translated) = translate_rule(rule, names, faults) {
            let groups = if translated.late {
                &mut late
            } else {
                &mut early
            };
            groups.entry(translated.group).or_default().push(translated);
        }
    }
    let mut groups = [early, late].map(|groups| {
        let groups = groups.into_values().map(|mut group| {
            remove_overlaps(&mut group, faults);
            group
        });
        let groups = groups.filter(|group| !group.is_empty());
        groups.collect::<Vec<Vec<Translated>>>()
    });
    for groups in &mut groups {
        check_ellipses(groups, faults);
    }
    // Rigid rules are about movements: among the late rules there are none.
    number_rigid_groups(&groups[0], faults);
    let mut numbers = 0..;
    let [early, late] = groups.each_mut().map(std::mem::take);
    let early = early.into_iter().map(|group| {
        let rigid = group.iter().any(|translated| translated.rule.rigid);
        let number = rigid.then(|| numbers.next()).flatten();
        finish_group(group, number)
    });
    let early = early.collect();
    (
        early,
        late.into_iter()
            .map(|group| finish_group(group, None))
            .collect(),
    )
}

fn finish_group(group: Vec<Translated>, rigid: Option<usize>) -> Group {
    Group {
        random: group.first().is_some_and(|first| first.random),
        rules: group
            .into_iter()
            .map(|translated| translated.rule)
            .collect(),
        rigid,
    }
}

/// What one side of a cell uses of each layer, for messages.
type Used = Vec<Option<Symbol>>;

fn translate_rule(rule: &Concrete, names: &Names, faults: &mut Faults) -> Option<Translated> {
    let place = Place::line(rule.line);
    let mut overlap = None;
    let mut ellipsis_at_edge = false;
    let mut rows = Vec::new();
    for (index, left_row) in rule.left.iter().enumerate() {
        let right_row = rule.right.get(index);
        let mut row = Vec::new();
        for (column, left) in left_row.iter().enumerate() {
            let right = right_row.map(|row| &row[column]);
            if let Some(position) = left.iter().position(|pair| pair.0 == Mark::Ellipsis) {
                // What comes before the ellipsis in its cell is checked like any other term.
                if position > 0 {
                    left_terms(
                        &left[..position].to_vec(),
                        names,
                        &mut overlap,
                        place,
                        faults,
                    );
                }
                if left.len() != 1 {
                    not_alone(place, faults);
                    return None;
                }
                if column == 0 || column == left_row.len() - 1 {
                    let message = "an ellipsis at the start or the end of a pattern is useless";
                    faults.error(place, "ellipsis-at-edge", message);
                    ellipsis_at_edge = true;
                }
                let alone = |right: &&CellText| right.len() != 1 || right[0].0 != Mark::Ellipsis;
                if right.filter(alone).is_some() {
                    let message = "an ellipsis on the left side needs one on the right side";
                    faults.error(place, "ellipsis-only-left", message);
                }
                row.push(Cell::Ellipsis);
                continue;
            }
            let (before, required, excluded) = left_terms(left, names, &mut overlap, place, faults);
            if required.meets(&excluded) {
                let both = required.iter().filter(|&number| excluded.contains(number));
                let both: Vec<String> = both
                    .map(|number| names.objects[names.numbered[number]].name.to_uppercase())
                    .map(|name| format!("{name} NO {name}"))
                    .collect();
                let message = format!(
                    "the left side wants {}: the rule can never match and is left out",
                    both.join(", ")
                );
                faults.warning(place, "wants-and-excludes", message);
                return None;
            }
            let mut after = Vec::new();
            if let Some(right) = right {
                let is_ellipsis =
                    |cell: &CellText| cell.first().is_some_and(|pair| pair.0 == Mark::Ellipsis);
                if is_ellipsis(right) {
                    let message = "an ellipsis on the right side needs one on the left side";
                    faults.error(place, "ellipsis-only-right", message);
                }
                for pair in right {
                    if pair.0 == Mark::Ellipsis && right.len() != 1 {
                        not_alone(place, faults);
                    }
                }
                after = right_terms(right, names, overlap.is_some(), place, faults);
            }
            row.push(Cell::Pattern { before, after });
        }
        rows.push(row);
    }
    if ellipsis_at_edge {
        return None;
    }
    Some(Translated {
        rule: Rule {
            line: rule.line,
            direction: rule.direction,
            rows,
            changes: !rule.right.is_empty(),
            rigid: rule.rigid && !rule.late,
            commands: rule.commands.to_vec(),
        },
        group: rule.group,
        late: rule.late,
        random: rule.random,
        overlap,
    })
}

fn not_alone(place: Place, faults: &mut Faults) {
    let message = "an ellipsis must be alone in its cell";
    faults.error(place, "ellipsis-not-alone", message);
}

/// The layer of a name in a rule, reported where there is none.
fn layer_of(name: Symbol, names: &Names, place: Place, faults: &mut Faults) -> Option<usize> {
    let layer = match names.object(name) {
        Some(object) => Some(object.layer()),
        None => names.of(name).single_layer.flatten(),
    };
    if layer.is_none() {
        let message = format!("{} is in no collision layer", names.upper(name));
        faults.error(place, "name-without-layer", message);
    }
    layer
}

fn term(name: Symbol, layer: usize, motion: Motion, names: &Names) -> Term {
    match names.object(name) {
        Some(object) => Term::Object {
            object: object.number(),
            layer,
            motion,
        },
        None => Term::Property {
            objects: mask(name, names),
            layer,
            motion,
        },
    }
}

fn mask(name: Symbol, names: &Names) -> Set {
    names.of(name).mask.clone().unwrap_or_default()
}

/// The movement of a mark.
fn motion(mark: Mark) -> Motion {
    match mark {
        Mark::Up => Motion::Moving(Direction::Up.bit()),
        Mark::Down => Motion::Moving(Direction::Down.bit()),
        Mark::Left => Motion::Moving(Direction::Left.bit()),
        Mark::Right => Motion::Moving(Direction::Right.bit()),
        Mark::Action => Motion::Moving(ACTION),
        Mark::Stationary => Motion::Stationary,
        Mark::RandomDir => Motion::RandomDirection,
        _ => Motion::Any,
    }
}

/// The terms of a cell of the left side, the objects that it requires, and those that it excludes.
fn left_terms(
    cell: &CellText,
    names: &Names,
    overlap: &mut Option<Overlap>,
    place: Place,
    faults: &mut Faults,
) -> (Vec<Term>, Set, Set) {
    let mut used: Used = vec![None; names.layers.len()];
    let (mut terms, mut required, mut excluded) = (Vec::new(), Set::new(), Set::new());
    for &(mark, name) in cell {
        if mark == Mark::Random {
            let message = "RANDOM stands only on the right side of a rule";
            faults.error(place, "random-on-the-left", message);
            continue;
        }
        let Some(layer) = layer_of(name, names, place, faults) else {
            continue;
        };
        if mark == Mark::No {
            let objects = mask(name, names);
            excluded.add(&objects);
            terms.push(Term::No(objects));
            continue;
        }
        if let Some(other) = used[layer] {
            *overlap = Some((names.upper(name), names.upper(other)));
        }
        used[layer] = Some(name);
        if names.object(name).is_some() {
            required.add(&mask(name, names));
        }
        let motion = match motion(mark) {
            Motion::RandomDirection => Motion::Moving(LEFT_RANDOM_DIRECTION),
            motion => motion,
        };
        terms.push(term(name, layer, motion, names));
    }
    (terms, required, excluded)
}

/// The terms of a cell of the right side. `overlaps`: the rule is removed later, because its left
/// side can never match.
fn right_terms(
    cell: &CellText,
    names: &Names,
    overlaps: bool,
    place: Place,
    faults: &mut Faults,
) -> Vec<Term> {
    let mut used: Used = vec![None; names.layers.len()];
    let mut used_at_random: Used = used.clone();
    let mut terms = Vec::new();
    for &(mark, name) in cell {
        if mark == Mark::Ellipsis {
            break;
        }
        if mark == Mark::Random {
            let meaning = names.of(name);
            let Some(objects) = &meaning.mask else {
                let message = format!("RANDOM cannot choose {}", names.upper(name));
                faults.error(place, "random-of-unknown", message);
                continue;
            };
            terms.push(Term::Random(objects.clone()));
            let members = meaning.property.clone().unwrap_or_else(|| vec![name]);
            if members.len() == 1 {
                let message = format!(
                    "RANDOM chooses among the objects of a property, {} is a single object",
                    names.upper(name)
                );
                faults.warning(place, "random-of-one", message);
            }
            for member in members {
                let layer = names.object(member).and_then(|object| object.layer);
                let Some(layer) = layer else { continue };
                if let Some(other) = used[layer].filter(|other| *other != member) {
                    let message = format!(
                        "RANDOM may choose {}, but {} of the same layer must be there",
                        names.upper(member),
                        names.upper(other)
                    );
                    faults.warning(place, "random-overlaps", message);
                }
                used_at_random[layer] = Some(member);
            }
            continue;
        }
        let Some(layer) = layer_of(name, names, place, faults) else {
            continue;
        };
        if mark == Mark::No {
            terms.push(Term::No(mask(name, names)));
            continue;
        }
        if let Some(other) = used[layer].or(used_at_random[layer])
            && !overlaps
        {
            let message = format!(
                "{} and {} cannot be in one cell: they are in the same layer",
                names.upper(name),
                names.upper(other)
            );
            faults.error(place, "overlap-on-the-right", message);
        }
        used[layer] = Some(name);
        terms.push(term(name, layer, motion(mark), names));
    }
    terms
}

/// Removes rules whose left side wants two objects of one layer in a cell. It is an error where no
/// copy of the rule is left.
fn remove_overlaps(group: &mut Vec<Translated>, faults: &mut Faults) {
    let mut overlaps: Vec<Overlap> = Vec::new();
    let mut index = 0;
    while index < group.len() {
        let Some(overlap) = group[index].overlap.clone() else {
            index += 1;
            continue;
        };
        let line = group[index].rule.line;
        let same = |other: Option<&Translated>| other.is_some_and(|other| other.rule.line == line);
        let has_copies =
            same(index.checked_sub(1).map(|before| &group[before])) || same(group.get(index + 1));
        group.remove(index);
        if !overlaps.contains(&overlap) {
            overlaps.push(overlap);
        }
        if !has_copies || group.is_empty() {
            let pairs: Vec<String> = overlaps
                .iter()
                .map(|(a, b)| format!("{a} and {b}"))
                .collect();
            let message = format!(
                "{} can never be in one cell, so the rule can never match",
                pairs.join("; ")
            );
            faults.error(Place::line(line), "overlap-on-the-left", message);
        }
    }
}

/// Reports ellipses that are too many, and removes the rules that have them: the reference cannot
/// play them.
fn check_ellipses(groups: &mut Vec<Vec<Translated>>, faults: &mut Faults) {
    for group in groups.iter_mut() {
        group.retain(|translated| {
            let place = Place::line(translated.rule.line);
            translated
                .rule
                .rows
                .iter()
                .all(|row| check_ellipses_of_row(row, place, faults))
        });
    }
    groups.retain(|group| !group.is_empty());
}

fn check_ellipses_of_row(row: &[Cell], place: Place, faults: &mut Faults) -> bool {
    let is_ellipsis = |cell: &Cell| matches!(cell, Cell::Ellipsis);
    let places = (0..row.len()).filter(|&index| is_ellipsis(&row[index]));
    let places: Vec<usize> = places.collect();
    if places.len() >= 2 && places[0] + 1 == places[1] {
        let message = "two ellipses in a row mean the same as one";
        faults.warning(place, "two-ellipses-in-a-row", message);
    }
    if places.len() > 2 {
        let message = "a pattern has at most two ellipses";
        faults.error(place, "three-ellipses", message);
    }
    places.len() <= 2
}

fn number_rigid_groups(groups: &[Vec<Translated>], faults: &mut Faults) {
    /// Movements hold the number of their rigid group in five bits.
    const MOST: usize = 30;
    let is_rigid = |group: &&Vec<Translated>| group.iter().any(|translated| translated.rule.rigid);
    if let Some(group) = groups.iter().filter(is_rigid).nth(MOST) {
        let message = format!("there are more than {MOST} groups with rigid rules");
        faults.error(
            Place::line(group[0].rule.line),
            "too-many-rigid-groups",
            message,
        );
    }
}

/// Finds out where loops return to.
pub(super) fn add_loops(
    mut lines: LoopLines,
    early: Vec<Group>,
    late: Vec<Group>,
    faults: &mut Faults,
) -> (Phase, Phase) {
    for (index, &(line, starts)) in lines.iter().enumerate() {
        if index % 2 == 0 && !starts {
            let message = "ENDLOOP without a STARTLOOP before it";
            faults.error(Place::line(line), "stray-endloop", message);
        } else if index % 2 == 1 && starts {
            let message = "STARTLOOP within a loop: loops cannot be nested";
            faults.error(Place::line(line), "nested-loop", message);
        }
    }
    if lines.len() % 2 == 1
        && let Some(&(line, _)) = lines.last()
    {
        let message = "STARTLOOP without an ENDLOOP after it";
        faults.error(Place::line(line), "open-loop", message);
        lines.push((line, false));
    }
    let mut phase = |groups: Vec<Group>| {
        let loops = loops(&lines, &groups, faults);
        Phase { groups, loops }
    };
    let early = phase(early);
    (early, phase(late))
}

fn loops(lines: &LoopLines, groups: &[Group], faults: &mut Faults) -> Vec<Option<usize>> {
    let mut loops = vec![None; groups.len()];
    for pair in lines.chunks_exact(2) {
        let (start, end) = (pair[0].0, pair[1].0);
        let mut first_group = None;
        for (index, group) in groups.iter().enumerate() {
            let first = group.rules.first().map_or(0, |rule| rule.line);
            let last = group.rules.last().map_or(0, |rule| rule.line);
            let inside = |line: usize| first <= line && line <= last;
            if inside(start) || inside(end) {
                let message = "a loop starts or ends within a group of rules";
                faults.error(Place::line(start), "loop-in-group", message);
            }
            if end < first {
                break;
            }
            if start <= first {
                let first_group = *first_group.get_or_insert(index);
                // Only the last group of a loop returns to its first one.
                if index > 0 && loops[index - 1] == Some(first_group) {
                    loops[index - 1] = None;
                }
                loops[index] = Some(first_group);
            }
        }
    }
    loops
}
