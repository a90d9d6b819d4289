//! The stored forms of an account, and of what its effects leave beside it: entries, notices and ended sessions. All backs
//! store these.

use ledger::{Account, Effect, Effects, EndedSession, Entry, Notice};

/// Returns the stored form of an account.
pub fn account(account: &Account) -> Vec<u8> {
    let mut effects = Effects::default();
    effects.add_account(account);
    encoded(&effects)
}

/// Returns the entries among effects, each with the stored form of it and its remark.
pub fn entries(effects: &Effects) -> impl Iterator<Item = (Entry, Vec<u8>)> {
    effects.entries().map(|(entry, remark)| (entry, encoded(&Effects::of_entry(entry, remark))))
}

/// Returns the stored forms of the notices among effects.
pub fn notices(effects: &Effects) -> impl Iterator<Item = Vec<u8>> {
    let notices = effects.list.iter().filter(|effect| matches!(effect, Effect::Notice(_)));
    notices.map(|notice| encoded(&Effects { list: vec![*notice], bytes: Vec::new() }))
}

/// Returns the stored forms of the ended sessions among effects, each with its memo.
pub fn ended_sessions(effects: &Effects) -> impl Iterator<Item = Vec<u8>> {
    let ended = effects.ended_sessions();
    ended.map(|(ended, memo)| encoded(&Effects::of_ended_session(ended, memo)))
}

/// Reads the stored form of an entry and its remark. Entries from before there were remarks have none.
pub fn read_entry(body: &[u8]) -> Option<(Entry, Vec<u8>)> {
    let effects = decoded(body)?;
    match effects.list[..] {
        [Effect::Entry(entry)] | [Effect::Entry(entry), Effect::Remark { .. }] => {
            Some((entry, effects.bytes))
        }
        _ => None,
    }
}

/// Reads the stored form of a notice.
pub fn read_notice(body: &[u8]) -> Option<Notice> {
    match decoded(body)?.list[..] {
        [Effect::Notice(notice)] => Some(notice),
        _ => None,
    }
}

/// Reads the stored form of an ended session and its memo.
pub fn read_ended_session(body: &[u8]) -> Option<(EndedSession, Vec<u8>)> {
    let effects = decoded(body)?;
    let mut ended = effects.ended_sessions();
    match (ended.next(), ended.next()) {
        (Some((ended, memo)), None) => Some((ended, memo.to_vec())),
        _ => None,
    }
}

fn encoded(effects: &Effects) -> Vec<u8> {
    let mut body = Vec::new();
    effects.encode(&mut body);
    body
}

fn decoded(body: &[u8]) -> Option<Effects> {
    let mut effects = Effects::default();
    effects.decode(body).ok()?;
    Some(effects)
}
