//! A [`Specification`] prepared for coding, with one table lookup from tag to component.

use std::collections::{BTreeSet, HashMap};

use record::{Kind, Schema, TypeId};

use crate::ber::{Segments, key};
use crate::encoding::{Encoding, Specification, Tags};
use crate::identifiers::LongIdentifier;
use crate::limits::COMPONENTS_MAX;

/// The coding of every type of a specification. Made once, shared by all workers.
#[derive(Debug)]
pub struct Plan {
    pub(crate) specification: Specification,
    pub(crate) nodes: Vec<Node>,
}

/// The coding of a type's content.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A primitive value, or a string in segments.
    Primitive(Segments),
    /// A value with its own header, kept as it is.
    Open,
    /// A SEQUENCE or SET.
    Structure(Components),
    /// A CHOICE.
    Choice(Components),
    /// A SEQUENCE OF or SET OF.
    List(Element),
    /// A SEQUENCE, a SET or a list of either that is not decoded.
    Closed,
    /// A CHOICE whose alternatives are not decoded.
    ClosedChoice(Components),
}

impl Node {
    /// Returns whether values have their own tag, which determines their type.
    #[inline(always)]
    pub(crate) fn has_own_header(&self) -> bool {
        matches!(self, Node::Choice(_) | Node::ClosedChoice(_) | Node::Open)
    }
}

/// A plan for decoding values of some types only ([`Plan::outline`]).
#[derive(Debug)]
pub struct Outline {
    pub(crate) nodes: Vec<Node>,
}

/// A value in its place: its tags and its type.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    /// The keys of the tags, outermost first.
    pub(crate) keys: Box<[u32]>,
    pub(crate) ty: TypeId,
    /// Whether it is one tag before octets without elements inside, as most values are.
    pub(crate) primitive: bool,
    /// The identifier octet of such a value, of a structure or of a list, if it has one octet; 0 for all other
    /// elements.
    pub(crate) identifier: u8,
    /// Whether it is a BOOLEAN.
    pub(crate) boolean: bool,
    /// Whether it is a component that its structure must have.
    pub(crate) required: bool,
    /// The first tag, if it takes two or three octets.
    pub(crate) long: LongIdentifier,
}

/// Components or alternatives, and the lookup from a tag to one of them.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    pub(crate) elements: Vec<Element>,
    /// For an extensible SEQUENCE or SET: how many components precede unknown elements.
    pub(crate) extension: Option<usize>,
    /// By a one-octet identifier: the index of the component, if it is a value without elements inside and its
    /// identifier says so; with [`CLOSED`], if it is a component that is not decoded. Most elements are found by this
    /// one lookup.
    leaves: Box<[u16; 256]>,
    /// By a one-octet identifier without its constructed bit: the index of the component.
    short: Box<[u16; 256]>,
    /// The larger tags, sorted.
    long: Vec<(u32, u16)>,
    /// By component: its identifier, if it is long.
    identifiers: Box<[LongIdentifier]>,
    /// The component that takes any tag: an open type.
    any: u16,
    /// If several components begin with one tag, as they may in a SEQUENCE: the tags that each begins with. Then only
    /// their order tells them apart, and the tables above are empty.
    ordered: Option<Box<[Vec<TagKeys>]>>,
}

/// How many components are compared before a tag is parsed.
const FORESEEN: usize = 4;

/// No component.
const NONE: u16 = u16::MAX;

/// Flag in the leaf table: the component is a structure or list that is not decoded.
const CLOSED: u16 = 1 << 15;

const _: () = assert!(COMPONENTS_MAX < CLOSED as usize - 1);

impl Plan {
    /// Prepares a specification for coding.
    pub fn compile(specification: Specification) -> Self {
        let mut first_keys = FirstKeys { specification: &specification, known: HashMap::new() };
        let nodes = specification
            .schema
            .iter()
            .map(|(id, ty)| node(&mut first_keys, id, &ty.kind))
            .collect();
        Plan { specification, nodes }
    }

    /// Returns the outline for callers that read only values of these types. Of the contents of others, only the
    /// lengths are checked; their octets can be copied.
    pub fn outline(&self, opened: &BTreeSet<TypeId>) -> Outline {
        let closed = |(place, node): (usize, &Node)| match node {
            node if opened.contains(&TypeId(place as u32)) => node.clone(),
            Node::Structure(_) | Node::List(_) => Node::Closed,
            Node::Choice(alternatives) => Node::ClosedChoice(alternatives.clone()),
            node => node.clone(),
        };
        let mut nodes: Vec<Node> = self.nodes.iter().enumerate().map(closed).collect();
        let is_closed: Vec<bool> = nodes.iter().map(|node| matches!(node, Node::Closed)).collect();
        for node in &mut nodes {
            if let Node::Structure(components) | Node::Choice(components) = node {
                components.close(|ty| is_closed[ty.0 as usize]);
            }
        }
        Outline { nodes }
    }

    /// Returns the types.
    pub fn schema(&self) -> &Schema {
        &self.specification.schema
    }

    /// Returns the specification it was made from.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// Returns whether a SEQUENCE, SET or CHOICE has `...`: newer versions of its module may define more components.
    pub fn is_extensible(&self, ty: TypeId) -> bool {
        match &self.specification.encodings[ty.0 as usize] {
            Encoding::Structure { extension, .. } => extension.is_some(),
            Encoding::Choice { is_extensible, .. } => *is_extensible,
            _ => false,
        }
    }

    pub(crate) fn node(&self, ty: TypeId) -> &Node {
        &self.nodes[ty.0 as usize]
    }

    /// Returns the type of an open type's value, by the content octets of its selector.
    pub(crate) fn contained(&self, ty: TypeId, key: &[u8]) -> Option<Element> {
        let Encoding::Open { table, .. } = &self.specification.encodings[ty.0 as usize] else {
            return None;
        };
        let (_, tags, ty) = table.iter().find(|(known, ..)| known == key)?;
        Some(element(&self.specification, tags, *ty))
    }

    /// Returns the index of the component that selects the type of an open type's value.
    pub(crate) fn selector(&self, ty: TypeId) -> Option<usize> {
        match &self.specification.encodings[ty.0 as usize] {
            Encoding::Open { selector, .. } => selector.first().copied(),
            _ => None,
        }
    }

    /// Returns the element of a type that stands alone.
    pub(crate) fn root(&self, ty: TypeId) -> Element {
        element(&self.specification, &self.specification.tags[ty.0 as usize], ty)
    }
}

fn element(specification: &Specification, tags: &Tags, ty: TypeId) -> Element {
    let keys: Box<[u32]> = tags.iter().map(|tag| key(tag.class, tag.number)).collect();
    let kind = specification.schema.kind(ty);
    let primitive = keys.len() == 1 && !kind.is_constructed() && *kind != Kind::Open;
    let has_own_header = matches!(kind, Kind::Choice(_) | Kind::Open);
    let identifier = match keys.as_ref() {
        [key] if !has_own_header && key & 0x3FFF_FFFF < 31 => {
            (key >> 30 << 6 | u32::from(!primitive) << 5 | key & 0x1F) as u8
        }
        _ => 0,
    };
    let long =
        keys.first().map_or(LongIdentifier::NONE, |key| LongIdentifier::new(*key, primitive));
    let boolean = *kind == Kind::Boolean;
    Element { keys, ty, primitive, identifier, boolean, required: false, long }
}

fn node(first_keys: &mut FirstKeys<'_>, id: TypeId, kind: &Kind) -> Node {
    match (kind, &first_keys.specification.encodings[id.0 as usize]) {
        (Kind::Sequence(fields), Encoding::Structure { tags, extension }) => {
            let components = components(first_keys, fields, tags, true);
            Node::Structure(Components { extension: *extension, ..components })
        }
        (Kind::Set(fields), Encoding::Structure { tags, extension }) => {
            let components = components(first_keys, fields, tags, false);
            Node::Structure(Components { extension: *extension, ..components })
        }
        (Kind::Choice(fields), Encoding::Choice { tags, .. }) => {
            Node::Choice(components(first_keys, fields, tags, false))
        }
        (Kind::SequenceOf(ty) | Kind::SetOf(ty), Encoding::List(tags)) => {
            Node::List(element(first_keys.specification, tags, *ty))
        }
        (Kind::Open, _) => Node::Open,
        _ => Node::Primitive(Segments::of(kind)),
    }
}

/// Prepares components. With `by_order`, they come in their order, so several may begin with one tag.
fn components(
    first_keys: &mut FirstKeys<'_>,
    fields: &[record::Field],
    tags: &[Tags],
    by_order: bool,
) -> Components {
    let elements: Vec<Element> = fields
        .iter()
        .zip(tags)
        .map(|(field, tags)| Element {
            required: field.is_required(),
            ..element(first_keys.specification, tags, field.ty)
        })
        .collect();
    let mut short = Box::new([NONE; 256]);
    let mut long = Vec::new();
    let mut any = NONE;
    let keys: Vec<Vec<TagKeys>> = elements.iter().map(|element| first_keys.of(element)).collect();
    if by_order && has_repeated(&keys) {
        let (leaves, identifiers) =
            (short.clone(), vec![LongIdentifier::NONE; elements.len()].into());
        let ordered = Some(keys.into_boxed_slice());
        let extension = None;
        return Components { elements, extension, leaves, short, long, identifiers, any, ordered };
    }
    for (place, keys) in keys.iter().enumerate() {
        let place = u16::try_from(place).expect("fewer than 65535 components");
        for key in keys {
            match *key {
                TagKeys::Any if any == NONE => any = place,
                TagKeys::Any => {}
                TagKeys::Key(key) if key & 0x3FFF_FFFF < 31 => {
                    let entry = &mut short[short_index(key)];
                    if *entry == NONE {
                        *entry = place;
                    }
                }
                TagKeys::Key(key) => long.push((key, place)),
            }
        }
    }
    long.sort_unstable();
    long.dedup_by_key(|(key, _)| *key);
    let leaf = |identifier: usize| {
        let place = short[identifier & !0x20];
        let is_leaf =
            place != NONE && identifier & 0x20 == 0 && elements[usize::from(place)].primitive;
        // An identifier of 0 ends a structure of indefinite length, whatever the module says.
        if is_leaf && identifier != 0 { place } else { NONE }
    };
    let leaves = Box::new(std::array::from_fn(leaf));
    let identifiers = elements.iter().map(|element| element.long).collect();
    let (extension, ordered) = (None, None);
    Components { elements, extension, leaves, short, long, identifiers, any, ordered }
}

#[inline]
fn short_index(key: u32) -> usize {
    (key >> 30 << 6 | key & 0x1F) as usize
}

impl Components {
    /// Returns the component of a one-octet identifier, if it is a value without elements inside. An index beyond all
    /// components means that the slow path must decide.
    #[inline(always)]
    pub(crate) fn leaf(&self, identifier: u8) -> usize {
        usize::from(self.leaves[usize::from(identifier)])
    }

    /// Converts an index beyond all components from [`leaf`](Self::leaf) into that of a structure or list with one tag
    /// that is not decoded; otherwise returns an index beyond all components again.
    #[inline(always)]
    pub(crate) fn closed(&self, leaf: usize) -> usize {
        leaf ^ usize::from(CLOSED)
    }

    /// Marks the components that are not decoded.
    fn close(&mut self, is_closed: impl Fn(TypeId) -> bool) {
        for identifier in (0..256).filter(|identifier| identifier & 0x20 != 0) {
            let place = self.short[identifier & !0x20];
            let closed = |element: &Element| element.keys.len() == 1 && is_closed(element.ty);
            if place < CLOSED && closed(&self.elements[usize::from(place)]) {
                self.leaves[identifier] = place | CLOSED;
            }
        }
    }

    /// Returns the component of a one-octet identifier, if its tag is unambiguous.
    #[inline(always)]
    pub(crate) fn short(&self, identifier: u8) -> Option<usize> {
        let place = self.short[usize::from(identifier & !0x20)];
        (place != NONE && identifier != 0).then_some(usize::from(place))
    }

    /// Returns the component that a word begins, if it has a long identifier and is `next` or one of the few after it:
    /// network elements send components in order, and leave some out.
    #[inline(always)]
    pub(crate) fn foreseen(&self, word: u32, next: usize) -> Option<(usize, &LongIdentifier)> {
        let identifiers = self.identifiers.get(next..)?.iter().take(FORESEEN).enumerate();
        for (skipped, identifier) in identifiers {
            if identifier.begins(word) {
                return Some((next + skipped, identifier));
            }
        }
        None
    }

    /// Returns the component of a tag. `next` is the one after the previous component.
    #[inline]
    pub(crate) fn find(&self, key: u32, next: usize) -> Option<usize> {
        if let Some(ordered) = &self.ordered {
            return in_order(ordered, key, next);
        }
        let place = if key & 0x3FFF_FFFF < 31 {
            self.short[short_index(key)]
        } else {
            match self.long.binary_search_by_key(&key, |(key, _)| *key) {
                Ok(found) => self.long[found].1,
                Err(_) => NONE,
            }
        };
        let place = if place == NONE { self.any } else { place };
        (place != NONE).then_some(usize::from(place))
    }
}

/// Returns whether two components may begin with the same tag.
fn has_repeated(keys: &[Vec<TagKeys>]) -> bool {
    let mut all: Vec<TagKeys> = keys.concat();
    all.sort_unstable();
    all.windows(2).any(|pair| pair[0] == pair[1]) || (all.len() > 1 && all.contains(&TagKeys::Any))
}

/// Returns the first component from `next` on that may begin with a key. If there is none, returns the only one out of
/// order that may.
#[inline(never)]
fn in_order(ordered: &[Vec<TagKeys>], key: u32, next: usize) -> Option<usize> {
    let begins =
        |keys: &Vec<TagKeys>| keys.contains(&TagKeys::Key(key)) || keys.contains(&TagKeys::Any);
    let ahead = ordered.get(next..).unwrap_or_default().iter().position(begins);
    if let Some(skipped) = ahead {
        return Some(next + skipped);
    }
    let mut all = ordered.iter().enumerate().filter(|(_, keys)| begins(keys));
    match (all.next(), all.next()) {
        (Some((only, _)), None) => Some(only),
        _ => None,
    }
}

/// A tag a value may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TagKeys {
    Key(u32),
    /// Every tag: an open type.
    Any,
}

/// Finds the tags that the values of elements may begin with.
struct FirstKeys<'s> {
    specification: &'s Specification,
    known: HashMap<TypeId, Vec<TagKeys>>,
}

impl FirstKeys<'_> {
    fn of(&mut self, element: &Element) -> Vec<TagKeys> {
        match element.keys.first() {
            Some(key) => vec![TagKeys::Key(*key)],
            None => self.of_untagged(element.ty),
        }
    }

    fn of_untagged(&mut self, ty: TypeId) -> Vec<TagKeys> {
        if let Some(found) = self.known.get(&ty) {
            return found.clone();
        }
        // A choice that contains itself untagged adds nothing the second time.
        self.known.insert(ty, Vec::new());
        let specification = self.specification;
        let found = match (specification.schema.kind(ty), &specification.encodings[ty.0 as usize]) {
            (Kind::Choice(fields), Encoding::Choice { tags, .. }) => fields
                .iter()
                .zip(tags)
                .flat_map(|(field, tags)| self.of(&element(specification, tags, field.ty)))
                .collect(),
            _ => vec![TagKeys::Any],
        };
        self.known.insert(ty, found.clone());
        found
    }
}
