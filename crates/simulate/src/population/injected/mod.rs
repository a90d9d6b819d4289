//! The frauds that are put into the life of a network, a function a type. Each says in the truth what an alert about it may be about.

mod calls;
mod identities;
mod inside;
mod messages;

use super::scene::Scene;
use crate::random::Random;
use crate::truth::Fraud;

/// Puts a fraud into a scene. Its number tells it from others of its type.
type Inject = fn(&mut Scene<'_>, &mut Random, u32);

/// The types of fraud.
pub(super) const INJECTED: [(&str, Inject); 13] = [
    ("subscription", identities::subscription),
    ("sim-box", calls::sim_box),
    ("irsf", calls::irsf),
    ("wangiri", calls::wangiri),
    ("pbx", calls::pbx),
    ("roaming", calls::roaming),
    ("collision", identities::collision),
    ("velocity", identities::velocity),
    ("sms-pumping", messages::sms_pumping),
    ("sim-swap", identities::sim_swap),
    ("premium", calls::premium),
    ("spam", calls::spam),
    ("internal", inside::internal),
];

/// The names of the types of fraud.
pub const TYPES: [&str; 13] = {
    let mut names = [""; 13];
    let mut place = 0;
    while place < names.len() {
        names[place] = INJECTED[place].0;
        place += 1;
    }
    names
};

/// The streams of pseudo-random numbers of frauds.
const STREAMS: u64 = 3 << 32;

/// Puts in so many frauds of each type as the options say.
pub(super) fn inject(scene: &mut Scene<'_>) {
    for (place, (_, inject)) in (0..).zip(INJECTED) {
        for number in 0..scene.options.each {
            let stream = STREAMS | u64::from(number) << 8 | place;
            inject(scene, &mut Random::new(scene.options.seed, stream), number);
        }
    }
}

impl Scene<'_> {
    /// Notes a fraud.
    fn fraud(
        &mut self,
        of: &'static str,
        (from, to): (u64, u64),
        about: impl IntoIterator<Item = (&'static str, String)>,
    ) {
        let about = about.into_iter().collect();
        self.frauds.push(Fraud { of, about, from, to });
    }

    /// Returns the keys of a subscriber at a time.
    fn keys(&self, place: usize, time: u64) -> [(&'static str, String); 3] {
        let of = &self.network.subscribers[place];
        [
            ("caller", of.number.clone()),
            ("subscriber", of.imsi(time).to_owned()),
            ("device", of.imei(time).to_owned()),
        ]
    }
}
