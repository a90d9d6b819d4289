//! Which service of a tariff a request is about: by its context, and by its rating group or service identifier.

use crate::request::{Request, Service};

/// A rule that gives services of requests a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceRule {
    /// The name of the service in the tariff.
    pub name: String,
    /// The contexts, such as `32251@3gpp.org`. Clients may have an extension, an operator and a release before them (3GPP TS 32.299,
    /// 7.1.12).
    pub contexts: Vec<String>,
    /// The rating groups; none for all.
    pub rating_groups: Vec<u32>,
    /// The service identifiers; none for all.
    pub identifiers: Vec<u32>,
}

impl ServiceRule {
    /// Returns whether it is about a context.
    pub fn has_context(&self, context: &str) -> bool {
        self.contexts.iter().any(|of| is_context(context, of))
    }

    fn fits(&self, service: &Service) -> bool {
        let has = |all: &[u32], one: Option<u32>| {
            all.is_empty() || one.is_some_and(|one| all.contains(&one))
        };
        has(&self.rating_groups, service.rating_group) && has(&self.identifiers, service.identifier)
    }
}

/// Returns the name of a service of a request, by the first rule that fits.
pub fn name_of<'r>(
    rules: &'r [ServiceRule],
    request: &Request<'_>,
    service: &Service,
) -> Option<&'r str> {
    let fits = |rule: &&ServiceRule| rule.has_context(request.context) && rule.fits(service);
    rules.iter().find(fits).map(|rule| rule.name.as_str())
}

/// Returns whether a context is one that is known: the same, or one with `extension.MNC.MCC.release.` before it.
fn is_context(context: &str, known: &str) -> bool {
    let is_same = |one: &str| one.eq_ignore_ascii_case(known);
    if is_same(context) {
        return true;
    }
    let before = context.len().checked_sub(known.len() + 1);
    let Some(before) = before.filter(|before| context.is_char_boundary(*before)) else {
        return false;
    };
    context[before..].strip_prefix('.').is_some_and(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tests::{checked, request_of};

    #[test]
    fn contexts_may_have_more_before_them() {
        for context in ["32260@3gpp.org", "8.32260@3gpp.org", "ext.01.001.8.32260@3GPP.org"] {
            assert!(is_context(context, "32260@3gpp.org"), "{context}");
        }
        for context in ["132260@3gpp.org", "32251@3gpp.org", "", "å.2260@3gpp.org"] {
            assert!(!is_context(context, "32260@3gpp.org"), "{context}");
        }
    }

    #[test]
    fn the_first_rule_that_fits_names_a_service() {
        let rule = |name: &str, groups: &[u32], identifiers: &[u32]| ServiceRule {
            name: name.to_owned(),
            contexts: vec!["32251@3gpp.org".to_owned()],
            rating_groups: groups.to_vec(),
            identifiers: identifiers.to_vec(),
        };
        let rules = [rule("video", &[7, 8], &[]), rule("chat", &[], &[40]), rule("data", &[], &[])];
        let octets = request_of(1, |_| {});
        let message = checked(&octets);
        let request = Request::read(&message).unwrap();
        let name = |rating_group, identifier| {
            let service = Service { rating_group, identifier, ..Service::default() };
            name_of(&rules, &request, &service)
        };
        assert_eq!(name(Some(8), Some(40)), Some("video"));
        assert_eq!(name(Some(9), Some(40)), Some("chat"));
        assert_eq!(name(Some(9), None), Some("data"));
        assert_eq!(name(None, None), Some("data"));
        let mut other = request;
        other.context = "32260@3gpp.org";
        assert_eq!(name_of(&rules, &other, &Service::default()), None);
    }
}
