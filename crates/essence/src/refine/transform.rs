//! `transform(p, x)`: the value with every part replaced that is of the type of the permutation, by
//! its image. That includes the indices of matrices and the keys of functions.

use std::rc::Rc;

use ployglot_eprime::Bool;

use super::Refiner;
use super::sym::{Members, Pair, Sym};
use crate::types::Type;

impl Refiner<'_> {
    /// `maps` are permutations of the type `of`, of which the first is applied.
    pub(super) fn transformed(
        &mut self,
        maps: &[Sym],
        of: &Type,
        sym: &Sym,
        ty: &Type,
    ) -> Option<Sym> {
        crate::deep::deep(|| self.transformed_inside(maps, of, sym, ty))
    }

    fn transformed_inside(&mut self, maps: &[Sym], of: &Type, sym: &Sym, ty: &Type) -> Option<Sym> {
        self.poll.step();
        if let (Type::Permutation(inner), Some(map)) = (of, maps.first())
            && inner.unify(ty).is_some()
        {
            let (defined, image) = self.image(map, sym)?;
            return self.demand(defined).then_some(image);
        }
        let mut part = |sym: &Sym, ty: &Type| self.transformed(maps, of, sym, ty);
        Some(match (sym, ty) {
            (Sym::Tuple(parts), Type::Tuple(types)) => {
                let parts = parts.iter().zip(types);
                Sym::tuple(
                    parts
                        .map(|(sym, ty)| part(sym, ty))
                        .collect::<Option<_>>()?,
                )
            }
            (Sym::Record(fields), Type::Record(types)) => {
                let field = |(name, sym): &(std::sync::Arc<str>, Sym)| {
                    let (_, ty) = types.iter().find(|(known, _)| **known == **name)?;
                    Some((name.clone(), part(sym, ty)?))
                };
                Sym::Record(Rc::new(fields.iter().map(field).collect::<Option<_>>()?))
            }
            (Sym::Variant(tag, fields), Type::Variant(types, _)) => {
                let field = |(name, sym): &(std::sync::Arc<str>, Sym)| {
                    let (_, ty) = types.iter().find(|(known, _)| **known == **name)?;
                    Some((name.clone(), part(sym, ty)?))
                };
                Sym::Variant(
                    *tag,
                    Rc::new(fields.iter().map(field).collect::<Option<_>>()?),
                )
            }
            (Sym::Matrix(index, items), Type::Matrix(index_ty, item_ty)) => {
                let keys: Vec<Sym> = index.iter().map(Sym::constant).collect();
                let moved = keys.iter().map(|key| part(key, index_ty));
                let moved: Vec<Sym> = moved.collect::<Option<_>>()?;
                let items = items.iter().map(|item| part(item, item_ty));
                let items: Vec<Sym> = items.collect::<Option<_>>()?;
                let mut placed = Vec::new();
                for key in &keys {
                    let mut choices = Vec::new();
                    for (from, item) in moved.iter().zip(&items) {
                        choices.push((self.equal(from, key), item.clone()));
                    }
                    placed.push(self.select(&choices));
                }
                Sym::Matrix(index.clone(), Rc::new(placed))
            }
            (Sym::List(items), Type::Matrix(_, item_ty)) => {
                let item = |(present, item): &(Bool, Sym)| Some((*present, part(item, item_ty)?));
                Sym::List(Rc::new(items.iter().map(item).collect::<Option<_>>()?))
            }
            (Sym::Set(members), Type::Set(of)) => {
                Sym::Set(Rc::new(mapped(members, |sym| part(sym, of))?))
            }
            (Sym::Relation(members), Type::Relation(types)) => {
                let ty = Type::Tuple(types.clone());
                Sym::Relation(Rc::new(mapped(members, |sym| part(sym, &ty))?))
            }
            (Sym::MSet(items), Type::MSet(of)) => {
                let items = items
                    .iter()
                    .map(|(count, item)| Some((*count, part(item, of)?)));
                Sym::MSet(Rc::new(items.collect::<Option<_>>()?))
            }
            (Sym::Sequence(length, items), Type::Sequence(of)) => {
                let items = items.iter().map(|item| part(item, of));
                Sym::Sequence(*length, Rc::new(items.collect::<Option<_>>()?))
            }
            (Sym::Partition(parts), Type::Partition(of)) => {
                let part = |(present, members): &(Bool, Rc<Members>)| {
                    Some((*present, Rc::new(mapped(members, |sym| part(sym, of))?)))
                };
                Sym::Partition(Rc::new(parts.iter().map(part).collect::<Option<_>>()?))
            }
            (Sym::Function(pairs), Type::Function(from, to)) => {
                let pair = |pair: &Pair| {
                    Some(Pair {
                        present: pair.present,
                        key: part(&pair.key, from)?,
                        image: part(&pair.image, to)?,
                    })
                };
                Sym::function(pairs.iter().map(pair).collect::<Option<_>>()?)
            }
            (Sym::Permutation(pairs), Type::Permutation(of)) => {
                let pair = |(a, b): &(Sym, Sym)| Some((part(a, of)?, part(b, of)?));
                Sym::Permutation(Rc::new(pairs.iter().map(pair).collect::<Option<_>>()?))
            }
            _ => sym.clone(),
        })
    }
}

/// The members with their images; different members have different images.
fn mapped(members: &Members, mut image: impl FnMut(&Sym) -> Option<Sym>) -> Option<Members> {
    let mut items = Vec::new();
    for (present, item) in &members.items {
        items.push((*present, image(item)?));
    }
    Some(Members::new(items, members.distinct))
}
