//! Applies rules: groups until nothing changes, each rule wherever it matches.

use super::board::shifted;
use super::matching::{Found, choose, combinations};
use super::program::{FastGroup, FastPhase, FastRule, Mask, Pattern, Row, Way};
use super::turn::Run;
use crate::engine::MOST_ROUNDS;
use crate::game::ALL_MOTIONS;

/// What a cell gets and loses by a pattern with random choices.
#[derive(Default)]
pub(super) struct Choice {
    set: Vec<usize>,
    clear: Vec<usize>,
}

impl<const W: usize> Run<'_, W> {
    pub(super) fn apply_phase(&mut self, phase: &FastPhase) {
        let (mut index, mut changed, mut returns) = (0, false, 0);
        while index < phase.groups.len() {
            let group = &phase.groups[index];
            let banned = group.rigid.is_some() && self.scratch.banned.contains(&group.rigid);
            if !banned {
                changed |= self.apply_group(phase, group);
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

    /// Whether all of these planes have a bit.
    fn has(&self, needs: &Mask) -> bool {
        needs
            .iter()
            .all(|&(word, bits)| self.bits.0[word] & bits == bits)
    }

    fn apply_group(&mut self, phase: &FastPhase, group: &FastGroup) -> bool {
        if self.bits.0[group.gate.word] & group.gate.bits != group.gate.bits {
            return false;
        }
        if group.random {
            return self.apply_at_random(phase, group);
        }
        let gates = &phase.gates[group.first..group.end];
        let mut changed = false;
        for _ in 0..MOST_ROUNDS {
            let before = self.scratch.changes;
            for (index, gate) in gates.iter().enumerate() {
                let number = phase.first_rule + group.first + index;
                if self.bits.0[gate.word] & gate.bits != gate.bits
                    || self.scratch.idle[number] == self.scratch.changes
                {
                    continue;
                }
                let rule = &phase.rules[group.first + index];
                if self.has(&rule.needs) {
                    self.apply_rule(rule, number, group.rigid);
                }
            }
            if self.scratch.changes == before {
                break;
            }
            changed = true;
        }
        changed
    }

    /// Applies one match of one rule, chosen at random.
    fn apply_at_random(&mut self, phase: &FastPhase, group: &FastGroup) -> bool {
        let rules = &phase.rules[group.first..group.end];
        let counts = rules.iter().map(|rule| match self.find(rule) {
            true => combinations(&self.scratch.ends),
            false => 0,
        });
        let counts: Vec<usize> = counts.collect();
        let all = counts.iter().sum();
        if all == 0 {
            return false;
        }
        let mut chosen = self.random.below(all);
        let mut index = 0;
        while chosen >= counts[index] {
            chosen -= counts[index];
            index += 1;
        }
        let rule = &rules[index];
        self.find(rule);
        let changed = self.replace_combination(rule, chosen, group.rigid);
        self.scratch.changes += u64::from(changed);
        self.turn.command(&rule.commands);
        changed
    }

    /// Applies a rule wherever it matches.
    fn apply_rule(&mut self, rule: &FastRule, number: usize, rigid: Option<usize>) {
        if !self.find_starts(rule) {
            self.scratch.idle[number] = self.scratch.changes;
            return;
        }
        let (changed, settles) = match rule.way {
            Way::AtOnce { settles } => (self.replace_all(rule), settles),
            Way::InTurn { monotone } => (self.replace_in_turn(rule, monotone), false),
            Way::Listed => {
                if !self.list(rule) {
                    self.scratch.idle[number] = self.scratch.changes;
                    return;
                }
                (rule.changes && self.replace_listed(rule, rigid), false)
            }
        };
        self.turn.command(&rule.commands);
        self.scratch.changes += u64::from(changed);
        if settles || !changed && !rule.random {
            self.scratch.idle[number] = self.scratch.changes;
        }
    }

    /// Changes all matches at once; they do not depend on each other.
    fn replace_all(&mut self, rule: &FastRule) -> bool {
        let words = self.words();
        let delta = self.shape.delta(rule.direction);
        let starts = std::mem::take(&mut self.scratch.starts);
        let mut changed = false;
        for (row, starts) in rule.rows.iter().zip(starts.chunks_exact(words)) {
            for (place, pattern) in row.parts[0].patterns.iter().enumerate() {
                let shift = -delta * place as isize;
                for &plane in &pattern.set {
                    changed |= self.add_cells(plane, starts, shift);
                }
                for &(word, bits) in &pattern.clear {
                    let mut bits = bits & self.bits.0[word];
                    while bits != 0 {
                        let plane = word * 64 + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        changed |= self.remove_cells(plane, starts, shift);
                    }
                }
            }
        }
        self.scratch.starts = starts;
        changed
    }

    /// Adds shifted cells to a plane. Returns whether one is new.
    fn add_cells(&mut self, plane: usize, cells: &[u64], shift: isize) -> bool {
        let mut new = 0;
        for (index, word) in self.plane_mut(plane).iter_mut().enumerate() {
            let cells = shifted(cells, index, shift);
            new |= cells & !*word;
            *word |= cells;
        }
        self.bits.0[plane / 64] |= 1 << (plane % 64);
        new != 0
    }

    /// Removes shifted cells from a plane. Returns whether one was there.
    fn remove_cells(&mut self, plane: usize, cells: &[u64], shift: isize) -> bool {
        let (mut old, mut left) = (0, 0);
        for (index, word) in self.plane_mut(plane).iter_mut().enumerate() {
            let cells = shifted(cells, index, shift);
            old |= cells & *word;
            *word &= !cells;
            left |= *word;
        }
        if left == 0 {
            self.bits.0[plane / 64] &= !(1 << (plane % 64));
        }
        old != 0
    }

    /// Changes one match after the other, unless none has an effect.
    fn replace_in_turn(&mut self, rule: &FastRule, monotone: bool) -> bool {
        let words = self.words();
        let delta = self.shape.delta(rule.direction);
        let mut starts = std::mem::take(&mut self.scratch.starts);
        let mut effect = std::mem::take(&mut self.scratch.effect);
        effect.clear();
        effect.resize(starts.len(), 0);
        let rows = rule.rows.iter().zip(starts.chunks_exact(words));
        for ((row, starts), effect) in rows.zip(effect.chunks_exact_mut(words)) {
            self.effective(row, delta, starts, effect);
        }
        let none = effect.iter().all(|&word| word == 0);
        if monotone {
            std::mem::swap(&mut starts, &mut effect);
        }
        self.scratch.starts = starts;
        self.scratch.effect = effect;
        !none && self.list(rule) && self.replace_listed(rule, None)
    }

    /// Changes the listed matches one after the other.
    fn replace_listed(&mut self, rule: &FastRule, rigid: Option<usize>) -> bool {
        let mut changed = false;
        for index in 0..combinations(&self.scratch.ends) {
            if !changed || self.still_matches(rule, index) {
                changed |= self.replace_combination(rule, index, rigid);
            }
        }
        changed
    }

    /// Puts the right sides of all rows where their left sides were found.
    fn replace_combination(&mut self, rule: &FastRule, index: usize, rigid: Option<usize>) -> bool {
        let mut rest = index;
        let mut changed = false;
        for (number, row) in rule.rows.iter().enumerate() {
            let found = *choose(&self.scratch.found, &self.scratch.ends, number, &mut rest);
            changed |= self.replace(rule, row, found, rigid);
        }
        changed
    }

    /// Puts the right side of a row where its left side was found.
    fn replace(&mut self, rule: &FastRule, row: &Row, found: Found, rigid: Option<usize>) -> bool {
        let delta = self.shape.delta(rule.direction);
        let mut cell = found.start as isize;
        let mut changed = false;
        for (part, gap) in row.parts.iter().zip(found.gaps_before()) {
            cell += delta * gap as isize;
            for pattern in &part.patterns {
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
        if pattern.is_random() {
            changed |= self.replace_at_random(pattern, cell);
        } else {
            for &(word, bits) in &pattern.clear {
                let mut bits = bits & self.bits.0[word];
                while bits != 0 {
                    let plane = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    changed |= self.bits.clear(self.shape, plane, cell);
                }
            }
            for &plane in &pattern.set {
                changed |= self.bits.set(self.shape, plane, cell);
            }
        }
        if let Some(group) = rigid.filter(|_| rule.rigid) {
            changed |= self.mark_rigid(pattern, cell, group);
        }
        changed
    }

    fn replace_at_random(&mut self, pattern: &Pattern, cell: usize) -> bool {
        let layout = &self.engine.layout;
        let mut choice = std::mem::take(&mut self.scratch.choice);
        choice.set.clear();
        choice.clear.clear();
        choice.set.extend(&pattern.set);
        for &(word, bits) in &pattern.clear {
            let planes = (0..64).filter(|bit| bits >> bit & 1 == 1);
            choice.clear.extend(planes.map(|bit| word * 64 + bit));
        }
        if !pattern.random.is_empty() {
            let object = pattern.random[self.random.below(pattern.random.len())];
            let layer = layout.layer_of[object];
            choice.set.push(object);
            choice.clear.extend(&layout.layers[layer]);
            choice
                .clear
                .extend(layout.motion_planes(layer, ALL_MOTIONS));
        }
        for &layer in &pattern.random_directions {
            let direction = 1 << self.random.below(4);
            choice.set.extend(layout.motion_planes(layer, direction));
        }
        let mut changed = false;
        for &plane in choice
            .clear
            .iter()
            .filter(|plane| !choice.set.contains(plane))
        {
            changed |= self.bits.clear(self.shape, plane, cell);
        }
        for &plane in &choice.set {
            changed |= self.bits.set(self.shape, plane, cell);
        }
        self.scratch.choice = choice;
        changed
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
