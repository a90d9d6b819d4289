//! Resolves components of structures and alternatives of choices (X.680, 25 and 29).

use diagnostics::Span;
use record::{Field, TypeId};

use super::instances::Followed;
use super::types::put;
use super::{Resolution, Resolver, Scope, TYPE_DEPTH_MAX};
use crate::encoding::{Class, Encoding, Tag, Tags};
use crate::limits::COMPONENTS_MAX;
use crate::notation::syntax::{Body, Component, ComponentList, Tagging, TypeExpression};

/// The kinds of types that have components or alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StructureKind {
    Sequence,
    Set,
    Choice,
}

/// A resolved structure.
pub(super) struct Structure {
    pub(super) fields: Vec<Field>,
    pub(super) tags: Vec<Tags>,
    /// See [`Encoding::Structure`].
    pub(super) extension: Option<usize>,
}

/// A component with its position in the structure.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) field: Field,
    pub(super) tags: Tags,
    /// The place of its type, or of the COMPONENTS OF that includes it.
    pub(super) span: Span,
    /// Whether it belongs to a root, not to the additions.
    pub(super) is_root: bool,
    /// Whether senders that know the component always include it.
    pub(super) is_mandatory: bool,
    /// Whether its type is an untagged dummy reference.
    is_untagged_dummy: bool,
}

/// Components, and the position where later versions add theirs.
struct Layout {
    placed: Vec<Placed>,
    extension: Option<usize>,
}

impl<'m> Resolver<'m> {
    /// Resolves the components of a structure or the alternatives of a choice and checks that their tags are distinct.
    pub(super) fn structure(
        &mut self,
        scope: &Scope<'m>,
        components: &'m ComponentList,
        name: &str,
        form: StructureKind,
    ) -> Resolution<Structure> {
        let Layout { placed, extension } = self.components(scope, components, name, form)?;
        if let Some(Placed { span, .. }) = placed.get(COMPONENTS_MAX) {
            let message = format!("a structure has more than {COMPONENTS_MAX} components");
            return Err(self.wrong(scope, *span, message, None));
        }
        self.distinct_components(scope, &placed, form == StructureKind::Sequence);
        self.steps += placed.len();
        let (fields, tags) = placed.into_iter().map(|placed| (placed.field, placed.tags)).unzip();
        Ok(Structure { fields, tags, extension })
    }

    // X.680, 25.4 to 25.8 and 29.2 to 29.5.
    fn components(
        &mut self,
        scope: &Scope<'m>,
        components: &'m ComponentList,
        name: &str,
        form: StructureKind,
    ) -> Resolution<Layout> {
        let module = self.modules.module(scope.module);
        let implied = module.extensibility_implied.then_some(components.list.len());
        let extension_at = components.additions.as_ref().map(|additions| additions.end).or(implied);
        let (mut placed, mut extension) = (Vec::new(), None);
        for (place, component) in components.list.iter().enumerate() {
            if extension_at == Some(place) {
                extension = Some(placed.len());
            }
            let is_root = components.is_root(place);
            let found = match component.components_of {
                true => {
                    let mut included = self.components_of(scope, &component.ty, name)?;
                    self.shift_selectors(&included, placed.len());
                    included.retain(|component| component.is_root);
                    included
                }
                false => self.component(scope, component, name, form).into_iter().collect(),
            };
            placed.extend(found.into_iter().map(|found| Placed {
                is_root,
                field: Field {
                    optional: found.field.optional || !is_root && form != StructureKind::Choice,
                    ..found.field
                },
                ..found
            }));
        }
        if extension_at.is_some() {
            extension.get_or_insert(placed.len());
        }
        self.tables(scope, &components.list, &placed, name);
        let is_automatic = module.tagging == Some(Tagging::Automatic)
            && components.list.iter().all(|c| c.components_of || c.ty.tags.is_empty());
        if is_automatic {
            tag_automatically(&mut placed);
        }
        Ok(Layout { placed, extension })
    }

    /// Resolves a component. Returns `None` after reporting an error, so that the rest of the structure is still
    /// checked.
    fn component(
        &mut self,
        scope: &Scope<'m>,
        component: &'m Component,
        name: &str,
        form: StructureKind,
    ) -> Option<Placed> {
        let inner = format!("{name}.{}", component.name);
        let resolved = match self.expression(scope, &component.ty, &inner, None) {
            Ok(resolved) => resolved,
            Err(mistake) => {
                self.mistakes.push(*mistake);
                return None;
            }
        };
        let default = component.default.as_ref().map(|value| {
            self.fitting_default(scope, resolved.ty, value);
            self.default(scope, resolved.ty, value)
        });
        let is_optional = component.optional && form != StructureKind::Choice;
        let is_untagged_dummy = component.ty.tags.is_empty() && scope.is_dummy(&component.ty.body);
        Some(Placed {
            is_mandatory: !is_optional && default.is_none(),
            field: Field {
                name: component.name.clone(),
                ty: resolved.ty,
                optional: is_optional,
                default,
            },
            tags: resolved.tags,
            span: component.ty.span,
            is_root: true,
            is_untagged_dummy,
        })
    }

    /// Returns the components that COMPONENTS OF includes, with additions, which the caller removes.
    fn components_of(
        &mut self,
        scope: &Scope<'m>,
        of: &'m TypeExpression,
        name: &str,
    ) -> Resolution<Vec<Placed>> {
        let including = self.including.len();
        let found = self.deeper(scope, of.span, |resolver| {
            // From the syntax tree, since the structure may be under resolution itself.
            let mut found = Followed { scope: scope.clone(), expression: of, instance: None };
            loop {
                let Followed { scope: within, expression, .. } = &found;
                match &expression.body {
                    Body::Sequence(components) => {
                        let layout = resolver.components(
                            within,
                            components,
                            name,
                            StructureKind::Sequence,
                        )?;
                        return Ok(layout.placed);
                    }
                    Body::Set(components) => {
                        let layout =
                            resolver.components(within, components, name, StructureKind::Set)?;
                        return Ok(layout.placed);
                    }
                    Body::Reference { module, name, arguments } => {
                        let (module, span) = (module.as_deref(), expression.span);
                        let next = resolver.follow(within, module, name, arguments, span)?;
                        if let Some(instance) = &next.instance {
                            if resolver.including.len() == TYPE_DEPTH_MAX {
                                return Err(resolver.too_deep(within, span));
                            }
                            if resolver.including.contains(instance) {
                                let message =
                                    format!("COMPONENTS OF leads in a circle back to \"{name}\"");
                                return Err(resolver.wrong(within, span, message, None));
                            }
                            resolver.including.push(instance.clone());
                        }
                        found = next;
                    }
                    _ => {
                        let message = "COMPONENTS OF needs a SEQUENCE or SET".to_owned();
                        return Err(resolver.wrong(within, expression.span, message, None));
                    }
                }
            }
        });
        self.including.truncate(including);
        let mut found = found?;
        self.steps += found.len();
        found.iter_mut().for_each(|component| component.span = of.span);
        Ok(found)
    }

    /// Adjusts the selectors of open types to the positions that components have after COMPONENTS OF included them.
    fn shift_selectors(&mut self, included: &[Placed], before: usize) {
        let place = |of: usize| match included.get(of) {
            Some(selector) if selector.is_root => {
                let roots = included[..of].iter().filter(|component| component.is_root).count();
                Some(before + roots)
            }
            _ => None,
        };
        for component in included {
            let TypeId(ty) = component.field.ty;
            if let Encoding::Open { selector, table } =
                &mut self.specification.encodings[ty as usize]
                && let Some(of) = selector.first()
            {
                match place(*of) {
                    Some(place) => *selector = vec![place],
                    None => (selector.clear(), table.clear()).1,
                }
            }
        }
    }
}

/// Assigns automatic tags: components of the roots first, then additions (X.680, 25.7 and 25.8).
fn tag_automatically(placed: &mut [Placed]) {
    let mut in_order: Vec<&mut Placed> = placed.iter_mut().collect();
    in_order.sort_by_key(|component| !component.is_root);
    for (number, component) in (0..).zip(in_order) {
        let mode = match component.is_untagged_dummy {
            true => Tagging::Explicit,
            false => Tagging::Implicit,
        };
        component.is_untagged_dummy = false;
        let tag = Tag { class: Class::Context, number };
        component.tags = put(tag, mode, std::mem::take(&mut component.tags));
    }
}
