//! Literals of abstract values, lists and comprehensions.

use ployglot_eprime::Token;

use super::expression::node;
use super::{Parsed, Parser};
use crate::tree::{Generator, Kind, Node};

impl Parser<'_> {
    /// `(e)`, `(a, b)`, or a value with its type: `` ({} : `set of int`) ``.
    pub(super) fn brackets(&mut self) -> Parsed<Node> {
        let start = self.expect("(")?;
        let first = self.expression()?;
        if self.eat(":") {
            let domain = self.quoted_domain()?;
            self.expect(")")?;
            let kind = Kind::Typed(Box::new(first), Box::new(domain));
            return Ok(node(start.to(self.last_span()), kind));
        }
        if self.eat(")") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(",") {
            if self.is(")") {
                break;
            }
            items.push(self.expression()?);
        }
        self.expect(")")?;
        Ok(node(start.to(self.last_span()), Kind::Tuple(items)))
    }

    /// A matrix literal or a comprehension.
    pub(super) fn square(&mut self) -> Parsed<Node> {
        let start = self.expect("[")?;
        let mut items = Vec::new();
        let mut index = None;
        while !self.is("]") {
            if self.eat(";") {
                index = Some(Box::new(self.domain()?));
                break;
            }
            items.push(self.expression()?);
            if items.len() == 1 && self.eat("|") {
                return self.comprehension(items.remove(0), start);
            }
            if !self.eat(",") && !self.is("]") && !self.is(";") {
                return Err(self.wrong("',', ';' or ']'"));
            }
        }
        self.expect("]")?;
        let span = start.to(self.last_span());
        Ok(node(span, Kind::Matrix(items, index)))
    }

    /// The generators and conditions of `[ body | … ]`.
    fn comprehension(&mut self, body: Node, start: ployglot_eprime::Span) -> Parsed<Node> {
        let mut generators = Vec::new();
        while !self.eat("]") {
            if self.is_word("letting") {
                self.advance();
                let Some(pattern) = self.pattern() else {
                    return Err(self.wrong("a name or a pattern"));
                };
                self.expect_word("be")?;
                generators.push(Generator::Letting(pattern, self.expression()?));
            } else {
                match self.patterns(false)? {
                    Some(patterns) => self.generator(patterns, &mut generators)?,
                    None => generators.push(Generator::Condition(self.expression()?)),
                }
            }
            if !self.eat(",") && !self.is("]") {
                return Err(self.wrong("',' or ']'"));
            }
        }
        let span = start.to(self.last_span());
        Ok(node(span, Kind::Comprehension(Box::new(body), generators)))
    }

    /// A literal that starts with this word, if it is one.
    pub(super) fn literal(&mut self, word: &str, called: bool) -> Parsed<Option<Node>> {
        let braced = self.ahead(1) == Token::Symbol("{");
        let start = self.span();
        let kind = match word {
            "tuple" | "mset" | "sequence" | "relation" | "function" | "partition"
            | "permutation"
                if called =>
            {
                self.advance();
                self.advance();
                match word {
                    "function" => Kind::Function(self.list(")", |parser| {
                        let from = parser.expression()?;
                        parser.expect("-->")?;
                        Ok((from, parser.expression()?))
                    })?),
                    "permutation" => Kind::Permutation(self.list(")", |parser| {
                        parser.expect("(")?;
                        parser.list(")", Self::expression)
                    })?),
                    _ => {
                        let items = self.list(")", Self::expression)?;
                        match word {
                            "tuple" => Kind::Tuple(items),
                            "mset" => Kind::MSet(items),
                            "sequence" => Kind::Sequence(items),
                            "relation" => Kind::Relation(items),
                            _ => Kind::Partition(items),
                        }
                    }
                }
            }
            "record" if braced => {
                self.advance();
                self.advance();
                Kind::Record(self.list("}", |parser| {
                    let name = parser.identifier("the name of a field")?;
                    parser.expect("=")?;
                    Ok((name, parser.expression()?))
                })?)
            }
            "variant" if braced => {
                self.advance();
                self.advance();
                let name = self.identifier("the name of a field")?;
                self.expect("=")?;
                let value = self.expression()?;
                self.expect("}")?;
                Kind::Variant(name, Box::new(value))
            }
            _ => return Ok(None),
        };
        Ok(Some(node(start.to(self.last_span()), kind)))
    }
}
