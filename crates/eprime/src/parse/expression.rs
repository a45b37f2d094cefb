//! Expressions, by precedence climbing. From tight to loose: `!` and `|x|`; `**`, which is right
//! associative; unary `-`; `* / %`; `intersect`; `+ -` and `union`; comparisons and `in`; `/\`;
//! `xor`; `\/`; `->` and `<->`. A quantifier is an operand whose body extends as far to the right as
//! possible. `^` is `**`, `=>` is `->` and `<=>` is `<->`, as in older models.
//!
//! `|` opens where an operand is expected and closes where an operator is, so `| |x| - |y| |` and
//! `[ |x| | i : D ]` need no lookahead. A chain of `+`, `*`, `/\` or `\/` becomes one node with
//! many parts: generated models have chains of thousands.

use ployglot_base::BadText;

use super::{Parser, leaf};
use crate::lex::{Span, Token};
use crate::tree::{Binary, Binder, Chain, Compare, Kind, Node, Quantifier, Range, Unary};

const IMPLICATION: u8 = 1;
const COMPARISON: u8 = 5;
const SUM: u8 = 6;
const UNARY_MINUS: u8 = 9;
const POWER: u8 = 10;

/// What an infix operator builds.
enum Operator {
    Binary(Binary),
    Chain(Chain),
}

/// An infix operator with its precedence.
fn operator(token: Token) -> Option<(u8, Operator)> {
    let (Token::Symbol(text) | Token::Name(text)) = token else {
        return None;
    };
    let compare = |compare| (COMPARISON, Operator::Binary(Binary::Compare(compare)));
    let lex = |compare| (COMPARISON, Operator::Binary(Binary::Lex(compare)));
    Some(match text {
        "->" | "=>" => (IMPLICATION, Operator::Binary(Binary::Implies)),
        "<->" | "<=>" => (IMPLICATION, Operator::Binary(Binary::Iff)),
        "\\/" => (2, Operator::Chain(Chain::Or)),
        "xor" => (3, Operator::Chain(Chain::Xor)),
        "/\\" => (4, Operator::Chain(Chain::And)),
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
        "in" => (COMPARISON, Operator::Binary(Binary::In)),
        "+" => (SUM, Operator::Chain(Chain::Sum)),
        "-" => (SUM, Operator::Binary(Binary::Minus)),
        "union" => (SUM, Operator::Binary(Binary::Union)),
        "intersect" => (7, Operator::Binary(Binary::Intersect)),
        "*" => (8, Operator::Chain(Chain::Product)),
        "/" => (8, Operator::Binary(Binary::Quotient)),
        "%" => (8, Operator::Binary(Binary::Remainder)),
        "**" | "^" => (POWER, Operator::Binary(Binary::Power)),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Node, BadText> {
        self.nested(|parser| parser.binary(IMPLICATION))
    }

    /// A domain, with the precedence of a sum: `int(1..3) union D - E`.
    pub(super) fn domain(&mut self) -> Result<Node, BadText> {
        self.nested(|parser| parser.binary(SUM))
    }

    /// An expression whose infix operators have at least this precedence.
    fn binary(&mut self, least: u8) -> Result<Node, BadText> {
        let mut left = self.operand()?;
        // Whether `left` is a chain that the next operator may extend, not one in parentheses.
        let mut open = false;
        while let Some((level, operator)) = operator(self.peek()) {
            if level < least {
                break;
            }
            self.advance();
            let next = if level == POWER { level } else { level + 1 };
            let right = self.nested(|parser| parser.binary(next))?;
            let span = left.span.to(self.last());
            let depth = self.depth_above(span, [&left, &right])?;
            let (kind, is_chain) = match operator {
                Operator::Binary(binary) => (Kind::Binary(binary, Box::new([left, right])), false),
                Operator::Chain(chain) => {
                    if let Kind::Chain(same, parts) = &mut left.kind
                        && open
                        && *same == chain
                    {
                        left.depth = left.depth.max(right.depth + 1);
                        left.span = span;
                        parts.push(right);
                        continue;
                    }
                    (Kind::Chain(chain, vec![left, right]), true)
                }
            };
            open = is_chain;
            left = Node { span, depth, kind };
        }
        Ok(left)
    }

    /// An operand with its prefix operators and indices.
    fn operand(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        if self.accept_symbol("-") {
            let of = self.nested(|parser| parser.binary(UNARY_MINUS + 1))?;
            return self.unary(span, Unary::Negate, of);
        }
        if self.accept_symbol("!") {
            let of = self.nested(Self::operand)?;
            return self.unary(span, Unary::Not, of);
        }
        let mut node = self.primary()?;
        while self.is_symbol("[") {
            node = self.index(node)?;
        }
        Ok(node)
    }

    fn unary(&self, span: Span, unary: Unary, of: Node) -> Result<Node, BadText> {
        let span = span.to(self.last());
        let depth = self.depth_above(span, [&of])?;
        let kind = Kind::Unary(unary, Box::new(of));
        Ok(Node { span, depth, kind })
    }

    /// `of[i, .., j]`.
    fn index(&mut self, of: Node) -> Result<Node, BadText> {
        self.expect_symbol("[")?;
        let mut indices = Vec::new();
        loop {
            match self.accept_symbol("..") {
                true => indices.push(None),
                false => indices.push(Some(self.expression()?)),
            }
            if !self.accept_symbol(",") {
                break;
            }
        }
        if !self.is_symbol("]") {
            return Err(self.expected("',' or ']'"));
        }
        self.advance();
        let span = of.span.to(self.last());
        let parts = indices.iter().flatten().chain([&of]);
        let depth = self.depth_above(span, parts)?;
        let kind = Kind::Index(Box::new(of), indices);
        Ok(Node { span, depth, kind })
    }

    /// A number, a name, a call, a matrix, or an expression in parentheses.
    fn primary(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        match self.peek() {
            Token::Number(number) => {
                self.advance();
                Ok(leaf(span, Kind::Number(number)))
            }
            Token::Symbol("(") => {
                self.advance();
                let mut inner = self.expression()?;
                if !self.is_symbol(")") {
                    return Err(self.expected("')' or an operator"));
                }
                self.advance();
                inner.span = span.to(self.last());
                Ok(inner)
            }
            Token::Symbol("|") => {
                self.advance();
                let of = self.expression()?;
                if !self.is_symbol("|") {
                    return Err(self.expected("'|' or an operator"));
                }
                self.advance();
                self.unary(span, Unary::Absolute, of)
            }
            Token::Symbol("[") => self.matrix(),
            Token::Symbol("<") => self.tuple(),
            Token::Symbol("{") => self.set(),
            Token::Name(word) => self.named(word),
            _ => Err(self.expected("an expression")),
        }
    }

    /// What starts with a word: a constant, quantifier, domain, call or name.
    fn named(&mut self, word: &str) -> Result<Node, BadText> {
        let span = self.span();
        let calls = self.peek_second() == Token::Symbol("(");
        match word {
            "true" | "false" => {
                self.advance();
                Ok(leaf(span, Kind::Truth(word == "true")))
            }
            "forAll" | "forall" => self.quantified(Quantifier::ForAll),
            "exists" => self.quantified(Quantifier::Exists),
            "sum" if !calls => self.quantified(Quantifier::Sum),
            "bool" => {
                self.advance();
                Ok(leaf(span, Kind::BoolDomain))
            }
            "int" => self.int_domain(),
            "matrix" if self.peek_second() == Token::Name("indexed") => self.matrix_domain(),
            _ if calls => {
                self.advance();
                self.advance();
                let mut arguments = Vec::new();
                while !self.is_symbol(")") {
                    arguments.push(self.expression()?);
                    if !self.accept_symbol(",") {
                        break;
                    }
                }
                if !self.is_symbol(")") {
                    return Err(self.expected("',' or ')'"));
                }
                self.advance();
                let depth = self.depth_above(span, &arguments)?;
                let kind = Kind::Call(word.to_string(), arguments);
                let span = span.to(self.last());
                Ok(Node { span, depth, kind })
            }
            _ if super::RESERVED.contains(&word) => Err(self.expected("an expression")),
            _ => {
                self.advance();
                Ok(leaf(span, Kind::Name(word.to_string())))
            }
        }
    }

    /// `forAll i : D . body`.
    fn quantified(&mut self, quantifier: Quantifier) -> Result<Node, BadText> {
        let span = self.span();
        self.advance();
        let binder = self.binder()?;
        if !self.is_symbol(".") {
            return Err(self.expected("'.' or an operator"));
        }
        self.advance();
        let body = self.expression()?;
        let depth = self.depth_above(span, [&binder.domain, &body])?;
        let kind = Kind::Quantified {
            quantifier,
            binder: Box::new(binder),
            body: Box::new(body),
        };
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// `i, j : D`.
    fn binder(&mut self) -> Result<Binder, BadText> {
        let names = self.names()?;
        self.expect_symbol(":")?;
        let domain = self.domain()?;
        Ok(Binder { names, domain })
    }

    fn int_domain(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        self.advance();
        if !self.accept_symbol("(") {
            return Ok(leaf(span, Kind::IntDomain(None)));
        }
        let mut ranges = Vec::new();
        while !self.is_symbol(")") {
            if self.accept_symbol("..") {
                let to = self.bound()?;
                ranges.push(Range::Between(None, to));
            } else {
                let from = self.expression()?;
                match self.accept_symbol("..") {
                    true => {
                        let to = self.bound()?;
                        ranges.push(Range::Between(Some(from), to));
                    }
                    false => ranges.push(Range::Single(from)),
                }
            }
            if !self.accept_symbol(",") {
                break;
            }
        }
        if !self.is_symbol(")") {
            return Err(self.expected("'..', ',' or ')'"));
        }
        self.advance();
        let parts = ranges.iter().flat_map(|range| match range {
            Range::Single(node) => [Some(node), None],
            Range::Between(from, to) => [from.as_ref(), to.as_ref()],
        });
        let depth = self.depth_above(span, parts.flatten())?;
        let kind = Kind::IntDomain(Some(ranges));
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// The bound behind `..`; `None` if there is none.
    fn bound(&mut self) -> Result<Option<Node>, BadText> {
        match self.is_symbol(")") || self.is_symbol(",") {
            true => Ok(None),
            false => self.expression().map(Some),
        }
    }

    fn matrix_domain(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        self.advance();
        self.expect_word("indexed")?;
        self.expect_word("by")?;
        self.expect_symbol("[")?;
        let mut index = vec![self.domain()?];
        while self.accept_symbol(",") {
            index.push(self.domain()?);
        }
        if !self.is_symbol("]") {
            return Err(self.expected("',' or ']'"));
        }
        self.advance();
        self.expect_word("of")?;
        let of = self.domain()?;
        let depth = self.depth_above(span, index.iter().chain([&of]))?;
        let of = Box::new(of);
        let kind = Kind::MatrixDomain { index, of };
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// `[a, b ; D]` or `[ e | i : D1, j : D2, condition ; D ]`.
    fn matrix(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        self.advance();
        if let Some((is_bool, items)) = self.constants() {
            let index = self.index_domain("',', ';' or ']'")?;
            let depth = 1 + self.depth_above(span, index.as_deref())?;
            let items = items.into();
            let kind = Kind::Row {
                is_bool,
                items,
                index,
            };
            let span = span.to(self.last());
            return Ok(Node { span, depth, kind });
        }
        let mut items = Vec::new();
        if !self.is_symbol("]") && !self.is_symbol(";") {
            items.push(self.expression()?);
        }
        if items.len() == 1 && self.accept_symbol("|") {
            let body = Box::new(items.remove(0));
            return self.comprehension(span, body, "]");
        }
        while self.accept_symbol(",") {
            // A comma behind the last item.
            if self.is_symbol("]") || self.is_symbol(";") {
                break;
            }
            items.push(self.expression()?);
        }
        let index = self.index_domain("',', ';' or ']'")?;
        if items.is_empty() && self.is_symbol(":") && self.peek_second() == Token::Symbol("`") {
            return self.typed_empty(span);
        }
        let depth = self.depth_above(span, items.iter().chain(index.as_deref()))?;
        let kind = Kind::Matrix { items, index };
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// `{1, 12}` or `{ e | i : D }`: the set of the items, as `toSet` has it.
    fn set(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        self.advance();
        let mut items = Vec::new();
        while !self.is_symbol("}") {
            items.push(self.expression()?);
            if items.len() == 1 && self.accept_symbol("|") {
                let body = Box::new(items.remove(0));
                let row = self.comprehension(span, body, "}")?;
                return self.set_of(span, row);
            }
            if !self.accept_symbol(",") {
                break;
            }
        }
        if !self.is_symbol("}") {
            return Err(self.expected("',' or '}'"));
        }
        self.advance();
        let depth = self.depth_above(span, &items)?;
        let kind = Kind::Matrix { items, index: None };
        let row = Node { span, depth, kind };
        self.set_of(span, row)
    }

    fn set_of(&self, span: Span, row: Node) -> Result<Node, BadText> {
        let depth = self.depth_above(span, [&row])?;
        let kind = Kind::Call("toSet".to_string(), vec![row]);
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// `` : `matrix indexed by [int] of bool` ``, the type of an empty matrix.
    fn typed_empty(&mut self, span: Span) -> Result<Node, BadText> {
        self.expect_symbol(":")?;
        self.expect_symbol("`")?;
        let domain = self.domain()?;
        self.expect_symbol("`")?;
        let depth = self.depth_above(span, [&domain])?;
        let kind = Kind::Empty(Box::new(domain));
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// `<1, 2>`, a row of a table in models for the older translator Tailor.
    fn tuple(&mut self) -> Result<Node, BadText> {
        let span = self.span();
        self.advance();
        let mut items = Vec::new();
        while !self.is_symbol(">") {
            items.push(self.nested(|parser| parser.binary(COMPARISON + 1))?);
            if !self.accept_symbol(",") {
                break;
            }
        }
        if !self.is_symbol(">") {
            return Err(self.expected("',' or '>'"));
        }
        self.advance();
        let depth = self.depth_above(span, &items)?;
        let kind = Kind::Matrix { items, index: None };
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// The items of a row that has only numbers, or only `true` and `false`; reads nothing if it
    /// has anything else.
    fn constants(&mut self) -> Option<(bool, Vec<i32>)> {
        let is_bool = matches!(self.peek(), Token::Name("true" | "false"));
        if !is_bool && !matches!(self.peek(), Token::Number(_) | Token::Symbol("-")) {
            return None;
        }
        let start = self.clone();
        let items = self.constants_from_here(is_bool);
        if items.is_none() {
            *self = start;
        }
        Some((is_bool, items?))
    }

    fn constants_from_here(&mut self, is_bool: bool) -> Option<Vec<i32>> {
        let mut items = Vec::new();
        loop {
            let negative = !is_bool && self.accept_symbol("-");
            let item = match self.peek() {
                Token::Number(number) if negative => -number,
                Token::Number(number) if !is_bool => number,
                Token::Name(word @ ("true" | "false")) if is_bool => i64::from(word == "true"),
                _ => return None,
            };
            items.push(i32::try_from(item).ok()?);
            self.advance();
            match self.peek() {
                Token::Symbol(",") => self.advance(),
                Token::Symbol("]" | ";") => return Some(items),
                _ => return None,
            }
            // A comma behind the last item.
            if matches!(self.peek(), Token::Symbol("]" | ";")) {
                return Some(items);
            }
        }
    }

    /// What follows `|`, up to and with the closing bracket.
    fn comprehension(&mut self, span: Span, body: Box<Node>, close: &str) -> Result<Node, BadText> {
        let (mut binders, mut conditions) = (Vec::new(), Vec::new());
        loop {
            // `i :` or `i, j :` is a binder; anything else is a condition.
            match self.starts_binder() {
                true => binders.push(self.binder()?),
                false => conditions.push(self.expression()?),
            }
            if !self.accept_symbol(",") {
                break;
            }
        }
        let index = match close {
            "]" => self.index_domain("',', ';' or ']'")?,
            _ => {
                if !self.accept_symbol(close) {
                    return Err(self.expected(&format!("',' or '{close}'")));
                }
                None
            }
        };
        let parts = binders.iter().map(|binder| &binder.domain);
        let parts = parts.chain(&conditions).chain([&*body]);
        let depth = self.depth_above(span, parts.chain(index.as_deref()))?;
        let kind = Kind::Comprehension {
            body,
            binders,
            conditions,
            index,
        };
        let span = span.to(self.last());
        Ok(Node { span, depth, kind })
    }

    /// Whether names and a colon follow. Looks at no more than 64 names, so that a long text cannot
    /// make this quadratic.
    fn starts_binder(&mut self) -> bool {
        for at in (0..128).step_by(2) {
            if !matches!(self.token(at), Token::Name(_)) {
                return false;
            }
            match self.token(at + 1) {
                Token::Symbol(":") => return true,
                Token::Symbol(",") => {}
                _ => return false,
            }
        }
        false
    }

    /// `; D ]` or `]`, the end of a matrix.
    fn index_domain(&mut self, otherwise: &str) -> Result<Option<Box<Node>>, BadText> {
        let index = match self.accept_symbol(";") {
            true => Some(Box::new(self.domain()?)),
            false => None,
        };
        if !self.is_symbol("]") {
            let wanted = if index.is_some() { "']'" } else { otherwise };
            return Err(self.expected(wanted));
        }
        self.advance();
        Ok(index)
    }
}
