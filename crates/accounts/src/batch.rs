//! The stored form of a batch: for each operation that changed something, the account, the time, the length of the effects
//! in octets, and the effects. Accounts, entries and ended sessions have the same form, with many in a row.

use ledger::{AccountId, Effects, EffectsDamaged, Millis};

/// The octets before the effects of an operation.
const HEAD: usize = 8 + 8 + 4;

/// A batch that is being made.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    octets: Vec<u8>,
}

impl Batch {
    pub(crate) fn add(&mut self, account: AccountId, at: Millis, effects: &Effects) {
        let begin = self.octets.len();
        self.octets.extend_from_slice(&account.0.to_le_bytes());
        self.octets.extend_from_slice(&at.to_le_bytes());
        self.octets.extend_from_slice(&[0; 4]);
        effects.encode(&mut self.octets);
        let length = self.octets.len() - begin - HEAD;
        let length = u32::try_from(length).expect("an operation has few effects");
        self.octets[begin + HEAD - 4..begin + HEAD].copy_from_slice(&length.to_le_bytes());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }

    pub(crate) fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Adds the operations of another batch behind those of this one.
    pub(crate) fn append(&mut self, other: &Batch) {
        self.octets.extend_from_slice(&other.octets);
    }

    /// Removes all operations, and keeps the memory for the next.
    pub(crate) fn clear(&mut self) {
        self.octets.clear();
    }
}

/// An operation as it is stored.
pub(crate) struct StoredOperation<'b> {
    pub(crate) account: AccountId,
    pub(crate) at: Millis,
    /// Its effects, as they are stored.
    pub(crate) effects: &'b [u8],
}

/// Returns the operations of a batch.
pub(crate) fn operations(
    octets: &[u8],
) -> impl Iterator<Item = Result<StoredOperation<'_>, EffectsDamaged>> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let read = read(rest);
        rest = read.as_ref().map_or(&[][..], |(_, behind)| behind);
        Some(read.map(|(operation, _)| operation).ok_or(EffectsDamaged { at: 0 }))
    })
}

fn read(octets: &[u8]) -> Option<(StoredOperation<'_>, &[u8])> {
    let (account, rest) = octets.split_first_chunk()?;
    let (at, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (effects, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let account = AccountId(u64::from_le_bytes(*account));
    Some((StoredOperation { account, at: Millis::from_le_bytes(*at), effects }, rest))
}

/// Calls `each` with the account, the time and the effects of each operation of a batch.
pub(crate) fn each<E: From<EffectsDamaged>>(
    octets: &[u8],
    mut each: impl FnMut(AccountId, Millis, &Effects) -> Result<(), E>,
) -> Result<(), E> {
    let mut effects = Effects::default();
    for operation in operations(octets) {
        let StoredOperation { account, at, effects: stored } = operation?;
        effects.clear();
        effects.decode(stored)?;
        each(account, at, &effects)?;
    }
    Ok(())
}
