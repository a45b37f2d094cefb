//! Plan files: one `(action argument …)` per line, comments with `;`. Names are those of the domain
//! and the problem.

use std::fmt::Write;

use ployglot_base::BadText;
use ployglot_base::text::unknown;
use rustc_hash::FxHashMap;

use crate::lifted::{Domain, ObjectId, Problem};

/// One action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// An index into the domain's actions.
    pub action: usize,
    /// The objects for the action's parameters.
    pub arguments: Vec<ObjectId>,
}

/// Reads a plan file. Parentheses are optional; a time stamp before the action (`3: (go a b)`) is
/// skipped.
pub fn parse_plan(text: &str, domain: &Domain, problem: &Problem) -> Result<Vec<Step>, BadText> {
    let mut plan = Vec::new();
    let objects = problem.objects.iter().map(|object| object.name.as_str());
    let object_ids: FxHashMap<&str, ObjectId> = objects.zip((0..).map(ObjectId)).collect();
    let actions = domain.actions.iter().map(|action| action.name.as_str());
    let action_ids: FxHashMap<&str, usize> = actions.zip(0..).collect();
    for (index, raw) in text.lines().enumerate() {
        let line = raw.split(';').next().unwrap_or("");
        let mut words = words(line);
        if words
            .first()
            .is_some_and(|(_, word)| word.ends_with(':') && word.len() > 1)
        {
            words.remove(0);
        }
        let Some(((column, name), arguments)) = words.split_first() else {
            continue;
        };
        let bad = |column: usize, word: &str, message: String| {
            BadText::new(index + 1, column, message).wide(word.chars().count())
        };
        let Some(&action) = action_ids.get(name.as_str()) else {
            let known = domain.actions.iter().map(|action| action.name.as_str());
            return Err(bad(*column, name, unknown("action", name, known)));
        };
        let takes = domain.actions[action].parameters.len();
        if arguments.len() != takes {
            let message = format!(
                "'{name}' takes {takes} arguments, found {}",
                arguments.len()
            );
            return Err(bad(*column, name, message));
        }
        let mut objects = Vec::new();
        for (column, word) in arguments {
            let Some(&object) = object_ids.get(word.as_str()) else {
                let known = problem.objects.iter().map(|object| object.name.as_str());
                return Err(bad(*column, word, unknown("object", word, known)));
            };
            objects.push(object);
        }
        plan.push(Step {
            action,
            arguments: objects,
        });
    }
    Ok(plan)
}

/// The step as PDDL writes it: `(action a b)`.
pub fn print_step(step: &Step, domain: &Domain, problem: &Problem) -> String {
    let mut text = format!("({}", domain.actions[step.action].name);
    for argument in &step.arguments {
        write!(text, " {}", problem.objects[argument.0 as usize].name)
            .expect("writing to a string");
    }
    text.push(')');
    text
}

/// The words of a line in lower case, each with its column. Parentheses separate words and are
/// skipped.
fn words(line: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (column, c) in line.chars().enumerate() {
        if c.is_whitespace() || c == '(' || c == ')' {
            inside = false;
        } else if inside {
            words
                .last_mut()
                .expect("inside a word")
                .1
                .extend(c.to_lowercase());
        } else {
            words.push((column + 1, c.to_lowercase().collect()));
            inside = true;
        }
    }
    words
}
