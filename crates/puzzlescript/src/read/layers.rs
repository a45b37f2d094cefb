//! The section of collision layers: one layer a line, names with commas between them.

use super::{Meaning, Reader};
use crate::fault::Place;

/// `Reader::step`: the background is in this layer.
const BACKGROUND: i32 = 1;

impl Reader<'_> {
    pub(super) fn layers(&mut self, starts: bool) {
        if starts {
            self.source.layers.push(Vec::new());
            self.layer.clear();
            self.step = 0;
        }
        let place = self.here();
        let Some(name) = self.line.word() else {
            let separators = self.line.take_while(|c| c == ' ' || c == ',');
            if separators.is_empty() {
                let found = self.line.peek().map_or(String::new(), String::from);
                let message = format!("expected a name or a comma, found '{found}'");
                self.error(place, "layer-text", message);
                self.line.advance();
            }
            return;
        };
        let number = self.source.layers.len();
        let upper = name.to_uppercase();
        if name == "background" {
            if self
                .source
                .layers
                .last()
                .is_some_and(|layer| !layer.is_empty())
            {
                self.background_not_alone(place);
            }
            self.step = BACKGROUND;
        } else if self.step == BACKGROUND {
            self.background_not_alone(place);
        }
        let objects = self.objects_of_layer(place, &name, &name, 0);
        let mut elsewhere = Vec::new();
        for object in &objects {
            for (index, layer) in self.source.layers[..number - 1].iter().enumerate() {
                if layer.contains(object) {
                    elsewhere.push(format!("#{}", index + 1));
                }
            }
        }
        if !elsewhere.is_empty() {
            let message = format!(
                "{upper} is in several collision layers: {} and #{number}",
                elsewhere.join(", ")
            );
            self.warning(place, "several-layers", message);
        }
        if self.layer.contains(&name) {
            let message = format!("{upper} occurs twice in this layer");
            self.warning(place, "layer-repeats", message);
        }
        self.layer.push(name);
        let layer = self.source.layers.last_mut();
        layer.expect("the line added a layer").extend(objects);
    }

    fn background_not_alone(&mut self, place: Place) {
        let message = "the background must be in a layer of its own";
        self.error(place, "background-not-alone", message);
    }

    /// The objects that a name adds to a layer; `named` is the name on the line.
    fn objects_of_layer(
        &mut self,
        place: Place,
        named: &str,
        name: &str,
        depth: usize,
    ) -> Vec<String> {
        match self.source.meaning(name) {
            Meaning::Object(name) => vec![name],
            Meaning::Aggregate(name, _) => {
                let message = format!(
                    "{} is an aggregate (AND): its parts must be in different layers",
                    name.to_uppercase()
                );
                self.error(place, "aggregate-in-layer", message);
                Vec::new()
            }
            Meaning::Property(name, entry) if depth <= self.source.legend.len() => {
                let names = entry.names.clone();
                let others = names.iter().filter(|member| **member != name);
                others
                    .flat_map(|member| self.objects_of_layer(place, named, member, depth + 1))
                    .collect()
            }
            Meaning::Property(..) => Vec::new(),
            Meaning::Unknown(_) => {
                let message = format!("{} is not defined", named.to_uppercase());
                self.error(place, "undefined-in-layer", message);
                Vec::new()
            }
        }
    }
}
