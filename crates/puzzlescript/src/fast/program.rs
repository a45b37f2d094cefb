//! The rules of a game as masks of bits.

use super::board::{Layout, by_words};
use crate::game::{
    ALL_MOTIONS, Cell, Command, Direction, Game, Group, Motion, Phase, Rule, Term, Things,
};
use crate::set::Set;

/// Bits of a word that must all be set, and that must all be clear.
pub(super) struct Check {
    pub(super) word: usize,
    pub(super) set: u64,
    pub(super) clear: u64,
}

/// Bits of a word that are cleared, and that are set.
pub(super) struct Change {
    pub(super) word: usize,
    pub(super) clear: u64,
    pub(super) set: u64,
}

/// A cell of a pattern.
pub(super) struct Pattern {
    pub(super) checks: Vec<Check>,
    /// For each property, its objects by words: one of them must be there.
    pub(super) any: Vec<Vec<(usize, u64)>>,
    pub(super) changes: Vec<Change>,
    /// The objects among which one is chosen at random.
    pub(super) random: Vec<usize>,
    /// The layers that get a random direction.
    pub(super) random_directions: Vec<usize>,
    /// The layers whose movement is replaced; for rigid rules.
    pub(super) replaced: Vec<usize>,
}

/// A row of patterns, in parts between which there are ellipses.
pub(super) struct Row {
    pub(super) parts: Vec<Vec<Pattern>>,
    /// The number of patterns.
    pub(super) length: usize,
    /// The bits that the first part needs, with the place of their cell.
    pub(super) needs: Vec<(usize, usize)>,
    /// Whether a match of the needs must be checked further.
    pub(super) must_check: bool,
}

/// A rule.
pub(super) struct FastRule {
    /// The word of its needs that is looked at first: the last one, where the movements are.
    pub(super) first_need: (usize, u64),
    pub(super) direction: Direction,
    /// The bits that must be set somewhere on the board.
    pub(super) needs: Vec<(usize, u64)>,
    pub(super) rows: Vec<Row>,
    pub(super) changes: bool,
    pub(super) rigid: bool,
    pub(super) random: bool,
    /// It changes one cell, and nothing is random.
    pub(super) single: bool,
    pub(super) commands: Vec<Command>,
    /// Its number among all rules.
    pub(super) number: usize,
}

/// A group of rules.
pub(super) struct FastGroup {
    /// The bits that all of its rules need.
    pub(super) needs: Vec<(usize, u64)>,
    pub(super) rules: Vec<FastRule>,
    pub(super) random: bool,
    pub(super) rigid: Option<usize>,
}

/// The groups before or after the movements.
pub(super) struct FastPhase {
    pub(super) groups: Vec<FastGroup>,
    pub(super) loops: Vec<Option<usize>>,
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
        FastPhase {
            groups: phase.groups.iter().map(|group| self.group(group)).collect(),
            loops: phase.loops.clone(),
        }
    }

    fn group(&mut self, group: &Group) -> FastGroup {
        let rules: Vec<FastRule> = group.rules.iter().map(|rule| self.rule(rule)).collect();
        let mut common = rules.first().map_or(Vec::new(), |rule| rule.needs.clone());
        for rule in &rules {
            for (word, bits) in &mut common {
                let needs = rule.needs.iter().find(|(other, _)| other == word);
                *bits &= needs.map_or(0, |(_, bits)| *bits);
            }
        }
        common.retain(|(_, bits)| *bits != 0);
        FastGroup {
            needs: common,
            rules,
            random: group.random,
            rigid: group.rigid,
        }
    }

    fn rule(&mut self, rule: &Rule) -> FastRule {
        let rows: Vec<Row> = rule.rows.iter().map(|row| self.row(row)).collect();
        let mut needs = vec![0; self.layout.words];
        let patterns = || rows.iter().flat_map(|row| row.parts.iter().flatten());
        for check in patterns().flat_map(|pattern| &pattern.checks) {
            needs[check.word] |= check.set;
        }
        let number = self.rules;
        self.rules += 1;
        let needs = without_zeros(needs);
        let random = patterns()
            .any(|pattern| !pattern.random.is_empty() || !pattern.random_directions.is_empty());
        let single = patterns().count() == 1 && !random && rule.changes;
        FastRule {
            first_need: needs.last().copied().unwrap_or((0, 0)),
            direction: rule.direction,
            needs,
            changes: rule.changes,
            rigid: rule.rigid,
            random,
            single,
            commands: rule.commands.clone(),
            number,
            rows,
        }
    }

    fn row(&mut self, row: &[Cell]) -> Row {
        let mut parts = vec![Vec::new()];
        let mut length = 0;
        for cell in row {
            match cell {
                Cell::Ellipsis => parts.push(Vec::new()),
                Cell::Pattern { before, after } => {
                    let part = parts.last_mut().expect("there is a part");
                    part.push(self.pattern(before, after));
                    length += 1;
                }
            }
        }
        self.longest = self.longest.max(length);
        let mut needs = Vec::new();
        let mut must_check = false;
        for (place, pattern) in parts[0].iter().enumerate() {
            for check in &pattern.checks {
                let bits = (0..64).filter(|bit| check.set >> bit & 1 == 1);
                needs.extend(bits.map(|bit| (check.word * 64 + bit, place)));
                must_check |= check.clear != 0;
            }
            must_check |= !pattern.any.is_empty();
        }
        // Movements are rarer than objects: they come first.
        needs.sort_by_key(|&(bit, place)| (bit < self.layout.objects, place));
        Row {
            parts,
            length,
            needs,
            must_check,
        }
    }

    fn pattern(&self, before: &[Term], after: &[Term]) -> Pattern {
        let words = self.layout.words;
        let mut wanted = Bits::new(words);
        let mut excluded = Bits::new(words);
        let mut any = Vec::new();
        for term in before {
            match term {
                Term::No(objects) => excluded.add_objects(objects),
                Term::Object { object, .. } => wanted.add(*object / 64, 1 << (*object % 64)),
                Term::Property { objects, .. } => any.push(by_words(objects)),
                Term::Random(_) => {}
            }
            match motion(term) {
                Some((layer, Motion::Stationary)) => {
                    excluded.add_motion(self.layout, layer, ALL_MOTIONS);
                }
                Some((layer, Motion::Moving(bits))) => wanted.add_motion(self.layout, layer, bits),
                _ => {}
            }
        }
        let mut pattern = Pattern {
            checks: Vec::new(),
            any,
            changes: Vec::new(),
            random: Vec::new(),
            random_directions: Vec::new(),
            replaced: Vec::new(),
        };
        self.replacement(before, after, &wanted, &mut pattern);
        let pairs = wanted.0.into_iter().zip(excluded.0).enumerate();
        let checks = pairs.map(|(word, (set, clear))| Check { word, set, clear });
        pattern.checks = checks
            .filter(|check| check.set != 0 || check.clear != 0)
            .collect();
        pattern
    }

    /// What changes where the left side of a pattern was found.
    fn replacement(&self, before: &[Term], after: &[Term], wanted: &Bits, pattern: &mut Pattern) {
        let layout = self.layout;
        let mut set = Bits::new(layout.words);
        let mut clear = Bits::new(layout.words);
        let mut replaced = Set::new();
        let mut random = Set::new();
        let mut directions = Set::new();
        for term in after {
            match term {
                Term::No(objects) => clear.add_objects(objects),
                Term::Random(objects) => random.add(objects),
                Term::Object { object, layer, .. } => {
                    set.add(*object / 64, 1 << (*object % 64));
                    clear.add_objects(&self.game.layers[*layer]);
                }
                Term::Property { .. } => {}
            }
            let Some((layer, motion)) = motion(term) else {
                continue;
            };
            match motion {
                Motion::Any => continue,
                Motion::Stationary => {}
                Motion::Moving(bits) => set.add_motion(layout, layer, bits),
                Motion::RandomDirection => directions.insert(layer),
            }
            replaced.insert(layer);
        }
        // Objects and movements are compared separately: of either, all that the left side wants is
        // cleared unless the right side sets all of it.
        for objects in [true, false] {
            let part = |bits: &Bits, word: usize| match objects {
                true => bits.0[word] & layout.object_bits[word],
                false => bits.0[word] & !layout.object_bits[word],
            };
            let kept = (0..layout.words).all(|word| part(wanted, word) & !part(&set, word) == 0);
            if !kept {
                (0..layout.words).for_each(|word| clear.0[word] |= part(wanted, word));
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
            clear.add_objects(&self.game.layers[layer]);
        }
        replaced.add(&gone);
        let mut gone = layers_of(before, true);
        gone.remove(&layers_of(after, true));
        replaced.add(&gone);
        for layer in replaced.iter() {
            clear.add_motion(layout, layer, ALL_MOTIONS);
        }
        let pairs = clear.0.into_iter().zip(set.0).enumerate();
        pattern.changes = pairs
            .filter(|(_, (clear, set))| clear | set != 0)
            .map(|(word, (clear, set))| Change { word, clear, set })
            .collect();
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

fn without_zeros(words: Vec<u64>) -> Vec<(usize, u64)> {
    let words = words.into_iter().enumerate();
    words.filter(|(_, bits)| *bits != 0).collect()
}

/// A vector of bits while a pattern is translated.
struct Bits(Vec<u64>);

impl Bits {
    fn new(words: usize) -> Self {
        Self(vec![0; words])
    }

    fn add(&mut self, word: usize, bits: u64) {
        self.0[word] |= bits;
    }

    fn add_objects(&mut self, objects: &Set) {
        for (word, bits) in by_words(objects) {
            self.add(word, bits);
        }
    }

    fn add_motion(&mut self, layout: &Layout, layer: usize, motion: u8) {
        let (word, bits) = layout.motion_bits(layer, motion);
        self.add(word, bits);
    }
}
