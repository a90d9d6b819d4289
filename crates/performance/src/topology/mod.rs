//! What belongs to what: objects such as cells, each with a kind and a parent, in a tree of any depth.
//!
//! Most are from a [table](Topology::read) that people have. An object that only files of measurements know is
//! [added](Topology::add) below its managed element. An object takes some 40 octets and its name, so that millions are in memory.

mod distinguished_name;
mod names;
mod table;

pub use distinguished_name::{class_of, element_of};

use names::Names;

/// Objects, at most: ten times the cells of the largest networks.
pub const OBJECTS_MAX: usize = 20_000_000;

/// Kinds of objects, at most. Classes of objects come from files, which anyone may fill.
pub const KINDS_MAX: usize = 4_096;

/// An object of a topology, which alone knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);

/// A kind of objects of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KindId(u16);

/// Why an object is not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyFull {
    /// There are too many.
    #[error("the topology has {OBJECTS_MAX} objects, or 4 GB of names: it has room for no more")]
    Objects,
    /// There are too many kinds.
    #[error("the objects have {KINDS_MAX} kinds, and another one has one more")]
    Kinds,
}

/// Objects and their parents.
///
/// No object is above itself, so each path comes to an end.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    names: Names,
    kind_names: Names,
    kinds: Vec<KindId>,
    parents: Vec<Link>,
    /// The last child of each object.
    last_children: Vec<Link>,
    /// The child of the same parent that follows each object. The first one follows the last one.
    next_siblings: Vec<Link>,
}

/// An object that may not be there, in four octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link(u32);

impl Link {
    const NONE: Link = Link(u32::MAX);

    fn get(self) -> Option<ObjectId> {
        (self != Link::NONE).then_some(ObjectId(self.0))
    }
}

const _: () = assert!(OBJECTS_MAX < u32::MAX as usize && KINDS_MAX <= u16::MAX as usize);

impl From<Option<ObjectId>> for Link {
    fn from(object: Option<ObjectId>) -> Link {
        object.map_or(Link::NONE, |object| Link(object.0))
    }
}

impl ObjectId {
    /// Returns its number: objects are counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An object belongs to the topology that it comes from: another one may panic.
impl Topology {
    /// Returns how many objects there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Finds an object by its name.
    pub fn find(&self, name: &str) -> Option<ObjectId> {
        self.names.find(name).map(ObjectId)
    }

    /// Returns the name of an object.
    pub fn name(&self, object: ObjectId) -> &str {
        self.names.get(object.0)
    }

    /// Returns the kind of an object.
    pub fn kind(&self, object: ObjectId) -> KindId {
        self.kinds[object.index()]
    }

    /// Finds a kind by its name.
    pub fn find_kind(&self, name: &str) -> Option<KindId> {
        self.kind_names.find(name).map(|kind| KindId(kind as u16))
    }

    /// Returns the name of a kind. It is empty for objects that were added and whose names have no class.
    pub fn kind_name(&self, kind: KindId) -> &str {
        self.kind_names.get(kind.0.into())
    }

    /// Returns the parent of an object.
    pub fn parent(&self, object: ObjectId) -> Option<ObjectId> {
        self.parents[object.index()].get()
    }

    /// Returns an object, its parent, the parent of that, and so on.
    pub fn path(&self, object: ObjectId) -> impl Iterator<Item = ObjectId> {
        std::iter::successors(Some(object), |object| self.parent(*object))
    }

    /// Returns the object of a kind that an object belongs to, or which it is itself.
    pub fn within(&self, object: ObjectId, kind: KindId) -> Option<ObjectId> {
        self.path(object).find(|above| self.kind(*above) == kind)
    }

    /// Returns the children of an object, in the order of their rows and then as they were added.
    pub fn children(&self, object: ObjectId) -> impl Iterator<Item = ObjectId> {
        let last = self.last_children[object.index()].get();
        let next = |object: ObjectId| self.next_siblings[object.index()].get();
        std::iter::successors(last.and_then(next), move |child| {
            if Some(*child) == last { None } else { next(*child) }
        })
    }

    /// Returns all objects.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        (0..self.len() as u32).map(ObjectId)
    }

    /// Returns all objects of a kind. It looks at each object.
    pub fn of_kind(&self, kind: KindId) -> impl Iterator<Item = ObjectId> {
        self.objects().filter(move |object| self.kind(*object) == kind)
    }

    /// Returns an object that a file names, which is added if it is not known: its kind is its [class](class_of), and its parent is
    /// its [managed element](element_of), which is added too.
    ///
    /// # Errors
    ///
    /// There is no room for it.
    pub fn add(&mut self, name: &str) -> Result<ObjectId, TopologyFull> {
        if let Some(known) = self.find(name) {
            return Ok(known);
        }
        let element = element_of(name).filter(|element| *element != name);
        let parent = match element.map(|element| (element, self.find(element))) {
            Some((element, None)) => Some(self.add_below(element, None)?),
            Some((_, known)) => known,
            None => None,
        };
        self.add_below(name, parent)
    }

    fn add_below(
        &mut self,
        name: &str,
        parent: Option<ObjectId>,
    ) -> Result<ObjectId, TopologyFull> {
        let kind = self.intern_kind(class_of(name).unwrap_or_default())?;
        let object = self.intern(name)?;
        self.kinds[object.index()] = kind;
        if let Some(parent) = parent {
            self.link(object, parent);
        }
        Ok(object)
    }

    /// Returns the object of a name; a new one has no parent, and any kind.
    fn intern(&mut self, name: &str) -> Result<ObjectId, TopologyFull> {
        let object = ObjectId(self.names.intern(name, OBJECTS_MAX).ok_or(TopologyFull::Objects)?);
        if object.index() == self.parents.len() {
            self.kinds.push(KindId(0));
            self.parents.push(Link::NONE);
            self.last_children.push(Link::NONE);
            self.next_siblings.push(Link::NONE);
        }
        Ok(object)
    }

    fn intern_kind(&mut self, name: &str) -> Result<KindId, TopologyFull> {
        let kind = self.kind_names.intern(name, KINDS_MAX).ok_or(TopologyFull::Kinds)?;
        Ok(KindId(kind as u16))
    }

    /// Makes an object, which has no parent, the last child of another one.
    fn link(&mut self, object: ObjectId, parent: ObjectId) {
        let own = Link(object.0);
        let last = std::mem::replace(&mut self.last_children[parent.index()], own);
        let first = match last.get() {
            Some(last) => std::mem::replace(&mut self.next_siblings[last.index()], own),
            None => own,
        };
        self.next_siblings[object.index()] = first;
        self.parents[object.index()] = Link(parent.0);
    }
}
