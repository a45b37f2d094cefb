//! Applies rules: groups until nothing changes, each rule wherever it matches.

use super::board::for_each_bit;
use super::matching::{Found, choose, combinations};
use super::program::{FastGroup, FastPhase, FastRule, Pattern, Row};
use super::turn::Run;
use crate::engine::MOST_ROUNDS;
use crate::game::ALL_MOTIONS;

impl Run<'_> {
    pub(super) fn apply_phase(&mut self, phase: &FastPhase) {
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
}
