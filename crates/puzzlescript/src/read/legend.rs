//! The legend: `A = B`, `A = B and C`, `A = B or C`.

use super::line::is_blank;
use super::words::is_keyword;
use super::{LegendKind, LegendText, Reader, Source};
use crate::fault::Place;

/// The forms of an entry, for messages.
const FORMS: &str = "an entry is \"A = B\", \"A = B or C\" or \"A = B and C\"";

/// What the source says about a name, after its synonyms.
pub(crate) enum Meaning<'s> {
    Object(String),
    Aggregate(String, &'s LegendText),
    Property(String, &'s LegendText),
    Unknown(String),
}

impl Source {
    /// The line on which a name was declared.
    pub(crate) fn declared(&self, name: &str) -> Option<usize> {
        let entry = |kind| self.entry(name, kind).map(|entry| entry.line);
        let object = self.objects.iter().find(|object| object.name == name);
        object
            .map(|object| object.line)
            .or_else(|| entry(LegendKind::Aggregate))
            .or_else(|| entry(LegendKind::Property))
            .or_else(|| entry(LegendKind::Synonym))
    }

    /// The first entry of this name and kind.
    fn entry(&self, name: &str, kind: LegendKind) -> Option<&LegendText> {
        let mut entries = self.legend.iter();
        entries.find(|entry| entry.kind == kind && entry.name == name)
    }

    /// What a name means, following synonyms.
    pub(crate) fn meaning(&self, name: &str) -> Meaning<'_> {
        let mut name = name.to_string();
        // Synonyms that lead back to themselves mean nothing.
        for _ in 0..=self.legend.len() {
            if self.objects.iter().any(|object| object.name == name) {
                return Meaning::Object(name);
            }
            match self.entry(&name, LegendKind::Synonym) {
                Some(entry) => name.clone_from(&entry.names[0]),
                None => break,
            }
        }
        if let Some(entry) = self.entry(&name, LegendKind::Aggregate) {
            return Meaning::Aggregate(name, entry);
        }
        if let Some(entry) = self.entry(&name, LegendKind::Property) {
            return Meaning::Property(name, entry);
        }
        Meaning::Unknown(name)
    }
}

impl Reader<'_> {
    pub(super) fn legend(&mut self) {
        let place = self.here();
        match self.step {
            0 => {
                let name = self
                    .line
                    .take_while(|c| c != '=' && c != '(' && !is_blank(c));
                self.legend.push(name);
                self.step = 1;
            }
            1 => {
                if self.line.peek() == Some('=') {
                    self.line.advance();
                    self.legend.push("=".to_string());
                } else {
                    let message = format!("expected '='; {FORMS}");
                    self.error(place, "legend-equals", message);
                    self.line.skip_to_comment();
                    self.legend.push("ERROR".to_string());
                }
                self.line.skip_blanks();
                self.step = 2;
            }
            step => {
                let connective = step % 2 == 1;
                match self.line.word() {
                    None => {
                        let message = format!("expected a word in the legend; {FORMS}");
                        self.error(place, "legend-word", message);
                        self.line.skip_to_comment();
                        self.step += i32::from(connective);
                    }
                    Some(word) => {
                        if connective {
                            self.legend_connective(place, &word);
                        }
                        self.legend.push(word);
                        self.step += 1;
                    }
                }
            }
        }
        if self.line.at_end() {
            self.finish_legend();
        }
    }

    fn legend_connective(&mut self, place: Place, word: &str) {
        if word != "and" && word != "or" {
            let upper = word.to_uppercase();
            let message = format!("expected AND or OR, found {upper}; {FORMS}");
            self.error(place, "legend-and-or", message);
        } else if self.step >= 5 && self.legend.get(3).is_none_or(|first| first != word) {
            let message = "an entry of the legend cannot mix AND and OR";
            self.error(place, "legend-mixed", message);
        }
    }

    /// Stores the entry that the words of the line make.
    pub(super) fn finish_legend(&mut self) {
        let mut words = std::mem::take(&mut self.legend);
        let place = Place::line(self.number);
        if words.is_empty() {
            return;
        }
        if words.len() == 1 {
            self.error(place, "legend-form", format!("incomplete entry; {FORMS}"));
            return;
        }
        if words.len().is_multiple_of(2) {
            let last = words
                .last()
                .map_or(String::new(), |word| word.to_uppercase());
            let message = format!("incomplete entry, it ends with \"{last}\"; {FORMS}");
            self.error(place, "legend-dangling", message);
            return;
        }
        let name = words[0].clone();
        let ok = self.check_legend_names(place, &name, &mut words);
        match words.get(3).map(String::as_str) {
            _ if words.len() == 3 => {
                let names = vec![words[2].clone()];
                self.store_legend(name, LegendKind::Synonym, names);
            }
            Some("and") => {
                let mut names = Vec::new();
                for word in words.iter().skip(2).step_by(2) {
                    names.extend(self.parts_of_aggregate(place, word, 0));
                }
                self.store_legend(name, LegendKind::Aggregate, names);
            }
            Some("or") => {
                if words.iter().skip(5).step_by(2).any(|word| word != "or") {
                    return;
                }
                let mut names = Vec::new();
                for word in words.iter().skip(2).step_by(2) {
                    names.extend(self.members_of_property(place, &name, word, 0));
                }
                if !names.is_empty() {
                    self.store_legend(name, LegendKind::Property, names);
                }
            }
            _ if ok => {
                self.error(place, "legend-entry", format!("malformed entry; {FORMS}"));
            }
            _ => {}
        }
    }

    /// Checks the names of an entry, and removes its own name from the right side. Returns whether
    /// nothing was wrong that would make the entry unusable.
    fn check_legend_names(&mut self, place: Place, name: &str, words: &mut Vec<String>) -> bool {
        let mut ok = true;
        let upper = name.to_uppercase();
        if let Some(line) = self.source.declared(name) {
            let message = format!("the name {upper} is already in use, on line {line}");
            self.error(place, "name-in-use", message);
            ok = false;
        }
        if is_keyword(name) {
            let message = format!("{upper} is a keyword, it should not name an object");
            self.warning(place, "keyword-as-name", message);
        }
        let mut index = 2;
        while index < words.len() {
            let word = words[index].clone();
            if word == name {
                let message = format!("{upper} cannot be defined by itself");
                self.error(place, "defined-by-itself", message);
                ok = false;
                let own = |words: &[String]| words.iter().skip(2).position(|word| word == name);
                while let Some(found) = own(words) {
                    // With the connective before it, or for the first name the one after it.
                    let found = found + 2;
                    let from = if found >= 4 { found - 1 } else { found };
                    words.drain(from..(from + 2).min(words.len()));
                }
            }
            for earlier in (2..index).step_by(2) {
                if words.get(earlier) == Some(&word) {
                    let repeated = word.to_uppercase();
                    let message = format!("{repeated} occurs twice on the right side");
                    self.warning(place, "legend-repeats", message);
                }
            }
            index += 2;
        }
        for word in words.iter().skip(2).step_by(2) {
            if word != name && self.source.declared(word).is_none() {
                let message = format!("{} is not defined", word.to_uppercase());
                self.faults.error(place, "undefined-name", message);
            }
        }
        ok
    }

    fn store_legend(&mut self, name: String, kind: LegendKind, names: Vec<String>) {
        self.source.defined.insert(name.clone(), self.number);
        self.source.legend.push(LegendText {
            name,
            line: self.number,
            kind,
            names,
        });
    }

    /// The objects of a name within an aggregate.
    fn parts_of_aggregate(&mut self, place: Place, word: &str, depth: usize) -> Vec<String> {
        match self.source.meaning(word) {
            Meaning::Object(name) | Meaning::Unknown(name) => vec![name],
            Meaning::Aggregate(_, entry) if depth <= self.source.legend.len() => {
                let names = entry.names.clone();
                let parts = names
                    .iter()
                    .map(|name| self.parts_of_aggregate(place, name, depth + 1));
                parts.flatten().collect()
            }
            Meaning::Aggregate(name, _) => vec![name],
            Meaning::Property(name, _) => {
                let message = "an aggregate (AND) cannot contain a property (OR)";
                self.error(place, "aggregate-of-property", message);
                vec![name]
            }
        }
    }

    /// The objects of a name within the property `of`.
    fn members_of_property(
        &mut self,
        place: Place,
        of: &str,
        word: &str,
        depth: usize,
    ) -> Vec<String> {
        match self.source.meaning(word) {
            Meaning::Object(name) | Meaning::Unknown(name) => vec![name],
            Meaning::Aggregate(name, _) => {
                let message = format!(
                    "a property (OR) cannot contain an aggregate (AND): {} contains {}",
                    of.to_uppercase(),
                    name.to_uppercase()
                );
                self.error(place, "property-of-aggregate", message);
                Vec::new()
            }
            Meaning::Property(name, entry) if depth <= self.source.legend.len() => {
                let names: Vec<String> = entry.names.clone();
                let others = names.iter().filter(|member| **member != name);
                others
                    .flat_map(|member| self.members_of_property(place, of, member, depth + 1))
                    .collect()
            }
            Meaning::Property(..) => Vec::new(),
        }
    }
}
