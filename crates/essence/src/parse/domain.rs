//! Domains.

use ployglot_eprime::Token;

use super::expression::node;
use super::{Parsed, Parser};
use crate::tree::{Attributes, DomainKind, DomainNode, Identifier, Kind, Range};

/// All attributes of domains, and whether they take a value.
pub(crate) const ATTRIBUTES: [(&str, bool); 38] = [
    ("size", true),
    ("minSize", true),
    ("maxSize", true),
    ("minOccur", true),
    ("maxOccur", true),
    ("numParts", true),
    ("minNumParts", true),
    ("maxNumParts", true),
    ("partSize", true),
    ("minPartSize", true),
    ("maxPartSize", true),
    ("numMoved", true),
    ("minNumMoved", true),
    ("maxNumMoved", true),
    ("regular", false),
    ("complete", false),
    ("total", false),
    ("injective", false),
    ("surjective", false),
    ("bijective", false),
    ("reflexive", false),
    ("irreflexive", false),
    ("coreflexive", false),
    ("symmetric", false),
    ("antiSymmetric", false),
    ("aSymmetric", false),
    ("transitive", false),
    ("leftTotal", false),
    ("rightTotal", false),
    ("connex", false),
    ("Euclidean", false),
    ("serial", false),
    ("equivalence", false),
    ("partialOrder", false),
    ("linearOrder", false),
    ("weakOrder", false),
    ("preOrder", false),
    ("strictPartialOrder", false),
];

/// The attribute of this name: whether it takes a value.
pub(crate) fn attribute(name: &str) -> Option<bool> {
    let found = ATTRIBUTES.iter().find(|(known, _)| *known == name);
    found.map(|&(_, takes_value)| takes_value)
}

impl Parser<'_> {
    pub(super) fn domain(&mut self) -> Parsed<DomainNode> {
        self.nested(Self::domain_inside)
    }

    fn boxed_domain(&mut self) -> Parsed<Box<DomainNode>> {
        self.domain().map(Box::new)
    }

    fn domain_inside(&mut self) -> Parsed<DomainNode> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Symbol("(") => {
                self.advance();
                let items = self.list(")", Self::domain)?;
                match <[DomainNode; 1]>::try_from(items) {
                    // Brackets around a domain.
                    Ok([only]) => return Ok(only),
                    Err(items) => DomainKind::Tuple(items),
                }
            }
            Token::Symbol("?") => {
                self.advance();
                DomainKind::Any
            }
            Token::Name(word) => {
                self.advance();
                self.domain_of_word(word)?
            }
            _ => return Err(self.wrong("a domain")),
        };
        let span = start.to(self.last_span());
        Ok(DomainNode { span, kind })
    }

    fn domain_of_word(&mut self, word: &str) -> Parsed<DomainKind> {
        Ok(match word {
            "bool" => DomainKind::Bool,
            "int" => DomainKind::Int(self.ranges()?),
            "tuple" => {
                self.expect("(")?;
                DomainKind::Tuple(self.list(")", Self::domain)?)
            }
            "record" => DomainKind::Record(self.fields(false)?),
            "variant" => DomainKind::Variant(self.fields(true)?),
            "matrix" => {
                self.expect_word("indexed")?;
                self.expect_word("by")?;
                self.expect("[")?;
                let index = self.list("]", Self::domain)?;
                if index.is_empty() {
                    return Err(self.last_span().error("a matrix has at least one index"));
                }
                self.expect_word("of")?;
                DomainKind::Matrix(index, self.boxed_domain()?)
            }
            "set" | "mset" | "sequence" | "permutation" => {
                let attributes = self.attributes()?;
                self.expect_word("of")?;
                let of = self.boxed_domain()?;
                match word {
                    "set" => DomainKind::Set(attributes, of),
                    "mset" => DomainKind::MSet(attributes, of),
                    "sequence" => DomainKind::Sequence(attributes, of),
                    _ => DomainKind::Permutation(attributes, of),
                }
            }
            "function" => {
                let attributes = self.attributes()?;
                let from = self.domain()?;
                self.expect("-->")?;
                let to = self.domain()?;
                DomainKind::Function(attributes, Box::new([from, to]))
            }
            "relation" => {
                let attributes = self.attributes()?;
                self.expect_word("of")?;
                self.expect("(")?;
                let mut parts = vec![self.domain()?];
                while self.eat("*") {
                    parts.push(self.domain()?);
                }
                self.expect(")")?;
                DomainKind::Relation(attributes, parts)
            }
            "partition" => {
                let attributes = self.attributes()?;
                self.expect_word("from")?;
                DomainKind::Partition(attributes, self.boxed_domain()?)
            }
            name if super::RESERVED.contains(&name) => {
                self.at -= 1;
                return Err(self.wrong("a domain"));
            }
            name => DomainKind::Name(name.to_string(), self.ranges()?),
        })
    }

    /// `(1, 3..5)`, if there is one.
    fn ranges(&mut self) -> Parsed<Option<Vec<Range>>> {
        if !self.eat("(") {
            return Ok(None);
        }
        self.list(")", |parser| {
            if parser.eat("..") {
                let at_end = parser.is(",") || parser.is(")");
                let high = match at_end {
                    true => None,
                    false => Some(parser.expression()?),
                };
                return Ok(Range::Between(None, high));
            }
            let low = parser.expression()?;
            if !parser.eat("..") {
                return Ok(Range::Single(low));
            }
            let at_end = parser.is(",") || parser.is(")");
            let high = match at_end {
                true => None,
                false => Some(parser.expression()?),
            };
            Ok(Range::Between(Some(low), high))
        })
        .map(Some)
    }

    /// `{ a : D, b : E }`. A field of a variant may have no domain: its value is then 0.
    fn fields(&mut self, of_variant: bool) -> Parsed<Vec<(Identifier, DomainNode)>> {
        self.expect("{")?;
        self.list("}", |parser| {
            let name = parser.identifier("the name of a field")?;
            if of_variant && (parser.is(",") || parser.is("}")) {
                let span = name.span;
                let zero = node(span, Kind::Number(0));
                let kind = DomainKind::Int(Some(vec![Range::Single(zero)]));
                return Ok((name, DomainNode { span, kind }));
            }
            parser.expect(":")?;
            Ok((name, parser.domain()?))
        })
    }

    /// `(size 3, regular)`, if there is one. `(D, E)` after `function` is a tuple, not a list of
    /// attributes.
    fn attributes(&mut self) -> Parsed<Attributes> {
        let is_attribute = match self.ahead(1) {
            Token::Name(name) => attribute(name).is_some(),
            Token::Symbol(")") => true,
            _ => false,
        };
        if !self.is("(") {
            return Ok(Vec::new());
        }
        if !is_attribute {
            // Only a function may continue with a bracket; elsewhere the name is wrong.
            let is_function = matches!(
                self.tokens[self.at.saturating_sub(1)].0,
                Token::Name("function")
            );
            // `function (D) --> E` has a bracket around one domain.
            let is_one_name = matches!(self.ahead(1), Token::Name(_))
                && self.ahead(2) == Token::Symbol(")")
                && self.ahead(3) != Token::Symbol("-->");
            if is_function && !is_one_name {
                return Ok(Vec::new());
            }
            self.advance();
            return Err(self.unknown_attribute());
        }
        self.expect("(")?;
        self.list(")", |parser| {
            let takes_value = match parser.peek() {
                Token::Name(name) => attribute(name),
                _ => None,
            };
            let Some(takes_value) = takes_value else {
                return Err(parser.unknown_attribute());
            };
            let (token, span) = parser.advance();
            let Token::Name(name) = token else {
                return Err(parser.wrong("an attribute"));
            };
            let value = match takes_value {
                true => Some(parser.expression()?),
                false => None,
            };
            let name = name.to_string();
            Ok((Identifier { name, span }, value))
        })
    }

    fn unknown_attribute(&self) -> ployglot_base::BadText {
        let Token::Name(name) = self.peek() else {
            return self.wrong("an attribute");
        };
        let known = ATTRIBUTES.iter().map(|(known, _)| *known);
        let message = ployglot_base::text::unknown("attribute", name, known);
        self.span().error(message)
    }
}
