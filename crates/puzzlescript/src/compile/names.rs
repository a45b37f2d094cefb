//! What the names of a file mean: objects with their layers and numbers, aggregates, properties and
//! synonyms, and the sets of objects that they stand for.

use std::collections::HashMap;

use crate::colours::PALETTES;
use crate::fault::{Faults, Place};
use crate::game::{Background, Things};
use crate::read::{LegendKind, Source};
use crate::set::Set;

/// A name as a number, so that rules are cheap to copy and to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

/// A declared object.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) line: usize,
    /// The layer and the number; `None` for an object that is in no layer.
    pub(super) layer: Option<usize>,
    pub(super) number: Option<usize>,
}

impl Declared {
    /// Its number. The reference takes an object without a layer for the first one, after an error.
    pub(super) fn number(&self) -> usize {
        self.number.unwrap_or(0)
    }

    /// Its layer, the first one for an object without a layer.
    pub(super) fn layer(&self) -> usize {
        self.layer.unwrap_or(0)
    }
}

/// What one name means.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    /// Index into `Names::objects`.
    pub(super) object: Option<usize>,
    pub(super) aggregate: Option<Vec<Symbol>>,
    pub(super) property: Option<Vec<Symbol>>,
    pub(super) synonym: Option<Symbol>,
    /// The layer of a property whose objects are all in one, if they are in any.
    pub(super) single_layer: Option<Option<usize>>,
    /// The objects of an object, synonym or property.
    pub(super) mask: Option<Set>,
    /// The objects of an aggregate.
    pub(super) aggregate_mask: Option<Set>,
}

/// The names of a file.
pub(super) struct Names {
    texts: Vec<String>,
    index: HashMap<String, Symbol>,
    meanings: Vec<Meaning>,
    pub(super) objects: Vec<Declared>,
    /// The objects in the order of their numbers, as indices into `objects`.
    pub(super) numbered: Vec<usize>,
    pub(super) layers: Vec<Set>,
    /// What a symbol of a map puts into a cell.
    pub(super) glyphs: HashMap<String, Set>,
    pub(super) background: Option<usize>,
    pub(super) background_layer: Option<usize>,
    pub(super) player: Things,
}

impl Names {
    /// The symbol of a text.
    pub(super) fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.to_string());
        self.index.insert(text.to_string(), symbol);
        self.meanings.push(Meaning::default());
        symbol
    }

    /// What a symbol means.
    pub(super) fn of(&self, symbol: Symbol) -> &Meaning {
        &self.meanings[symbol.0 as usize]
    }

    /// What a text means, if anything.
    pub(super) fn find(&self, text: &str) -> Option<&Meaning> {
        self.index.get(text).map(|&symbol| self.of(symbol))
    }

    /// The object of a symbol.
    pub(super) fn object(&self, symbol: Symbol) -> Option<&Declared> {
        self.of(symbol).object.map(|index| &self.objects[index])
    }

    /// What fills the cells of a map.
    pub(super) fn background(&self) -> Background {
        Background {
            default: self.background.into_iter().collect(),
            layer: self
                .background_layer
                .map(|layer| self.layers[layer].clone()),
        }
    }

    /// The text of a symbol in upper case, for messages.
    pub(super) fn upper(&self, symbol: Symbol) -> String {
        self.texts[symbol.0 as usize].to_uppercase()
    }
}

/// A dictionary in the order of its keys in JavaScript: numbers first, then as they were added.
struct Dictionary<V> {
    entries: Vec<(String, Option<V>)>,
    index: HashMap<String, usize>,
}

impl<V> Dictionary<V> {
    fn new() -> Self {
        Self {
            entries: Vec::new(),
            index: HashMap::new(),
        }
    }

    fn get(&self, key: &str) -> Option<&V> {
        let &index = self.index.get(key)?;
        self.entries[index].1.as_ref()
    }

    fn set(&mut self, key: &str, value: V) {
        match self.index.get(key) {
            Some(&index) => self.entries[index].1 = Some(value),
            None => {
                self.index.insert(key.to_string(), self.entries.len());
                self.entries.push((key.to_string(), Some(value)));
            }
        }
    }

    fn remove(&mut self, key: &str) {
        if let Some(&index) = self.index.get(key) {
            self.entries[index].1 = None;
        }
    }

    fn keys(&self) -> Vec<String> {
        let present = self.entries.iter().filter(|(_, value)| value.is_some());
        let mut keys: Vec<String> = present.map(|(key, _)| key.clone()).collect();
        sort_keys(&mut keys, |key| key);
        keys
    }
}

/// Sorts by the order of keys in JavaScript: names that are numbers come first, by their value.
pub(super) fn sort_keys<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    items.sort_by_key(|item| match name(item).parse::<u32>() {
        Ok(number) if number != u32::MAX && number.to_string() == name(item) => (0, number),
        _ => (1, 0),
    });
}

/// Lists of names. Several names may share one list.
type Lists = Vec<Vec<String>>;

/// Finds out what the names of a file mean, and reports what is wrong with them.
pub(super) fn resolve(source: &Source, faults: &mut Faults) -> Names {
    let mut names = Names {
        texts: Vec::new(),
        index: HashMap::new(),
        meanings: Vec::new(),
        objects: source
            .objects
            .iter()
            .map(|object| Declared {
                name: object.name.clone(),
                line: object.line,
                layer: None,
                number: None,
            })
            .collect(),
        numbered: Vec::new(),
        layers: Vec::new(),
        glyphs: HashMap::new(),
        background: None,
        background_layer: None,
        player: Things {
            objects: Set::new(),
            all: false,
        },
    };
    for index in 0..names.objects.len() {
        let symbol = names.symbol(&names.objects[index].name.clone());
        names.meanings[symbol.0 as usize].object = Some(index);
    }
    names.number_objects(source);
    check_objects(source, faults);
    names.make_glyphs(source, faults);
    let (lists, aggregates, properties) = names.make_dictionaries(source, faults);
    names.find_background(source, &lists, &aggregates, &properties, faults);
    names.make_masks(source, &lists, &aggregates, &properties, faults);
    names
}

/// Reports faults of colours and sprites.
fn check_objects(source: &Source, faults: &mut Faults) {
    for (name, value, _) in &source.prelude {
        let by_number = (1..=PALETTES.len()).any(|number| number.to_string() == *value);
        if name == "color_palette" && !by_number && PALETTES.iter().all(|(known, _)| known != value)
        {
            // The reference reports this for line 0.
            let message = format!("there is no palette \"{value}\", arnecolors is used instead");
            faults.error(Place::line(0), "unknown-palette", message);
        }
    }
    let mut objects: Vec<_> = source.objects.iter().collect();
    sort_keys(&mut objects, |object| &object.name);
    for object in objects {
        let name = object.name.to_uppercase();
        if object.colours.len() > 10 {
            let message = "a sprite has at most 10 colours";
            faults.error(Place::line(object.line + 1), "too-many-colours", message);
        }
        if object.colours.is_empty() {
            let message = format!("the object {name} has no colour");
            faults.error(Place::line(object.line), "no-colour", message);
        }
        let size = crate::read::SPRITE_SIZE;
        let square =
            object.sprite.len() == size && object.sprite.iter().all(|row| row.len() == size);
        if !object.sprite.is_empty() && !square {
            let message = format!("the sprite of {name} does not have 5 rows of 5 pixels");
            faults.warning(Place::line(object.line), "sprite-size", message);
        }
    }
}

impl Names {
    /// Numbers the objects in the order of the layers. An object that occurs twice has its last
    /// place.
    fn number_objects(&mut self, source: &Source) {
        for (layer, objects) in source.layers.iter().enumerate() {
            for name in objects {
                let object = self.index.get(name);
                let object = object.and_then(|&symbol| self.of(symbol).object);
                if let Some(object) = object {
                    self.objects[object].layer = Some(layer);
                    self.objects[object].number = Some(self.numbered.len());
                    self.numbered.push(object);
                }
            }
        }
        self.layers = vec![Set::new(); source.layers.len()];
        for object in &self.objects {
            if let (Some(layer), Some(number)) = (object.layer, object.number) {
                self.layers[layer].insert(number);
            }
        }
    }

    fn object_named(&self, name: &str) -> Option<&Declared> {
        let symbol = self.index.get(name)?;
        self.object(*symbol)
    }

    /// What each symbol of a map puts into a cell: objects, synonyms and aggregates.
    fn make_glyphs(&mut self, source: &Source, faults: &mut Faults) {
        for object in &self.objects {
            let cell = object.number.into_iter().collect();
            self.glyphs.insert(object.name.clone(), cell);
        }
        let mut added = true;
        while added {
            added = false;
            for entry in of_kind(source, LegendKind::Synonym) {
                if !self.glyphs.contains_key(&entry.name)
                    && let Some(cell) = self.glyphs.get(&entry.names[0])
                {
                    self.glyphs.insert(entry.name.clone(), cell.clone());
                    added = true;
                }
            }
            for entry in of_kind(source, LegendKind::Aggregate) {
                let known = |name: &String| self.glyphs.contains_key(name);
                if !self.glyphs.contains_key(&entry.name) && entry.names.iter().all(known) {
                    let place = Place::line(entry.line);
                    let cell = self.cell_of_aggregate(&entry.names, place, faults);
                    self.glyphs.insert(entry.name.clone(), cell);
                    added = true;
                }
            }
        }
    }

    fn cell_of_aggregate(&self, parts: &[String], place: Place, faults: &mut Faults) -> Set {
        let mut taken: Vec<Option<usize>> = vec![None; self.layers.len()];
        for part in parts {
            let upper = part.to_uppercase();
            let Some(object) = self.object_named(part) else {
                let message = format!("{upper} is not an object");
                faults.error(place, "aggregate-part", message);
                continue;
            };
            match (object.layer, object.number) {
                (Some(layer), Some(number)) => match taken[layer] {
                    None => taken[layer] = Some(number),
                    Some(other) => {
                        let other = &self.objects[self.numbered[other]].name;
                        let other = other.to_uppercase();
                        let message = format!(
                            "an aggregate cannot have both {upper} and {other}: they are in the \
                             same collision layer"
                        );
                        faults.error(place, "aggregate-same-layer", message);
                    }
                },
                _ => not_layered(&object.name, place, faults),
            }
        }
        taken.into_iter().flatten().collect()
    }

    /// The aggregates and properties with their objects, also under the names of their synonyms.
    fn make_dictionaries(
        &mut self,
        source: &Source,
        faults: &mut Faults,
    ) -> (Lists, Dictionary<usize>, Dictionary<usize>) {
        let mut lists: Lists = Vec::new();
        let mut dictionary = |kind| {
            let mut dictionary = Dictionary::new();
            for entry in of_kind(source, kind) {
                dictionary.set(&entry.name, lists.len());
                lists.push(entry.names.clone());
            }
            dictionary
        };
        let mut aggregates = dictionary(LegendKind::Aggregate);
        let mut properties = dictionary(LegendKind::Property);
        let mut synonyms: Dictionary<String> = Dictionary::new();
        for entry in of_kind(source, LegendKind::Synonym) {
            let (name, value) = (&entry.name, &entry.names[0]);
            if let Some(&list) = aggregates.get(value) {
                aggregates.set(name, list);
            } else if let Some(&list) = properties.get(value) {
                properties.set(name, list);
            } else if name != value {
                synonyms.set(name, value.clone());
            }
        }
        // Names that lead back to themselves never settle, so the rounds are limited.
        for _ in 0..=source.legend.len() {
            let mut modified = false;
            for name in synonyms.keys() {
                let value = synonyms.get(&name).expect("a key").clone();
                if let Some(&list) = properties.get(&value) {
                    synonyms.remove(&name);
                    properties.set(&name, list);
                    modified = true;
                } else if let Some(&list) = aggregates.get(&value) {
                    synonyms.remove(&name);
                    aggregates.set(&name, list);
                    modified = true;
                } else if let Some(next) = synonyms.get(&value) {
                    let next = next.clone();
                    synonyms.set(&name, next);
                }
            }
            modified |= expand(
                &mut lists,
                &properties,
                &synonyms,
                &aggregates,
                ("property", "aggregate"),
                faults,
            );
            modified |= expand(
                &mut lists,
                &aggregates,
                &synonyms,
                &properties,
                ("aggregate", "property"),
                faults,
            );
            if !modified {
                break;
            }
        }
        self.store(&lists, &aggregates, &properties, &synonyms);
        (lists, aggregates, properties)
    }

    fn store(
        &mut self,
        lists: &Lists,
        aggregates: &Dictionary<usize>,
        properties: &Dictionary<usize>,
        synonyms: &Dictionary<String>,
    ) {
        for name in aggregates.keys() {
            let list = &lists[*aggregates.get(&name).expect("a key")];
            let parts = list.iter().map(|part| self.symbol(part)).collect();
            let symbol = self.symbol(&name);
            self.meanings[symbol.0 as usize].aggregate = Some(parts);
        }
        for name in properties.keys() {
            let list = &lists[*properties.get(&name).expect("a key")];
            let members: Vec<Symbol> = list.iter().map(|member| self.symbol(member)).collect();
            let layers: Vec<Option<Option<usize>>> = members
                .iter()
                .map(|&member| self.object(member).map(|object| object.layer))
                .collect();
            let single = match layers.first() {
                Some(&Some(first)) if layers.iter().all(|layer| *layer == Some(first)) => {
                    Some(first)
                }
                _ => None,
            };
            let symbol = self.symbol(&name);
            let meaning = &mut self.meanings[symbol.0 as usize];
            meaning.property = Some(members);
            meaning.single_layer = single;
        }
        for name in synonyms.keys() {
            let value = synonyms.get(&name).expect("a key");
            let value = self.symbol(value);
            let symbol = self.symbol(&name);
            self.meanings[symbol.0 as usize].synonym = Some(value);
        }
    }

    /// The object that fills cells without a background, and its layer.
    fn find_background(
        &mut self,
        source: &Source,
        lists: &Lists,
        aggregates: &Dictionary<usize>,
        properties: &Dictionary<usize>,
        faults: &mut Faults,
    ) {
        if self.numbered.is_empty() {
            faults.error(
                Place::FILE,
                "no-objects",
                "no object is in a collision layer",
            );
        }
        let line = source.defined.get("background").copied().unwrap_or(0);
        let first = self
            .numbered
            .first()
            .map(|&index| self.objects[index].clone());
        let synonym = self.find("background").and_then(|meaning| meaning.synonym);
        let chosen = if let Some(object) = self.object_named("background") {
            Some(object.clone())
        } else if let Some(synonym) = synonym {
            self.object(synonym).cloned()
        } else if let Some(&list) = properties.get("background") {
            let objects: Vec<&Declared> = lists[list]
                .iter()
                .skip(1)
                .filter_map(|name| self.object_named(name))
                .collect();
            let chosen = lists[list].first().and_then(|name| self.object_named(name));
            if let Some(chosen) = chosen
                && objects.iter().any(|object| object.layer != chosen.layer)
            {
                let message = "the objects of the background must be in the same layer";
                faults.error(Place::line(line), "background-layers", message);
            }
            chosen.cloned()
        } else if aggregates.get("background").is_some() {
            let message = "the background cannot be an aggregate (AND)";
            faults.error(Place::line(line), "background-aggregate", message);
            first
        } else {
            let message = "no background is defined";
            faults.error(Place::FILE, "background-undefined", message);
            first
        };
        self.background = chosen.as_ref().and_then(|object| object.number);
        self.background_layer = chosen.and_then(|object| object.layer);
    }

    /// The sets of objects that names stand for.
    fn make_masks(
        &mut self,
        source: &Source,
        lists: &Lists,
        aggregates: &Dictionary<usize>,
        properties: &Dictionary<usize>,
        faults: &mut Faults,
    ) {
        let numbers = |names: &Names, list: usize| -> Set {
            let objects = lists[list]
                .iter()
                .filter_map(|name| names.object_named(name));
            objects.map(Declared::number).collect()
        };
        let mut player = Set::new();
        if let Some(object) = self.object_named("player") {
            player.insert(object.number());
        }
        let mut all = false;
        if let Some(&list) = aggregates.get("player") {
            all = true;
            player.add(&numbers(self, list));
        }
        if let Some(&list) = properties.get("player") {
            player.add(&numbers(self, list));
        }
        let synonym = self.find("player").and_then(|meaning| meaning.synonym);
        if let Some(object) = synonym.and_then(|synonym| self.object(synonym)) {
            player.insert(object.number());
        }
        if player.is_empty() || self.numbered.is_empty() {
            let message = "the player is no object and stands for none";
            faults.error(Place::FILE, "player-without-objects", message);
        }
        self.player = Things {
            objects: player,
            all,
        };

        for index in 0..self.objects.len() {
            let (name, number) = (
                self.objects[index].name.clone(),
                self.objects[index].number(),
            );
            let symbol = self.symbol(&name);
            self.meanings[symbol.0 as usize].mask = Some([number].into_iter().collect());
        }
        let kinds = [LegendKind::Synonym, LegendKind::Property];
        let entries = kinds.iter().flat_map(|&kind| of_kind(source, kind));
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|entry| entry.line);
        for entry in entries {
            let masks: Vec<Set> = entry
                .names
                .iter()
                .filter_map(|name| self.find(name)?.mask.clone())
                .collect();
            if entry.names.len() == 1 && masks.is_empty() {
                continue;
            }
            let mut mask = Set::new();
            masks.iter().for_each(|part| mask.add(part));
            let symbol = self.symbol(&entry.name);
            self.meanings[symbol.0 as usize].mask = Some(mask);
        }
        for name in aggregates.keys() {
            let list = *aggregates.get(&name).expect("a key");
            let mut mask = Set::new();
            for part in &lists[list] {
                if let Some(objects) = self.find(part).and_then(|part| part.mask.as_ref()) {
                    mask.add(objects);
                }
            }
            let symbol = self.symbol(&name);
            self.meanings[symbol.0 as usize].aggregate_mask = Some(mask);
        }
    }
}

/// Reports an object that is in no collision layer.
pub(super) fn not_layered(name: &str, place: Place, faults: &mut Faults) {
    let message = format!(
        "the object {} is in no collision layer",
        name.to_uppercase()
    );
    faults.error(place, "not-in-a-layer", message);
}

/// The entries of one kind, in the order of the file.
fn of_kind(source: &Source, kind: LegendKind) -> impl Iterator<Item = &crate::read::LegendText> {
    source.legend.iter().filter(move |entry| entry.kind == kind)
}

/// Replaces synonyms in the lists of a dictionary by what they mean, and names of the same
/// dictionary by their lists. Returns whether something changed.
fn expand(
    lists: &mut Lists,
    dictionary: &Dictionary<usize>,
    synonyms: &Dictionary<String>,
    conflicting: &Dictionary<usize>,
    (kind, conflicting_kind): (&str, &str),
    faults: &mut Faults,
) -> bool {
    let mut modified = false;
    for name in dictionary.keys() {
        let list = *dictionary.get(&name).expect("a key");
        let mut index = 0;
        while index < lists[list].len() {
            let value = lists[list][index].clone();
            if let Some(meaning) = synonyms.get(&value) {
                lists[list][index].clone_from(meaning);
                modified = true;
            } else if let Some(&inner) = dictionary.get(&value) {
                lists[list].remove(index);
                for member in lists[inner].clone() {
                    if !lists[list].contains(&member) {
                        lists[list].push(member);
                    }
                }
                modified = true;
            }
            if conflicting.get(&value).is_some() {
                let message = format!(
                    "the {kind} {} contains the {conflicting_kind} {}",
                    name.to_uppercase(),
                    value.to_uppercase()
                );
                faults.error(Place::FILE, "legend-kinds", message);
            }
            index += 1;
        }
    }
    modified
}
