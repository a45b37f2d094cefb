//! The built-in levels whose pars are certified: the list that `scripts/certify` makes and a test
//! checks (`crates/solve/tests/certified.rs`).
//!
//! A line has the level, the measure, the claim, the route whose certificate it is, and the SHA-256
//! of the certificate's manifest. The certificates themselves are not part of the program: each is
//! made again by `ploy solve LEVEL --measure MEASURE --route ROUTE --certificate DIR`.

use crate::manifest::Claim;

/// A level whose par is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The name: `plotting/01-first-shot`.
    pub level: &'static str,
    /// The measure.
    pub measure: &'static str,
    /// What is proven.
    pub claim: Claim,
    /// The route whose certificate it is.
    pub route: &'static str,
    /// The SHA-256 of the manifest.
    pub sha256: &'static str,
}

/// All certified levels, in the order of the list.
pub fn certified() -> impl Iterator<Item = Certified> {
    let lines = include_str!("../certified.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(parse)
}

fn parse(line: &'static str) -> Option<Certified> {
    let mut words = line.split_whitespace();
    let mut next = || words.next();
    Some(Certified {
        level: next()?,
        measure: next()?,
        claim: match next()? {
            "unsolvable" => Claim::Unsolvable,
            cost => Claim::Cost(cost.parse().ok()?),
        },
        route: next()?,
        sha256: next()?,
    })
}

impl Certified {
    /// The line of the list.
    pub fn line(&self) -> String {
        let claim = match self.claim {
            Claim::Cost(cost) => cost.to_string(),
            Claim::Unsolvable => "unsolvable".to_string(),
        };
        let Self {
            level,
            measure,
            route,
            sha256,
            ..
        } = self;
        format!("{level} {measure} {claim} {route} {sha256}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = include_str!("../certified.txt").lines();
        let lines: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
        let read: Vec<String> = certified().map(|it| it.line()).collect();
        assert_eq!(read, lines);
    }
}
