//! What often is wrong where no record can be decoded: a module that does not say how it tags.

use std::sync::Arc;

use asn1::ber::Decoder;
use asn1::{Modules, Plan, Resolver, Tagging};
use record::{Arena, TypeId};

use super::BerError;

/// A type as it would be if the modules that do not say how they tag had said IMPLICIT TAGS. X.680 has
/// them mean EXPLICIT; many vendors mean otherwise.
#[derive(Debug)]
pub struct ImplicitReading {
    plan: Plan,
    ty: TypeId,
}

impl ImplicitReading {
    /// Of a type; none if its modules leave no doubt.
    pub fn of(modules: &Modules, name: &str) -> Option<Arc<Self>> {
        let mut resolver = Resolver::assuming(modules, Tagging::Implicit);
        let ty = resolver.resolve(name).ok()?;
        let doubtful = resolver.assumed_tagging();
        doubtful.then(|| Arc::new(ImplicitReading { plan: Plan::compile(resolver.finish()), ty }))
    }

    /// Adds to the reason why octets are no record that they would be one.
    #[cold]
    pub(super) fn explain(&self, octets: &[u8], error: &mut BerError) {
        if Decoder::new(&self.plan, self.ty).decode(octets, &mut Arena::new()).is_ok() {
            *error = BerError::ImplicitTags(Box::new(error.clone()));
        }
    }
}
