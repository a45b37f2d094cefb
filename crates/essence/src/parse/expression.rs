//! Expressions: operators by binding strength, quantifiers, indices and applications.

use ployglot_eprime::{Span, Token};

use super::{Parsed, Parser};
use crate::tree::{Binary, Generator, Identifier, Kind, Node, Operator, Pattern};
use crate::types::Type;

/// The binary operators: their binding strength, and whether they group to the right.
fn binary(token: Token) -> Option<(u8, Binary, bool)> {
    use Binary::*;
    let (Token::Symbol(word) | Token::Name(word)) = token else {
        return None;
    };
    // The second part says whether the sides change places (`a > b` is `b < a` for the orders that
    // have one form only).
    Some(match word {
        "->" | "=>" => (1, Implies, false),
        "<->" | "<=>" => (1, Iff, false),
        "\\/" => (2, Or, false),
        "/\\" => (3, And, false),
        "=" => (4, Equal, false),
        "!=" => (4, NotEqual, false),
        "<" => (4, Less, false),
        "<=" => (4, AtMost, false),
        ">" => (4, Greater, false),
        ">=" => (4, AtLeast, false),
        "<lex" => (4, Lex(true), false),
        "<=lex" => (4, Lex(false), false),
        ">lex" => (4, Lex(true), true),
        ">=lex" => (4, Lex(false), true),
        ".<" => (4, Dot(true), false),
        ".<=" => (4, Dot(false), false),
        ".>" => (4, Dot(true), true),
        ".>=" => (4, Dot(false), true),
        "~<" => (4, Tilde(true), false),
        "~<=" => (4, Tilde(false), false),
        "~>" => (4, Tilde(true), true),
        "~>=" => (4, Tilde(false), true),
        "subset" => (4, Subset(true), false),
        "subsetEq" => (4, Subset(false), false),
        "supset" => (4, Subset(true), true),
        "supsetEq" => (4, Subset(false), true),
        "subsequence" => (4, Subsequence, false),
        "substring" => (4, Substring, false),
        "in" => (5, In, false),
        "+" => (6, Plus, false),
        "-" => (6, Minus, false),
        "union" => (6, Union, false),
        "*" => (7, Times, false),
        "/" => (7, Divide, false),
        "%" => (7, Modulo, false),
        "intersect" => (7, Intersect, false),
        _ => return None,
    })
}

/// The quantifiers, and the operators over lists that they stand for.
fn quantifier(word: &str) -> Option<Operator> {
    Some(match word {
        "forAll" | "forall" => Operator::And,
        "exists" => Operator::Or,
        "sum" => Operator::Sum,
        "product" => Operator::Product,
        "and" => Operator::And,
        "or" => Operator::Or,
        "xor" => Operator::Xor,
        "min" => Operator::Min,
        "max" => Operator::Max,
        _ => return None,
    })
}

/// The operators over a list that also take its items as operands.
const LISTED: [Operator; 5] = [
    Operator::And,
    Operator::Or,
    Operator::Xor,
    Operator::Sum,
    Operator::Product,
];

/// A node whose type is not known yet.
pub(super) fn node(span: Span, kind: Kind) -> Node {
    let ty = Type::Any;
    Node { span, ty, kind }
}

/// The operands with the operator between them.
fn balanced(operator: Option<Binary>, mut operands: Vec<Node>) -> Node {
    let Some(operator) = operator else {
        return operands.pop().expect("there is an operand");
    };
    while operands.len() > 1 {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                None => left,
                Some(right) => {
                    let span = left.span.to(right.span);
                    node(span, Kind::Binary(operator, Box::new([left, right])))
                }
            });
        }
        operands = pairs;
    }
    operands.pop().expect("there is an operand")
}

/// Different operators in a row are at most this many: each makes the tree one level deeper.
const MAX_LINKS: u32 = 1000;
/// Numbers are below this, as in Conjure.
const LARGEST: i64 = 1 << 62;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Node> {
        self.nested(|parser| parser.operators(1))
    }

    /// An expression of operators that bind at least this strongly. Its tree is balanced where one
    /// operator joins many operands (`x + y + z + …`), so that a long sum is not a deep tree.
    fn operators(&mut self, least: u8) -> Parsed<Node> {
        let mut operands = vec![self.prefix()?];
        // The operator between the operands.
        let mut between = None;
        let mut links = 0;
        while let Some((strength, operator, swap)) = binary(self.peek()) {
            if strength < least {
                break;
            }
            self.advance();
            let right = match strength {
                // Implications group to the right.
                1 => self.nested(|parser| parser.operators(1))?,
                _ => self.nested(|parser| parser.operators(strength + 1))?,
            };
            if between != Some(operator) || !operator.is_associative() {
                links += 1;
                if links > MAX_LINKS {
                    return Err(self.span().error("this expression has too many operators"));
                }
                operands = vec![balanced(between, operands)];
                between = Some(operator);
            }
            operands.push(right);
            if swap {
                operands.swap(0, 1);
            }
        }
        Ok(balanced(between, operands))
    }

    /// Unary operators, and powers, which bind more strongly than these.
    fn prefix(&mut self) -> Parsed<Node> {
        let start = self.span();
        if self.eat("-") {
            let of = self.nested(Self::prefix)?;
            return Ok(node(start.to(of.span), Kind::Negate(Box::new(of))));
        }
        if self.eat("!") {
            let of = self.nested(Self::prefix)?;
            return Ok(node(start.to(of.span), Kind::Not(Box::new(of))));
        }
        let base = self.postfix()?;
        if self.is("**") || self.is("^") {
            self.advance();
            let exponent = self.nested(Self::prefix)?;
            let span = base.span.to(exponent.span);
            let sides = Box::new([base, exponent]);
            return Ok(node(span, Kind::Binary(Binary::Power, sides)));
        }
        Ok(base)
    }

    /// An operand with its indices, arguments and factorials.
    fn postfix(&mut self) -> Parsed<Node> {
        let mut of = self.operand()?;
        let mut links = 0;
        loop {
            links += 1;
            if links > super::MAX_DEPTH {
                return Err(self.span().error("this expression is too long"));
            }
            let start = of.span;
            let kind = if self.eat("[") {
                self.indices(of)?
            } else if self.eat("(") {
                let items = self.list(")", |parser| match parser.is_word("_") {
                    true => {
                        parser.advance();
                        Ok(None)
                    }
                    false => parser.expression().map(Some),
                })?;
                Kind::Apply(Box::new(of), items)
            } else if self.eat("!") {
                Kind::Factorial(Box::new(of))
            } else if self.is(":") && self.ahead(1) == Token::Symbol("`") {
                self.advance();
                Kind::Typed(Box::new(of), Box::new(self.quoted_domain()?))
            } else {
                return Ok(of);
            };
            of = node(start.to(self.last_span()), kind);
        }
    }

    /// `i, .., a..b]`, after the opening bracket. At most one index has bounds (`a..`, `..b`), and
    /// before it there is no `..`.
    fn indices(&mut self, of: Node) -> Parsed<Kind> {
        let start = of.span;
        let (mut bounds, mut slices) = (None, 0);
        let items = self.list("]", |parser| {
            let from = match parser.is("..") {
                true => None,
                false => Some(parser.expression()?),
            };
            if !parser.is("..") {
                return Ok(from);
            }
            let place = parser.advance().1;
            let to = match parser.is("]") || parser.is(",") {
                true => None,
                false => Some(Box::new(parser.expression()?)),
            };
            slices += 1;
            if from.is_some() || to.is_some() {
                if slices > 1 {
                    return Err(place.error("only the first slice of an index has bounds"));
                }
                bounds = Some([from.map(Box::new), to]);
            }
            Ok(None)
        })?;
        let all = Kind::Index(Box::new(of), items);
        Ok(match bounds {
            None => all,
            Some(bounds) => {
                let all = node(start.to(self.last_span()), all);
                Kind::Slice(Box::new(all), bounds)
            }
        })
    }

    /// An operand: a literal, a name, a quantified expression, a call, or brackets.
    fn operand(&mut self) -> Parsed<Node> {
        let start = self.span();
        match self.peek() {
            Token::Number(number) => {
                if number >= LARGEST {
                    return Err(start.error("numbers are below 2 ** 62"));
                }
                self.advance();
                Ok(node(start, Kind::Number(number)))
            }
            Token::Symbol("|") => {
                self.advance();
                let of = self.expression()?;
                self.expect("|")?;
                let span = start.to(self.last_span());
                Ok(node(span, Kind::Bars(Box::new(of))))
            }
            Token::Symbol("(") => self.brackets(),
            Token::Symbol("[") => self.square(),
            Token::Symbol("{") => {
                self.advance();
                let items = self.list("}", Self::expression)?;
                Ok(node(start.to(self.last_span()), Kind::Set(items)))
            }
            Token::Symbol("`") => {
                let domain = self.quoted_domain()?;
                let span = start.to(self.last_span());
                Ok(node(span, Kind::Domain(Box::new(domain))))
            }
            Token::Name(word) => self.word(word),
            _ => Err(self.wrong("an expression")),
        }
    }

    /// `` `domain` ``.
    pub(super) fn quoted_domain(&mut self) -> Parsed<crate::tree::DomainNode> {
        self.expect("`")?;
        let domain = self.domain()?;
        self.expect("`")?;
        Ok(domain)
    }

    fn word(&mut self, word: &str) -> Parsed<Node> {
        let start = self.span();
        let called = self.ahead(1) == Token::Symbol("(");
        if let Some(operator) = quantifier(word)
            && (!called || ["forAll", "forall", "exists"].contains(&word) || self.quantifies())
        {
            self.advance();
            return self.quantified(operator, start);
        }
        if let Some(literal) = self.literal(word, called)? {
            return Ok(literal);
        }
        if called && word == "active" {
            return self.active();
        }
        let found = crate::tree::OPERATORS
            .iter()
            .find(|(name, ..)| *name == word);
        if let Some((_, operator, operands)) = found
            && called
        {
            self.advance();
            self.advance();
            let items = self.list(")", Self::expression)?;
            let span = start.to(self.last_span());
            // `sum(x, y)` is `sum([x, y])`.
            if LISTED.contains(operator) && items.len() > 1 {
                let list = node(span, Kind::Matrix(items, None));
                return Ok(node(span, Kind::Call(*operator, vec![list])));
            }
            if !operands.contains(&items.len()) {
                let (least, most) = (operands.start(), operands.end());
                let wanted = match least == most {
                    true => least.to_string(),
                    false => format!("{least} to {most}"),
                };
                let found = items.len();
                let message = format!("'{word}' takes {wanted} operands, here are {found}");
                return Err(span.error(message));
            }
            return Ok(node(span, Kind::Call(*operator, items)));
        }
        if called
            && let Some((_, operator @ (Binary::Subsequence | Binary::Substring), _)) =
                binary(self.peek())
        {
            self.advance();
            self.advance();
            let left = self.expression()?;
            self.expect(",")?;
            let right = self.expression()?;
            self.expect(")")?;
            let kind = Kind::Binary(operator, Box::new([left, right]));
            return Ok(node(start.to(self.last_span()), kind));
        }
        if word == "true" || word == "false" {
            self.advance();
            return Ok(node(start, Kind::Truth(word == "true")));
        }
        if called && let Some(takes_value) = super::domain::attribute(word) {
            self.advance();
            self.advance();
            let of = self.expression()?;
            let value = match takes_value {
                true => {
                    self.expect(",")?;
                    Some(Box::new(self.expression()?))
                }
                false => None,
            };
            self.expect(")")?;
            let kind = Kind::Attribute(word.to_string(), Box::new(of), value);
            return Ok(node(start.to(self.last_span()), kind));
        }
        let name = self.identifier("an expression")?;
        Ok(node(start, Kind::Name(name.name)))
    }

    /// `active(v, field)`.
    fn active(&mut self) -> Parsed<Node> {
        let start = self.advance().1;
        self.advance();
        let of = self.expression()?;
        self.expect(",")?;
        let field = self.identifier("the name of a field")?;
        self.expect(")")?;
        let span = start.to(self.last_span());
        Ok(node(span, Kind::Active(Box::new(of), field)))
    }

    /// Whether a quantifier's variables follow, not the operand of a function: looks for `:`, `in`
    /// or `subsetEq` behind the bracket, as in `sum (i,j) in r . e`.
    fn quantifies(&self) -> bool {
        let mut open = 0;
        let mut by = 1;
        loop {
            match self.ahead(by) {
                Token::Symbol("(" | "[" | "{") => open += 1,
                Token::Symbol(")" | "]" | "}") => open -= 1,
                Token::Name(_) | Token::Symbol(",") => {}
                _ => return false,
            }
            by += 1;
            if open == 0 {
                break;
            }
        }
        matches!(
            self.ahead(by),
            Token::Symbol(":" | "<-") | Token::Name("in" | "subsetEq")
        ) && self.has_full_stop(by)
    }

    /// Whether a full stop follows before the brackets around this place are closed.
    fn has_full_stop(&self, from: usize) -> bool {
        let mut open = 0;
        for by in from.. {
            match self.ahead(by) {
                Token::Symbol("(" | "[" | "{") => open += 1,
                Token::Symbol(")" | "]" | "}") if open == 0 => return false,
                Token::Symbol(")" | "]" | "}") => open -= 1,
                Token::Symbol(".") if open == 0 => return true,
                Token::End => return false,
                _ => {}
            }
        }
        false
    }

    /// `i, j : D, condition . body`, after the quantifier.
    fn quantified(&mut self, operator: Operator, start: Span) -> Parsed<Node> {
        let mut generators = Vec::new();
        loop {
            match self.patterns(generators.is_empty())? {
                Some(patterns) => self.generator(patterns, &mut generators)?,
                None if generators.is_empty() => {
                    return Err(self.wrong("a variable, and ':' or 'in'"));
                }
                None => generators.push(Generator::Condition(self.expression()?)),
            }
            if self.eat(".") {
                break;
            }
            if !self.eat(",") {
                return Err(self.wrong("'.' or ','"));
            }
        }
        let body = self.expression()?;
        let span = start.to(body.span);
        let list = node(span, Kind::Comprehension(Box::new(body), generators));
        Ok(node(span, Kind::Call(operator, vec![list])))
    }

    /// The patterns of a generator, if the symbol of a generator follows them. `in` and `subsetEq`
    /// are conditions unless `with_words`.
    pub(super) fn patterns(&mut self, with_words: bool) -> Parsed<Option<Vec<Pattern>>> {
        let start = self.at;
        let mut patterns = Vec::new();
        while let Some(pattern) = self.pattern() {
            patterns.push(pattern);
            if !self.eat(",") {
                break;
            }
        }
        let is_generator = match self.peek() {
            Token::Symbol(":" | "<-") => true,
            Token::Name("in" | "subsetEq") => with_words,
            _ => false,
        };
        if is_generator && !patterns.is_empty() {
            return Ok(Some(patterns));
        }
        self.at = start;
        Ok(None)
    }

    /// A pattern, if there is one.
    pub(super) fn pattern(&mut self) -> Option<Pattern> {
        let span = self.span();
        let start = self.at;
        let found = match self.peek() {
            Token::Name("_") => {
                self.advance();
                Some(Pattern::Wildcard)
            }
            Token::Name(name) if !super::RESERVED.contains(&name) => {
                self.advance();
                let name = name.to_string();
                Some(Pattern::Name(Identifier { name, span }))
            }
            Token::Name("tuple") if self.ahead(1) == Token::Symbol("(") => {
                self.advance();
                self.several("(", ")")
                    .map(|inner| Pattern::Tuple(inner, span))
            }
            Token::Symbol("(") => self.several("(", ")").map(|mut inner| match inner.len() {
                1 => inner.remove(0),
                _ => Pattern::Tuple(inner, span),
            }),
            Token::Symbol("[") => self
                .several("[", "]")
                .map(|inner| Pattern::Matrix(inner, span)),
            Token::Symbol("{") => self
                .several("{", "}")
                .map(|inner| Pattern::Set(inner, span)),
            _ => None,
        };
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// Patterns in brackets.
    fn several(&mut self, open: &str, close: &str) -> Option<Vec<Pattern>> {
        if self.depth > super::MAX_DEPTH || !self.eat(open) {
            return None;
        }
        self.depth += 1;
        let mut inner = Vec::new();
        let found = loop {
            match crate::deep::deep(|| self.pattern()) {
                Some(pattern) => inner.push(pattern),
                None => break None,
            }
            if self.eat(close) {
                break Some(inner);
            }
            if !self.eat(",") {
                break None;
            }
        };
        self.depth -= 1;
        found
    }

    /// What follows the patterns: `: D`, `<- e`, `in e` or `subsetEq e`.
    pub(super) fn generator(
        &mut self,
        patterns: Vec<Pattern>,
        generators: &mut Vec<Generator>,
    ) -> Parsed<()> {
        let times = patterns.len();
        match self.advance().0 {
            Token::Symbol(":") => {
                let domain = self.copied(times, Self::domain)?;
                generators.extend(
                    patterns
                        .into_iter()
                        .map(|pattern| Generator::Domain(pattern, domain.clone())),
                );
            }
            Token::Name("subsetEq") => {
                let of = self.copied(times, Self::expression)?;
                generators.extend(
                    patterns
                        .into_iter()
                        .map(|pattern| Generator::Subsets(pattern, of.clone())),
                );
            }
            _ => {
                let of = self.copied(times, Self::expression)?;
                generators.extend(
                    patterns
                        .into_iter()
                        .map(|pattern| Generator::Collection(pattern, of.clone())),
                );
            }
        }
        Ok(())
    }
}
