//! The fields of a request, by its schema.

use utoipa::ToSchema;
use utoipa::openapi::schema::{Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};

use crate::api::ranges;

/// The schemas of types, by name.
pub(super) type Schemas = Vec<(String, RefOr<Schema>)>;

/// A field of a request.
#[derive(Clone)]
pub(super) struct Field {
    pub(super) name: String,
    /// The schema of its value in a path or query, without `null`: a field without a value is absent there.
    pub(super) schema: RefOr<Schema>,
    pub(super) description: Option<String>,
    /// The schema in a body, where `null` is as good as absent, with its description.
    pub(super) in_body: RefOr<Schema>,
    pub(super) is_required: bool,
    /// The type of its value. `None` if the value has several types, or any.
    pub(super) ty: Option<Type>,
    /// The fields of its value, if that is an object of the request itself.
    pub(super) fields: Vec<Field>,
}

/// The fields of a request, and the schemas that they refer to.
#[derive(Clone)]
pub(super) struct Shape {
    pub(super) description: Option<String>,
    pub(super) fields: Vec<Field>,
    pub(super) schemas: Schemas,
}

impl Shape {
    /// Returns the shape of a request type. The fields of types that are flattened into it are among its own. Request
    /// types must not contain themselves.
    pub(super) fn of<O: ToSchema>() -> Self {
        let mut schemas = Schemas::new();
        O::schemas(&mut schemas);
        let mut shape = Shape { description: None, fields: Vec::new(), schemas };
        shape.add(&O::schema());
        shape
    }

    fn add(&mut self, schema: &RefOr<Schema>) {
        match schema {
            RefOr::Ref(reference) => {
                let name = name_of(reference).to_owned();
                if let Some(at) = self.schemas.iter().position(|(known, _)| *known == name) {
                    let (_, flattened) = self.schemas.remove(at);
                    let description = self.description.take();
                    self.add(&flattened);
                    self.description = description;
                }
            }
            RefOr::T(Schema::AllOf(all)) => {
                all.items.iter().for_each(|part| self.add(part));
                self.description = all.description.clone().or(self.description.take());
            }
            RefOr::T(Schema::Object(object)) => {
                self.description = object.description.clone();
                for (name, schema) in &object.properties {
                    let is_required = object.required.contains(name);
                    let field = self.field(name, schema, is_required);
                    self.fields.push(field);
                }
            }
            RefOr::T(_) => {}
        }
    }

    fn field(&self, name: &str, schema: &RefOr<Schema>, is_required: bool) -> Field {
        let mut in_body = schema.clone();
        ranges::say_in(&mut in_body);
        let (schema, description) = without_null(in_body.clone());
        let ty = self.type_of(&schema);
        let fields = self.fields_of(&schema);
        Field { name: name.to_owned(), schema, description, in_body, is_required, ty, fields }
    }

    /// Returns the fields of an object.
    fn fields_of(&self, schema: &RefOr<Schema>) -> Vec<Field> {
        match self.resolved(schema) {
            Some(Schema::Object(object)) => object
                .properties
                .iter()
                .map(|(name, schema)| self.field(name, schema, object.required.contains(name)))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn resolved<'s>(&'s self, schema: &'s RefOr<Schema>) -> Option<&'s Schema> {
        match schema {
            RefOr::T(schema) => Some(schema),
            RefOr::Ref(reference) => {
                let name = name_of(reference);
                let (_, schema) = self.schemas.iter().find(|(known, _)| known == name)?;
                self.resolved(schema)
            }
        }
    }

    fn type_of(&self, schema: &RefOr<Schema>) -> Option<Type> {
        match self.resolved(schema)? {
            Schema::Array(_) => Some(Type::Array),
            Schema::Object(object) => match &object.schema_type {
                SchemaType::Type(ty) => Some(ty.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}

fn name_of(reference: &Ref) -> &str {
    reference.ref_location.rsplit('/').next().unwrap_or_default()
}

/// Returns a schema without `null` among its types and without its description, and the description.
fn without_null(schema: RefOr<Schema>) -> (RefOr<Schema>, Option<String>) {
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            if let SchemaType::Array(types) = &object.schema_type
                && let [ty] = types.iter().filter(|ty| **ty != Type::Null).collect::<Vec<_>>()[..]
            {
                object.schema_type = SchemaType::Type(ty.clone());
            }
            let description = object.description.take();
            (RefOr::T(Schema::Object(object)), description)
        }
        RefOr::T(Schema::Array(mut array)) => {
            let is_nullable = matches!(array.schema_type, SchemaType::Array(_));
            if is_nullable {
                array.schema_type = SchemaType::Type(Type::Array);
            }
            let description = array.description.take();
            (RefOr::T(Schema::Array(array)), description)
        }
        RefOr::T(Schema::OneOf(one)) => {
            let mut others = one.items.iter().filter(|item| !is_null(item));
            match (others.next(), others.next()) {
                (Some(only), None) => {
                    let (schema, description) = without_null(only.clone());
                    (schema, one.description.clone().or(description))
                }
                _ => (RefOr::T(Schema::OneOf(one)), None),
            }
        }
        RefOr::Ref(mut reference) => {
            let description = std::mem::take(&mut reference.description);
            (RefOr::Ref(reference), (!description.is_empty()).then_some(description))
        }
        other => (other, None),
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}
