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
    /// What it lets through then, as rules (Restriction-Filter-Rule, RFC 8506 section 8.36).
    pub final_unit_filters: Vec<String>,
    /// Whether it reads that in the form of RFC 8506, too (QoS-Final-Unit-Indication, section 8.68).
    pub has_qos_final_unit: bool,
    /// How much of a grant is left when it asks again, in percent; 0 for when all is used.
    pub threshold_percent: u8,
    /// After how many seconds without traffic it gives a grant back.
    pub holding_seconds: Option<u32>,
    /// After how many seconds without traffic no more of a grant of time is used.
    pub consumption_seconds: Option<u32>,
    /// The changes after which it asks again, by their [numbers](TRIGGERS). It decides itself without a list.
    pub triggers: Option<Vec<u32>>,
    /// Whether the amounts that it requests do not count: each grant is one of the usual size.
    pub ignores_requested_amounts: bool,
    /// What a service without money gets.
    pub without_money: WithoutMoney,
    /// What it does when a request has no answer.
    pub failures: FailureHandling,
    /// Whether its sessions end when it says that it has lost them, by a greater Origin-State-Id (RFC 6733 section 8.16).
    pub ends_sessions_at_restart: bool,
    /// Whether a Session-Termination-Request ends a session. RFC 8506 has none.
    pub takes_session_termination: bool,
    /// Whether it asks again when it is told to (Re-Auth-Request).
    pub takes_re_auth: bool,
    /// Whether it ends a session when it is told to (Abort-Session-Request).
    pub takes_abort: bool,
    /// Whether an event that it has stored is priced by the time at which it happened.
    pub prices_stored_events_then: bool,
}

/// The changes of a packet connection after which its client asks again, by the names of settings, and their numbers as
/// Trigger-Type (3GPP TS 32.299, 7.2.236).
pub const TRIGGERS: [(&str, u32); 12] = [
    ("sgsn-address", 1),
    ("qos", 2),
    ("location", 3),
    ("rat", 4),
    ("time-zone", 5),
    ("location-mcc", 30),
    ("location-mnc", 31),
    ("location-rac", 32),
    ("location-lac", 33),
    ("location-cell", 34),
    ("location-tac", 35),
    ("location-ecgi", 36),
];

/// What a service without money gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutMoney {
    /// A refusal.
    Refusal,
    /// What follows the last grant, without a grant: the client redirects or restricts at once (RFC 8506 section 5.6.2).
    FinalUnit,
}

/// What a client does when a request has no answer. What is not set is up to the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailureHandling {
    /// Whether it goes on with another server (CC-Session-Failover, RFC 8506 section 8.4).
    pub moves_sessions: Option<bool>,
    /// What it does with a session (Credit-Control-Failure-Handling, section 8.14).
    pub sessions: Option<SessionFailure>,
    /// What it does with an event (Direct-Debiting-Failure-Handling, section 8.15).
    pub events: Option<EventFailure>,
}

/// What a client does with a session when a request has no answer (section 8.14). The numbers are those of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFailure {
    /// It ends the service.
    Terminate = 0,
    /// It tries another server, and lets the service go on without one.
    Continue = 1,
    /// It tries another server, and ends the service without one.
    RetryAndTerminate = 2,
}

/// What a client does with an event when a request has no answer (section 8.15). The numbers are those of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventFailure {
    /// It ends the service, or stores the event and sends it later.
    TerminateOrBuffer = 0,
    /// It lets the service go on.
    Continue = 1,
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
        /// The name of the filter. Without one there are [rules](Profile::final_unit_filters).
        filter: Option<String>,
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
        final_unit_filters: Vec::new(),
        has_qos_final_unit: false,
        threshold_percent: 20,
        holding_seconds: None,
        consumption_seconds: None,
        triggers: None,
        ignores_requested_amounts: false,
        without_money: WithoutMoney::Refusal,
        failures: FailureHandling { moves_sessions: None, sessions: None, events: None },
        ends_sessions_at_restart: true,
        takes_session_termination: false,
        takes_re_auth: true,
        takes_abort: true,
        prices_stored_events_then: false,
    };

    /// The names of all profiles.
    pub const NAMES: [&str; 6] = ["standard", "open5gs", "kamailio", "cisco", "nokia", "magma"];

    /// Returns whether it redirects or restricts in place of a refusal, too.
    pub fn redirects_refused(&self) -> bool {
        self.without_money == WithoutMoney::FinalUnit && self.final_unit != FinalUnit::Terminate
    }

    /// Returns a profile by its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "standard" | "cisco" | "nokia" => Profile::STANDARD,
            // It requests a few octets at a time, or says nothing of how many.
            "magma" => Profile { ignores_requested_amounts: true, ..Profile::STANDARD },
            // It names no service, and knows no Abort-Session-Request.
            "open5gs" => {
                Profile { default_rating_group: Some(1), takes_abort: false, ..Profile::STANDARD }
            }
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
