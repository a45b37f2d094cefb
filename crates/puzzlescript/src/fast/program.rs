//! The rules of a game as planes that a match needs, excludes and changes.

use super::board::Layout;
use super::independence;
use crate::game::{
    ALL_MOTIONS, Cell, Command, Direction, Game, Group, Motion, Phase, Rule, Term, Things,
};
use crate::set::Set;

/// Planes by words of the vector that tells which have a bit at all.
pub(super) type Mask = Vec<(usize, u64)>;

/// A cell of a pattern. All numbers are planes.
pub(super) struct Pattern {
    /// All of these must have the cell.
    pub(super) wanted: Vec<usize>,
    /// None of these may have it.
    pub(super) excluded: Mask,
    /// For each property, its objects: one of them must have it.
    pub(super) any: Vec<Mask>,
    /// These get the cell, those lose it.
    pub(super) set: Vec<usize>,
    pub(super) clear: Mask,
    /// The objects among which one is chosen at random.
    pub(super) random: Vec<usize>,
    /// The layers that get a random direction.
    pub(super) random_directions: Vec<usize>,
    /// The layers whose movement is replaced; for rigid rules.
    pub(super) replaced: Vec<usize>,
}

impl Pattern {
    /// Something is chosen at random.
    pub(super) fn is_random(&self) -> bool {
        !self.random.is_empty() || !self.random_directions.is_empty()
    }

    /// There is more to check than what is wanted.
    pub(super) fn is_picky(&self) -> bool {
        !self.excluded.is_empty() || !self.any.is_empty()
    }
}

/// Patterns next to each other.
pub(super) struct Part {
    pub(super) patterns: Vec<Pattern>,
    /// The planes that are wanted, with the place of their pattern.
    pub(super) wanted: Vec<(usize, usize)>,
}

/// A row of patterns, in parts between which there are ellipses.
pub(super) struct Row {
    pub(super) parts: Vec<Part>,
    /// The number of patterns.
    pub(super) length: usize,
}

/// How a rule is applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To all matches at once: none of them has an effect on another one.
    AtOnce {
        /// No match is left or made by that, so the rule need not be tried again.
        settles: bool,
    },
    /// One match after the other. All effects are known from the planes.
    InTurn {
        /// Nothing that the rule adds is removed by it, so that a match without effect stays one.
        monotone: bool,
    },
    /// One match after the other: there are ellipses, random choices or rigid movements.
    Listed,
}

/// A rule.
pub(super) struct FastRule {
    pub(super) direction: Direction,
    /// The planes that must have a bit.
    pub(super) needs: Mask,
    pub(super) rows: Vec<Row>,
    pub(super) changes: bool,
    pub(super) rigid: bool,
    pub(super) random: bool,
    pub(super) way: Way,
    pub(super) commands: Vec<Command>,
}

/// A part of what a rule or a group needs: a word and its bits. Most are not tried because of it.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    pub(super) word: usize,
    pub(super) bits: u64,
}

impl Gate {
    /// The last word, where the movements are.
    fn of(needs: &[(usize, u64)]) -> Self {
        let (word, bits) = needs.last().copied().unwrap_or((0, 0));
        Self { word, bits }
    }
}

/// A group of rules.
pub(super) struct FastGroup {
    /// What all of its rules need.
    pub(super) gate: Gate,
    /// Its rules among those of the phase.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) random: bool,
    pub(super) rigid: Option<usize>,
}

/// The groups before or after the movements.
pub(super) struct FastPhase {
    pub(super) groups: Vec<FastGroup>,
    pub(super) loops: Vec<Option<usize>>,
    pub(super) rules: Vec<FastRule>,
    /// One for each rule.
    pub(super) gates: Vec<Gate>,
    /// The number of its first rule among all rules.
    pub(super) first_rule: usize,
}

/// Objects of which a cell must have one, or all.
pub(super) struct Wanted {
    pub(super) objects: Vec<usize>,
    pub(super) all: bool,
}

impl Wanted {
    pub(super) fn new(things: &Things) -> Self {
        Self {
            objects: things.objects.iter().collect(),
            all: things.all,
        }
    }
}

/// Translates the rules of a game.
pub(super) struct Translation<'g> {
    pub(super) game: &'g Game,
    pub(super) layout: &'g Layout,
    /// How many rules were translated.
    pub(super) rules: usize,
    /// The largest number of cells of a row.
    pub(super) longest: usize,
}

impl Translation<'_> {
    pub(super) fn phase(&mut self, phase: &Phase) -> FastPhase {
        let first_rule = self.rules;
        let mut rules = Vec::new();
        let groups = phase.groups.iter();
        let groups: Vec<FastGroup> = groups.map(|group| self.group(group, &mut rules)).collect();
        self.rules += rules.len();
        FastPhase {
            groups,
            loops: phase.loops.clone(),
            gates: rules.iter().map(|rule| Gate::of(&rule.needs)).collect(),
            rules,
            first_rule,
        }
    }

    fn group(&mut self, group: &Group, rules: &mut Vec<FastRule>) -> FastGroup {
        let first = rules.len();
        let translated = group.rules.iter();
        rules.extend(translated.filter_map(|rule| self.rule(rule, group)));
        let of_group = &rules[first..];
        let mut common = of_group
            .first()
            .map_or(Vec::new(), |rule| rule.needs.clone());
        for rule in of_group {
            for (word, bits) in &mut common {
                let needs = rule.needs.iter().find(|(other, _)| other == word);
                *bits &= needs.map_or(0, |(_, bits)| *bits);
            }
        }
        common.retain(|(_, bits)| *bits != 0);
        FastGroup {
            gate: Gate::of(&common),
            first,
            end: rules.len(),
            random: group.random,
            rigid: group.rigid,
        }
    }

    /// The rule; `None` where it wants a movement that nothing ever has.
    fn rule(&mut self, rule: &Rule, group: &Group) -> Option<FastRule> {
        let rows = rule.rows.iter().map(|row| self.row(row));
        let mut rows: Vec<Row> = rows.collect::<Option<_>>()?;
        let parts = || rows.iter().flat_map(|row| &row.parts);
        let needs: Set = parts()
            .flat_map(|part| &part.wanted)
            .map(|&(plane, _)| plane)
            .collect();
        let random = parts()
            .flat_map(|part| &part.patterns)
            .any(Pattern::is_random);
        let plain = rule.changes
            && !random
            && group.rigid.is_none()
            && rows.iter().all(|row| row.parts.len() == 1);
        let way = match plain {
            true => independence::way(&mut rows, self.layout, !self.game.faulty),
            false => Way::Listed,
        };
        Some(FastRule {
            direction: rule.direction,
            needs: mask(&needs),
            rows,
            changes: rule.changes,
            rigid: rule.rigid,
            random,
            way,
            commands: rule.commands.clone(),
        })
    }

    fn row(&mut self, row: &[Cell]) -> Option<Row> {
        let mut parts = Vec::new();
        let mut length = 0;
        for cells in row.split(|cell| matches!(cell, Cell::Ellipsis)) {
            let patterns = cells.iter().map(|cell| match cell {
                Cell::Ellipsis => None,
                Cell::Pattern { before, after } => self.pattern(before, after),
            });
            let patterns: Vec<Pattern> = patterns.collect::<Option<_>>()?;
            length += patterns.len();
            let places = patterns.iter().enumerate();
            let mut wanted: Vec<(usize, usize)> = places
                .flat_map(|(place, pattern)| pattern.wanted.iter().map(move |&it| (it, place)))
                .collect();
            // Movements are rarer than objects: they come first.
            wanted.sort_by_key(|&(plane, place)| (plane < self.layout.objects, place));
            parts.push(Part { patterns, wanted });
        }
        self.longest = self.longest.max(length);
        Some(Row { parts, length })
    }

    /// The pattern; `None` where it wants a movement that nothing ever has.
    fn pattern(&self, before: &[Term], after: &[Term]) -> Option<Pattern> {
        let layout = self.layout;
        let (mut wanted, mut excluded) = (Set::new(), Set::new());
        let mut any = Vec::new();
        for term in before {
            match term {
                Term::No(objects) => excluded.add(objects),
                Term::Object { object, .. } => wanted.insert(*object),
                Term::Property { objects, .. } => any.push(mask(objects)),
                Term::Random(_) => {}
            }
            match motion(term) {
                Some((layer, Motion::Stationary)) => {
                    excluded.add(&layout.motion_planes(layer, ALL_MOTIONS).collect());
                }
                Some((layer, Motion::Moving(bits))) => {
                    layout.motion[layer]?;
                    wanted.add(&layout.motion_planes(layer, bits).collect());
                }
                _ => {}
            }
        }
        let mut pattern = Pattern {
            wanted: wanted.iter().collect(),
            excluded: mask(&excluded),
            any,
            set: Vec::new(),
            clear: Vec::new(),
            random: Vec::new(),
            random_directions: Vec::new(),
            replaced: Vec::new(),
        };
        self.replacement(before, after, &wanted, &mut pattern);
        Some(pattern)
    }

    /// What changes where the left side of a pattern was found.
    fn replacement(&self, before: &[Term], after: &[Term], wanted: &Set, pattern: &mut Pattern) {
        let layout = self.layout;
        let (mut set, mut clear) = (Set::new(), Set::new());
        let mut replaced = Set::new();
        let mut random = Set::new();
        let mut directions = Set::new();
        for term in after {
            match term {
                Term::No(objects) => clear.add(objects),
                Term::Random(objects) => random.add(objects),
                Term::Object { object, layer, .. } => {
                    set.insert(*object);
                    clear.add(&self.game.layers[*layer]);
                }
                Term::Property { .. } => {}
            }
            let Some((layer, motion)) = motion(term) else {
                continue;
            };
            match motion {
                Motion::Any => continue,
                Motion::Stationary => {}
                Motion::Moving(bits) => set.add(&layout.motion_planes(layer, bits).collect()),
                Motion::RandomDirection => directions.insert(layer),
            }
            replaced.insert(layer);
        }
        // Objects and movements are compared separately: of either, all that the left side wants is
        // cleared unless the right side sets all of it.
        for objects in [true, false] {
            let part = wanted.iter();
            let part: Set = part
                .filter(|&it| (it < layout.objects) == objects)
                .collect();
            if !part.within(&set) {
                clear.add(&part);
            }
        }
        let layers_of = |terms: &[Term], objects: bool| -> Set {
            let terms = terms.iter();
            let terms = terms.filter(|term| !objects || matches!(term, Term::Object { .. }));
            terms.filter_map(motion).map(|(layer, _)| layer).collect()
        };
        let mut gone = layers_of(before, false);
        gone.remove(&layers_of(after, false));
        for layer in gone.iter() {
            clear.add(&self.game.layers[layer]);
        }
        replaced.add(&gone);
        let mut gone = layers_of(before, true);
        gone.remove(&layers_of(after, true));
        replaced.add(&gone);
        for layer in replaced.iter() {
            clear.add(&layout.motion_planes(layer, ALL_MOTIONS).collect());
        }
        clear.remove(&set);
        pattern.set = set.iter().collect();
        pattern.clear = mask(&clear);
        pattern.random = random.iter().collect();
        pattern.random_directions = directions.iter().collect();
        pattern.replaced = replaced.iter().collect();
    }
}

fn motion(term: &Term) -> Option<(usize, Motion)> {
    match term {
        Term::Object { layer, motion, .. } | Term::Property { layer, motion, .. } => {
            Some((*layer, *motion))
        }
        Term::No(_) | Term::Random(_) => None,
    }
}

/// The numbers of a set as bits of words, without empty words.
pub(super) fn mask(set: &Set) -> Mask {
    let mut words: Mask = Vec::new();
    for number in set.iter() {
        match words.last_mut() {
            Some((word, bits)) if *word == number / 64 => *bits |= 1 << (number % 64),
            _ => words.push((number / 64, 1 << (number % 64))),
        }
    }
    words
}

/// The numbers of a mask.
pub(super) fn members(mask: &Mask) -> Set {
    let words = mask.iter();
    let bits = words.flat_map(|&(word, bits)| {
        let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
        set.map(move |bit| word * 64 + bit)
    });
    bits.collect()
}
