//! The choice of names by globs: `*-opt*`, `FD *`.

use ployglot_base::text::unknown;

/// Globs of names.
pub struct Globs(Vec<glob::Pattern>);

impl Globs {
    /// `Err`: what is wrong with a glob.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        let globs = patterns.iter().map(|pattern| {
            glob::Pattern::new(pattern).map_err(|error| format!("'{pattern}': {}", error.msg))
        });
        Ok(Self(globs.collect::<Result<_, _>>()?))
    }

    /// Whether one of the globs matches the name.
    pub fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(name))
    }
}

/// The items whose names match one of the globs; all if there are no globs. `Err`: a glob is wrong, or
/// matches no name. `what` is what the names are of: "family".
pub fn choose<T>(
    items: Vec<T>,
    name: impl Fn(&T) -> String,
    globs: &[String],
    what: &str,
) -> Result<Vec<T>, String> {
    if globs.is_empty() {
        return Ok(items);
    }
    for glob in globs {
        let alone = Globs::new(std::slice::from_ref(glob))?;
        if !items.iter().any(|item| alone.matches(&name(item))) {
            let mut names: Vec<String> = items.iter().map(&name).collect();
            names.dedup();
            return Err(unknown(what, glob, names.iter().map(String::as_str)));
        }
    }
    let globs = Globs::new(globs)?;
    let chosen = items.into_iter().filter(|item| globs.matches(&name(item)));
    Ok(chosen.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(globs: &[&str]) -> Result<Vec<&'static str>, String> {
        let names = vec!["FD lmcut", "FD ipdb", "ploy"];
        let globs: Vec<String> = globs.iter().map(|glob| glob.to_string()).collect();
        choose(names, |name| name.to_string(), &globs, "solver")
    }

    #[test]
    fn globs_choose_names() {
        assert_eq!(chosen(&[]).unwrap(), ["FD lmcut", "FD ipdb", "ploy"]);
        assert_eq!(chosen(&["FD *"]).unwrap(), ["FD lmcut", "FD ipdb"]);
        assert_eq!(chosen(&["*ploy", "*ipdb"]).unwrap(), ["FD ipdb", "ploy"]);
    }

    #[test]
    fn a_glob_that_matches_nothing_is_an_error() {
        let why = chosen(&["FD *", "ploi"]).unwrap_err();
        assert_eq!(why, "unknown solver 'ploi'; did you mean 'ploy'?");
        let why = chosen(&["a**b"]).unwrap_err();
        assert!(why.starts_with("'a**b': "), "{why}");
    }
}
