//! What a network element says of an event, and its octets: those of `examples/fraud-population/asn1/population.asn1`. Change both
//! together. // ORDER POPULATION

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    #[default]
    MoCall = 0,
    MtCall = 1,
    SmsSubmitted = 2,
    SmsDelivered = 3,
    Data = 4,
    SimChanged = 5,
    DeviceChanged = 6,
    ForwardingSet = 7,
    OtpSent = 8,
    OtpUsed = 9,
    Activated = 10,
    Adjustment = 11,
}

/// Whose network it happened in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Source {
    #[default]
    Home = 0,
    Partner = 1,
}

/// Who writes the record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Element {
    Switch,
    MessageCentre,
    Provisioning,
    RoamingPartner,
}

impl Element {
    /// Returns its name, with which names of files end.
    pub(super) fn name(self) -> &'static str {
        match self {
            Element::Switch => "switch",
            Element::MessageCentre => "message-centre",
            Element::Provisioning => "provisioning",
            Element::RoamingPartner => "roaming-partner",
        }
    }
}

/// An event. What is empty or `None` is absent in its record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: Kind,
    /// When it began, in seconds since 1970.
    pub(super) time: u64,
    pub(super) caller: String,
    pub(super) called: String,
    pub(super) imsi: String,
    pub(super) imei: String,
    pub(super) cell: Option<u32>,
    pub(super) seconds: Option<u32>,
    pub(super) octets: Option<u64>,
    /// In thousandths of the currency.
    pub(super) cost: Option<u64>,
    pub(super) sender: String,
    pub(super) reference: Option<u32>,
    pub(super) line: String,
    pub(super) agent: String,
    pub(super) source: Source,
}

/// A partner's records come so much later, in seconds.
const PARTNER_LATE: u64 = 1_800;

impl Event {
    /// Returns who writes its record.
    pub(super) fn element(&self) -> Element {
        match (self.source, self.kind) {
            (Source::Partner, _) => Element::RoamingPartner,
            (_, Kind::MoCall | Kind::MtCall | Kind::Data) => Element::Switch,
            (_, Kind::SmsSubmitted | Kind::SmsDelivered | Kind::OtpSent | Kind::OtpUsed) => {
                Element::MessageCentre
            }
            _ => Element::Provisioning,
        }
    }

    /// Returns when its record is written: a call when it is over.
    pub(super) fn written(&self) -> u64 {
        let late = if self.source == Source::Partner { PARTNER_LATE } else { 0 };
        self.end() + late
    }

    /// Returns when it is over.
    pub(super) fn end(&self) -> u64 {
        self.time + self.seconds.map_or(0, u64::from)
    }

    /// Appends its record in BER.
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let mut content = Vec::with_capacity(160);
        number(&mut content, 0x80, Some(self.kind as u64));
        number(&mut content, 0x81, Some(self.time));
        text(&mut content, 0x82, &self.caller);
        text(&mut content, 0x83, &self.called);
        text(&mut content, 0x84, &self.imsi);
        text(&mut content, 0x85, &self.imei);
        number(&mut content, 0x86, self.cell.map(u64::from));
        number(&mut content, 0x87, self.seconds.map(u64::from));
        number(&mut content, 0x88, self.octets);
        number(&mut content, 0x89, self.cost);
        text(&mut content, 0x8a, &self.sender);
        number(&mut content, 0x8b, self.reference.map(u64::from));
        text(&mut content, 0x8c, &self.line);
        text(&mut content, 0x8d, &self.agent);
        number(&mut content, 0x8e, Some(self.source as u64));
        let length = u8::try_from(content.len()).expect("an event has less than 256 octets");
        to.push(0x30);
        if length >= 0x80 {
            to.push(0x81);
        }
        to.push(length);
        to.extend_from_slice(&content);
    }
}

/// Appends an INTEGER or ENUMERATED: as few octets as it needs, the first bit of which is its sign.
fn number(to: &mut Vec<u8>, tag: u8, value: Option<u64>) {
    let Some(value) = value else { return };
    let octets = value.to_be_bytes();
    let zeros = (value.leading_zeros() / 8) as usize;
    let octets = &octets[zeros.min(7)..];
    let sign = octets[0] >= 0x80;
    to.extend_from_slice(&[tag, octets.len() as u8 + u8::from(sign)]);
    to.extend(sign.then_some(0));
    to.extend_from_slice(octets);
}

fn text(to: &mut Vec<u8>, tag: u8, value: &str) {
    if !value.is_empty() {
        to.extend_from_slice(&[tag, value.len() as u8]);
        to.extend_from_slice(value.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_number_has_as_few_octets_as_it_needs() {
        for (value, octets) in [
            (0, &[0x80, 1, 0][..]),
            (127, &[0x80, 1, 127]),
            (128, &[0x80, 2, 0, 128]),
            (1_767_600_000, &[0x80, 4, 0x69, 0x5b, 0x6f, 0x80]),
            (u64::MAX, &[0x80, 9, 0, 255, 255, 255, 255, 255, 255, 255, 255]),
        ] {
            let mut written = Vec::new();
            super::number(&mut written, 0x80, Some(value));
            assert_eq!(written, octets, "{value}");
        }
    }
}
