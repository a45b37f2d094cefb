//! Expressions, by precedence climbing. From tight to loose: `!` and `|x|`; `**`, to the right; unary `-`; `* / %`;
//! `intersect`; `+ -` and `union`; comparisons and `in`; `/\`; `\/`; `->` and `<->`. A quantifier is an operand whose body
//! reaches as far to the right as it can.
//!
//! `|` opens where an operand is expected and closes where an operator is, so `| |x| - |y| |` and `[ |x| | i : D ]` need no
//! look ahead. Chains of `+`, `*`, `/\` and `\/` become one node with many parts: generated models have thousands.

use ployglot_base::BadText;

use super::{Parser, leaf};
use crate::lex::{Spot, Token};
use crate::tree::{Binary, Binder, Chain, Compare, Kind, Node, Quantifier, Range, Unary};

const IMPLICATION: u8 = 1;
const SUM: u8 = 5;
const POWER: u8 = 9;
const UNARY_MINUS: u8 = 8;

enum Operator {
    Binary(Binary),
    Chain(Chain),
}

fn operator(token: Token) -> Option<(u8, Operator)> {
    let (Token::Sign(text) | Token::Name(text)) = token else {
        return None;
    };
    let compare = |compare| (4, Operator::Binary(Binary::Compare(compare)));
    let lex = |compare| (4, Operator::Binary(Binary::Lex(compare)));
    Some(match text {
        "->" => (IMPLICATION, Operator::Binary(Binary::Implies)),
        "<->" => (IMPLICATION, Operator::Binary(Binary::Iff)),
        "\\/" => (2, Operator::Chain(Chain::Or)),
        "/\\" => (3, Operator::Chain(Chain::And)),
        "=" => compare(Compare::Equal),
        "!=" => compare(Compare::NotEqual),
        "<" => compare(Compare::Less),
        "<=" => compare(Compare::AtMost),
        ">" => compare(Compare::Greater),
        ">=" => compare(Compare::AtLeast),
        "<lex" => lex(Compare::Less),
        "<=lex" => lex(Compare::AtMost),
        ">lex" => lex(Compare::Greater),
        ">=lex" => lex(Compare::AtLeast),
        "in" => (4, Operator::Binary(Binary::In)),
        "+" => (SUM, Operator::Chain(Chain::Sum)),
        "-" => (SUM, Operator::Binary(Binary::Minus)),
        "union" => (SUM, Operator::Binary(Binary::Union)),
        "intersect" => (6, Operator::Binary(Binary::Intersect)),
        "*" => (7, Operator::Chain(Chain::Product)),
        "/" => (7, Operator::Binary(Binary::Quotient)),
        "%" => (7, Operator::Binary(Binary::Remainder)),
        "**" => (POWER, Operator::Binary(Binary::Power)),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Node, BadText> {
        self.deeper(|parser| parser.climb(IMPLICATION))
    }

    /// A domain binds as a sum does: `int(1..3) union D - E`.
    pub(super) fn domain(&mut self) -> Result<Node, BadText> {
        self.deeper(|parser| parser.climb(SUM))
    }

    /// Operators that bind at least this tightly.
    fn climb(&mut self, least: u8) -> Result<Node, BadText> {
        let mut left = self.operand()?;
        // Whether `left` is an open chain, not one in parentheses.
        let mut open = false;
        while let Some((level, operator)) = operator(self.peek()) {
            if level < least {
                break;
            }
            self.advance();
            let next = if level == POWER { level } else { level + 1 };
            let right = self.deeper(|parser| parser.climb(next))?;
            let spot = left.spot.to(self.last());
            let depth = self.node(spot, [&left, &right])?;
            let (kind, is_chain) = match operator {
                Operator::Binary(binary) => (Kind::Binary(binary, Box::new([left, right])), false),
                Operator::Chain(chain) => {
                    if let Kind::Chain(same, parts) = &mut left.kind
                        && open
                        && *same == chain
                    {
                        left.depth = left.depth.max(right.depth + 1);
                        left.spot = spot;
                        parts.push(right);
                        continue;
                    }
                    (Kind::Chain(chain, vec![left, right]), true)
                }
            };
            open = is_chain;
            left = Node { spot, depth, kind };
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Node, BadText> {
        let spot = self.spot();
        if self.takes_sign("-") {
            let of = self.deeper(|parser| parser.climb(UNARY_MINUS + 1))?;
            return self.unary(spot, Unary::Negate, of);
        }
        if self.takes_sign("!") {
            let of = self.deeper(Self::operand)?;
            return self.unary(spot, Unary::Not, of);
        }
        let mut node = self.primary()?;
        while self.is_sign("[") {
            node = self.index(node)?;
        }
        Ok(node)
    }

    fn unary(&self, spot: Spot, unary: Unary, of: Node) -> Result<Node, BadText> {
        let spot = spot.to(self.last());
        let depth = self.node(spot, [&of])?;
        let kind = Kind::Unary(unary, Box::new(of));
        Ok(Node { spot, depth, kind })
    }

    fn index(&mut self, of: Node) -> Result<Node, BadText> {
        self.sign("[")?;
        let mut places = Vec::new();
        loop {
            match self.takes_sign("..") {
                true => places.push(None),
                false => places.push(Some(self.expression()?)),
            }
            if !self.takes_sign(",") {
                break;
            }
        }
        if !self.is_sign("]") {
            return Err(self.expected("',' or ']'"));
        }
        self.advance();
        let spot = of.spot.to(self.last());
        let parts = places.iter().flatten().chain([&of]);
        let depth = self.node(spot, parts)?;
        let kind = Kind::Index(Box::new(of), places);
        Ok(Node { spot, depth, kind })
    }

    fn primary(&mut self) -> Result<Node, BadText> {
        let spot = self.spot();
        match self.peek() {
            Token::Number(number) => {
                self.advance();
                Ok(leaf(spot, Kind::Number(number)))
            }
            Token::Sign("(") => {
                self.advance();
                let mut inner = self.expression()?;
                if !self.is_sign(")") {
                    return Err(self.expected("')' or an operator"));
                }
                self.advance();
                inner.spot = spot.to(self.last());
                Ok(inner)
            }
            Token::Sign("|") => {
                self.advance();
                let of = self.expression()?;
                if !self.is_sign("|") {
                    return Err(self.expected("'|' or an operator"));
                }
                self.advance();
                self.unary(spot, Unary::Absolute, of)
            }
            Token::Sign("[") => self.matrix(),
            Token::Name(word) => self.named(word),
            _ => Err(self.expected("an expression")),
        }
    }

    fn named(&mut self, word: &str) -> Result<Node, BadText> {
        let spot = self.spot();
        let calls = self.after() == Token::Sign("(");
        match word {
            "true" | "false" => {
                self.advance();
                Ok(leaf(spot, Kind::Truth(word == "true")))
            }
            "forAll" | "forall" => self.quantified(Quantifier::ForAll),
            "exists" => self.quantified(Quantifier::Exists),
            "sum" if !calls => self.quantified(Quantifier::Sum),
            "bool" => {
                self.advance();
                Ok(leaf(spot, Kind::BoolDomain))
            }
            "int" => self.int_domain(),
            "matrix" => self.matrix_domain(),
            _ if calls => {
                self.advance();
                self.advance();
                let mut arguments = Vec::new();
                if !self.is_sign(")") {
                    arguments.push(self.expression()?);
                    while self.takes_sign(",") {
                        arguments.push(self.expression()?);
                    }
                }
                if !self.is_sign(")") {
                    return Err(self.expected("',' or ')'"));
                }
                self.advance();
                let depth = self.node(spot, &arguments)?;
                let kind = Kind::Call(word.to_string(), arguments);
                let spot = spot.to(self.last());
                Ok(Node { spot, depth, kind })
            }
            _ if super::WORDS.contains(&word) => Err(self.expected("an expression")),
            _ => {
                self.advance();
                Ok(leaf(spot, Kind::Name(word.to_string())))
            }
        }
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Result<Node, BadText> {
        let spot = self.spot();
        self.advance();
        let binder = self.binder()?;
        if !self.is_sign(".") {
            return Err(self.expected("'.' or an operator"));
        }
        self.advance();
        let body = self.expression()?;
        let depth = self.node(spot, [&binder.domain, &body])?;
        let kind = Kind::Quantified {
            quantifier,
            binder: Box::new(binder),
            body: Box::new(body),
        };
        let spot = spot.to(self.last());
        Ok(Node { spot, depth, kind })
    }

    fn binder(&mut self) -> Result<Binder, BadText> {
        let names = self.names()?;
        self.sign(":")?;
        let domain = self.domain()?;
        Ok(Binder { names, domain })
    }

    fn int_domain(&mut self) -> Result<Node, BadText> {
        let spot = self.spot();
        self.advance();
        if !self.takes_sign("(") {
            return Ok(leaf(spot, Kind::IntDomain(None)));
        }
        let mut ranges = Vec::new();
        while !self.is_sign(")") {
            if self.takes_sign("..") {
                let to = self.bound()?;
                ranges.push(Range::Between(None, to));
            } else {
                let from = self.expression()?;
                match self.takes_sign("..") {
                    true => {
                        let to = self.bound()?;
                        ranges.push(Range::Between(Some(from), to));
                    }
                    false => ranges.push(Range::Single(from)),
                }
            }
            if !self.takes_sign(",") {
                break;
            }
        }
        if !self.is_sign(")") {
            return Err(self.expected("'..', ',' or ')'"));
        }
        self.advance();
        let parts = ranges.iter().flat_map(|range| match range {
            Range::Single(node) => [Some(node), None],
            Range::Between(from, to) => [from.as_ref(), to.as_ref()],
        });
        let depth = self.node(spot, parts.flatten())?;
        let kind = Kind::IntDomain(Some(ranges));
        let spot = spot.to(self.last());
        Ok(Node { spot, depth, kind })
    }

    /// What follows `..`, if anything.
    fn bound(&mut self) -> Result<Option<Node>, BadText> {
        match self.is_sign(")") || self.is_sign(",") {
            true => Ok(None),
            false => self.expression().map(Some),
        }
    }

    fn matrix_domain(&mut self) -> Result<Node, BadText> {
        let spot = self.spot();
        self.advance();
        self.word("indexed")?;
        self.word("by")?;
        self.sign("[")?;
        let mut index = vec![self.domain()?];
        while self.takes_sign(",") {
            index.push(self.domain()?);
        }
        if !self.is_sign("]") {
            return Err(self.expected("',' or ']'"));
        }
        self.advance();
        self.word("of")?;
        let of = self.domain()?;
        let depth = self.node(spot, index.iter().chain([&of]))?;
        let of = Box::new(of);
        let kind = Kind::MatrixDomain { index, of };
        let spot = spot.to(self.last());
        Ok(Node { spot, depth, kind })
    }

    /// `[a, b ; D]` or `[ e | i : D1, j : D2, condition ; D ]`.
    fn matrix(&mut self) -> Result<Node, BadText> {
        let spot = self.spot();
        self.advance();
        let mut items = Vec::new();
        if !self.is_sign("]") && !self.is_sign(";") {
            items.push(self.expression()?);
        }
        if items.len() == 1 && self.takes_sign("|") {
            let body = Box::new(items.remove(0));
            return self.comprehension(spot, body);
        }
        while self.takes_sign(",") {
            items.push(self.expression()?);
        }
        let index = self.index_domain("',', ';' or ']'")?;
        let depth = self.node(spot, items.iter().chain(index.as_deref()))?;
        let kind = Kind::Matrix { items, index };
        let spot = spot.to(self.last());
        Ok(Node { spot, depth, kind })
    }

    fn comprehension(&mut self, spot: Spot, body: Box<Node>) -> Result<Node, BadText> {
        let (mut binders, mut conditions) = (Vec::new(), Vec::new());
        loop {
            // A name before a colon, or before a comma on its way to one, binds; anything else is a condition.
            match self.binds() {
                true => binders.push(self.binder()?),
                false => conditions.push(self.expression()?),
            }
            if !self.takes_sign(",") {
                break;
            }
        }
        let index = self.index_domain("',', ';' or ']'")?;
        let parts = binders.iter().map(|binder| &binder.domain);
        let parts = parts.chain(&conditions).chain([&*body]);
        let depth = self.node(spot, parts.chain(index.as_deref()))?;
        let kind = Kind::Comprehension {
            body,
            binders,
            conditions,
            index,
        };
        let spot = spot.to(self.last());
        Ok(Node { spot, depth, kind })
    }

    /// Looks ahead, but not far: a list of names is short, and hostile text is long.
    fn binds(&self) -> bool {
        let mut at = self.at;
        for _ in 0..64 {
            let token = |at: usize| self.tokens.get(at).map(|&(token, _)| token);
            if !matches!(token(at), Some(Token::Name(_))) {
                return false;
            }
            match token(at + 1) {
                Some(Token::Sign(":")) => return true,
                Some(Token::Sign(",")) => at += 2,
                _ => return false,
            }
        }
        false
    }

    fn index_domain(&mut self, otherwise: &str) -> Result<Option<Box<Node>>, BadText> {
        let index = match self.takes_sign(";") {
            true => Some(Box::new(self.domain()?)),
            false => None,
        };
        if !self.is_sign("]") {
            let wanted = if index.is_some() { "']'" } else { otherwise };
            return Err(self.expected(wanted));
        }
        self.advance();
        Ok(index)
    }
}
