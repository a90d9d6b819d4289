//! Frauds by those who work for the operator.

use crate::population::calendar::between;
use crate::population::event::{Event, Kind};
use crate::population::scene::Scene;
use crate::random::Random;

/// An agent gives credits to friends when the office is closed.
pub(super) fn internal(scene: &mut Scene<'_>, random: &mut Random, number: u32) {
    let from = scene.moment(random, 19..22);
    let agent = format!("agent-{}", number + 1);
    let friends: Vec<String> = (0..4)
        .map(|_| random.below(scene.options.subscribers) as usize)
        .map(|place| scene.network.subscribers[place].number.clone())
        .collect();
    let mut time = from;
    for credit in 0..24 {
        let called = friends[credit % friends.len()].clone();
        let cost = Some(1_000 * u64::from(between(random, 100..400)));
        let (kind, agent) = (Kind::Adjustment, agent.clone());
        scene.happening.events.push(Event { kind, time, called, cost, agent, ..Event::default() });
        time += u64::from(between(random, 60..300));
    }
    scene.fraud("internal", (from, time), [("agent", agent)]);
}
