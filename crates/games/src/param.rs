//! Essence Prime parameter files: `letting NAME be VALUE`, where a value is an integer, a Boolean,
//! or a matrix of values.
//!
//! This reader is independent of the Essence Prime crate. It reads only what the published level
//! files contain, so that loading a level does not need that crate.

use ployglot_base::BadText;

/// The lettings of a `.param` file, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    lettings: Vec<Letting>,
    end: Spot,
}

/// One `letting NAME be VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letting {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub spot: Spot,
    /// The value.
    pub value: Value,
}

/// A value and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The place of its first character.
    pub spot: Spot,
    /// The value itself.
    pub kind: Kind,
}

/// A number or a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer; Booleans are 0 and 1.
    Number(i64),
    /// A list of values, which may be lists themselves.
    Matrix(Vec<Value>),
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
}

impl Spot {
    /// An error at this place.
    pub fn bad(self, message: impl Into<String>) -> BadText {
        BadText::new(self.line, self.column, message)
    }
}

/// How deep matrices may be nested. No level file needs more.
const DEEPEST: usize = 8;

impl Params {
    /// Whether a text looks like a parameter file that defines this name.
    pub fn gives(text: &str, name: &str) -> bool {
        let mut words = text.lines().take(10_000).filter_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some("letting"))
                .then(|| words.next())
                .flatten()
        });
        words.any(|word| word.trim_end_matches('=') == name)
    }

    /// Reads a parameter file.
    pub fn parse(text: &str) -> Result<Params, BadText> {
        let mut reader = Reader {
            rest: text.chars().peekable(),
            spot: Spot { line: 1, column: 1 },
        };
        let mut lettings: Vec<Letting> = Vec::new();
        loop {
            reader.skip_blanks();
            if reader.peek().is_none() {
                return Ok(Params {
                    lettings,
                    end: reader.spot,
                });
            }
            let spot = reader.spot;
            match reader.word().as_str() {
                // `language ESSENCE' 1.0` takes the rest of its line.
                "language" => {
                    while reader.peek().is_some_and(|c| c != '\n') {
                        reader.next();
                    }
                }
                "letting" => {
                    let letting = reader.letting()?;
                    if lettings.iter().any(|known| known.name == letting.name) {
                        return Err(letting
                            .spot
                            .bad(format!("'{}' is given twice", letting.name)));
                    }
                    lettings.push(letting);
                }
                other => {
                    let found = if other.is_empty() {
                        reader.found()
                    } else {
                        format!("'{other}'")
                    };
                    return Err(
                        spot.bad(format!("expected 'letting NAME be VALUE', found {found}"))
                    );
                }
            }
        }
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.lettings
            .iter()
            .find(|letting| letting.name == name)
            .map(|letting| &letting.value)
    }

    /// The value with this name, which must be there.
    pub fn required(&self, name: &str) -> Result<&Value, BadText> {
        self.get(name)
            .ok_or_else(|| self.end.bad(format!("'letting {name} be …' is missing")))
    }
}

impl Value {
    /// An error at the place of this value.
    pub fn bad(&self, message: impl Into<String>) -> BadText {
        self.spot.bad(message)
    }

    /// A number in a range; `what` names it in the message.
    pub fn number(&self, what: &str, range: std::ops::RangeInclusive<i64>) -> Result<i64, BadText> {
        let (low, high) = (*range.start(), *range.end());
        match &self.kind {
            Kind::Number(number) if range.contains(number) => Ok(*number),
            Kind::Number(number) => Err(self.bad(format!(
                "{what} is a number from {low} to {high}, found {number}"
            ))),
            Kind::Matrix(_) => Err(self.bad(format!("{what} is a number, found a matrix"))),
        }
    }

    /// The values of a matrix; `what` names it in the message.
    pub fn list(&self, what: &str) -> Result<&[Value], BadText> {
        match &self.kind {
            Kind::Matrix(values) => Ok(values),
            Kind::Number(number) => Err(self.bad(format!("{what} is a list, found {number}"))),
        }
    }

    /// A matrix of numbers in a range, all rows equally long, at least one by one.
    pub fn grid(
        &self,
        what: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<Vec<Vec<i64>>, BadText> {
        let rows = self.list(what)?;
        let mut grid: Vec<Vec<i64>> = Vec::new();
        for row in rows {
            let cells = row.list("a row")?;
            let numbers: Result<Vec<i64>, BadText> = cells
                .iter()
                .map(|cell| cell.number("a cell", range.clone()))
                .collect();
            let numbers = numbers?;
            if let Some(first) = grid.first()
                && first.len() != numbers.len()
            {
                return Err(row.bad(format!(
                    "every row of {what} has {} cells like the first, this one has {}",
                    first.len(),
                    numbers.len()
                )));
            }
            grid.push(numbers);
        }
        if grid.first().is_none_or(Vec::is_empty) {
            return Err(self.bad(format!("{what} has at least one cell")));
        }
        Ok(grid)
    }
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    spot: Spot,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.spot = Spot {
                line: self.spot.line + 1,
                column: 1,
            };
        } else {
            self.spot.column += 1;
        }
        Some(c)
    }

    /// Skips white space, and comments from `$` to the end of the line.
    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            if c == '$' {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.next();
                }
            } else if c.is_whitespace() {
                self.next();
            } else {
                break;
            }
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
            word.push(c);
            self.next();
        }
        word
    }

    fn found(&mut self) -> String {
        self.peek()
            .map_or("the end of the file".to_string(), |c| format!("'{c}'"))
    }

    fn expect(&mut self, wanted: char, what: &str) -> Result<(), BadText> {
        if self.peek() == Some(wanted) {
            self.next();
            return Ok(());
        }
        let found = self.found();
        Err(self
            .spot
            .bad(format!("expected '{wanted}' {what}, found {found}")))
    }

    fn letting(&mut self) -> Result<Letting, BadText> {
        self.skip_blanks();
        let spot = self.spot;
        let name = self.word();
        if name.is_empty() {
            let found = self.found();
            return Err(spot.bad(format!("expected a name after 'letting', found {found}")));
        }
        self.skip_blanks();
        let be = self.spot;
        if self.peek() == Some('=') {
            self.next();
        } else if self.word() != "be" {
            return Err(be.bad(format!("expected 'be' or '=' after '{name}'")));
        }
        let value = self.value(0)?;
        Ok(Letting { name, spot, value })
    }

    fn value(&mut self, depth: usize) -> Result<Value, BadText> {
        self.skip_blanks();
        let spot = self.spot;
        if depth > DEEPEST {
            return Err(spot.bad(format!("matrices are nested at most {DEEPEST} deep")));
        }
        let kind = match self.peek() {
            Some('[') => self.matrix(depth)?,
            Some(c) if c == '-' || c.is_ascii_digit() => Kind::Number(self.number()?),
            Some(c) if c.is_alphabetic() => match self.word().as_str() {
                "true" => Kind::Number(1),
                "false" => Kind::Number(0),
                other => return Err(spot.bad(format!("expected a value, found '{other}'"))),
            },
            _ => {
                let found = self.found();
                return Err(spot.bad(format!("expected a number or '[', found {found}")));
            }
        };
        Ok(Value { spot, kind })
    }

    /// `[v, v, …]`, with an optional index domain `; int(1..3)`, which is skipped.
    fn matrix(&mut self, depth: usize) -> Result<Kind, BadText> {
        self.expect('[', "to open a matrix")?;
        let mut values = Vec::new();
        self.skip_blanks();
        while self.peek() != Some(']') {
            if self.peek() == Some(';') {
                while self.peek().is_some_and(|c| c != ']') {
                    self.next();
                }
                break;
            }
            if !values.is_empty() {
                self.expect(',', "or ']' in a matrix")?;
            }
            values.push(self.value(depth + 1)?);
            self.skip_blanks();
        }
        self.expect(']', "to close the matrix")?;
        Ok(Kind::Matrix(values))
    }

    fn number(&mut self) -> Result<i64, BadText> {
        let spot = self.spot;
        let mut digits = String::new();
        if self.peek() == Some('-') {
            digits.push('-');
            self.next();
        }
        while let Some(c) = self.peek().filter(char::is_ascii_digit) {
            digits.push(c);
            self.next();
        }
        digits.parse().map_err(|_| {
            spot.bad(format!("'{digits}' is not a number of 64 bits"))
                .wide(digits.len())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_published_parameter_files() {
        let text = "language ESSENCE' 1.0\n$ a level\nletting g be [[1, 2],\n [0,-3] ; int(1..2)]\nletting n = 4\n";
        let params = Params::parse(text).unwrap();
        assert_eq!(
            params.required("g").unwrap().grid("g", -3..=9).unwrap(),
            [[1, 2], [0, -3]]
        );
        assert_eq!(params.required("n").unwrap().number("n", 0..=9).unwrap(), 4);
        assert!(Params::gives(text, "g") && !Params::gives(text, "h"));
    }

    #[test]
    fn errors_have_a_place_and_name_what_was_expected() {
        for (text, line, column, part) in [
            ("letting x be [1, ]", 1, 18, "expected a number or '['"),
            ("letting x be\n [1 2]", 2, 5, "expected ','"),
            (
                "hello",
                1,
                1,
                "expected 'letting NAME be VALUE', found 'hello'",
            ),
            ("letting x be 99999999999999999999", 1, 14, "64 bits"),
            ("letting x be 1 letting x be 2", 1, 24, "given twice"),
            ("letting x be [[[[[[[[[[[[1]]]]]]]]]]]]", 1, 23, "nested"),
        ] {
            let bad = Params::parse(text).unwrap_err();
            assert_eq!((bad.line, bad.column), (line, column), "{text}: {bad}");
            assert!(bad.message.contains(part), "{bad}");
        }
    }
}
