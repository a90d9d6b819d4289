//! What kinds of clients need, beyond the standard. A peer has one of these profiles, and settings may change it.

/// What a kind of client needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The rating group of a service that has no name.
    pub default_rating_group: Option<u32>,
    /// Where it looks for the result of a single service that is refused.
    pub result_level: ResultLevel,
    /// What it does when the last grant is used.
    pub final_unit: FinalUnit,
    /// How much of a grant is left when it asks again, in percent; 0 for when all is used.
    pub threshold_percent: u8,
    /// After how many seconds without traffic it gives a grant back.
    pub holding_seconds: Option<u32>,
}

/// Where a client looks for the result of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultLevel {
    /// In the group of the service; the message says success.
    Service,
    /// In the message: it would take a message that says success for a grant.
    Message,
}

/// What a client does when the last grant is used (RFC 8506 section 8.34).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinalUnit {
    /// It ends the service.
    Terminate,
    /// It leads the subscriber to an address, such as a page for refills.
    Redirect(RedirectAddress),
    /// It lets through what a filter of its own allows.
    Restrict {
        /// The name of the filter.
        filter: String,
    },
}

/// Where a subscriber is led to (section 8.38).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectAddress {
    /// An address of a page.
    Url(String),
    /// An address of SIP.
    SipUri(String),
}

impl Profile {
    /// What the standard says, and most clients take.
    pub const STANDARD: Profile = Profile {
        default_rating_group: None,
        result_level: ResultLevel::Service,
        final_unit: FinalUnit::Terminate,
        threshold_percent: 20,
        holding_seconds: None,
    };

    /// The names of all profiles.
    pub const NAMES: [&str; 6] = ["standard", "open5gs", "kamailio", "cisco", "nokia", "magma"];

    /// Returns a profile by its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "standard" | "cisco" | "nokia" | "magma" => Profile::STANDARD,
            // It names no service, and ends one after each kind of last grant.
            "open5gs" => Profile { default_rating_group: Some(1), ..Profile::STANDARD },
            // It lets a call begin if the message says success, whatever the service says.
            "kamailio" => Profile { result_level: ResultLevel::Message, ..Profile::STANDARD },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_a_profile() {
        assert!(Profile::NAMES.into_iter().all(|name| Profile::named(name).is_some()));
        assert_eq!(Profile::named("other"), None);
    }
}
