//! Explains a common cause of records that cannot be decoded: a module that does not give its tagging.

use std::sync::Arc;

use asn1::ber::Decoder;
use asn1::{Modules, Plan, Resolver, Tagging};
use record::{Arena, TypeId};

use super::BerError;

/// A type as if the modules without a tagging had IMPLICIT TAGS. By X.680 they mean EXPLICIT; many vendors mean
/// otherwise.
#[derive(Debug)]
pub struct ImplicitReading {
    plan: Plan,
    ty: TypeId,
}

impl ImplicitReading {
    /// Creates it for a type; `None` if the tagging makes no difference.
    pub fn of(modules: &Modules, name: &str) -> Option<Arc<Self>> {
        let mut resolver = Resolver::assuming(modules, Tagging::Implicit);
        let ty = resolver.resolve(name).ok()?;
        let doubtful = resolver.assumed_tagging();
        doubtful.then(|| Arc::new(ImplicitReading { plan: Plan::compile(resolver.finish()), ty }))
    }

    /// Adds to the error that the octets would be a record with IMPLICIT TAGS.
    #[cold]
    pub(super) fn explain(&self, octets: &[u8], error: &mut BerError) {
        if Decoder::new(&self.plan, self.ty).decode(octets, &mut Arena::new()).is_ok() {
            *error = BerError::ImplicitTags(Box::new(error.clone()));
        }
    }
}
