//! The stored form of a batch: for each operation that changed something, the account, the time, the length of the effects
//! in octets, and the effects.

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

/// Calls `each` with the account, the time and the effects of each operation of a batch.
pub(crate) fn each<E: From<EffectsDamaged>>(
    mut octets: &[u8],
    mut each: impl FnMut(AccountId, Millis, &Effects) -> Result<(), E>,
) -> Result<(), E> {
    let damaged = EffectsDamaged { at: 0 };
    let mut effects = Effects::default();
    while !octets.is_empty() {
        let (head, rest) = octets.split_first_chunk::<HEAD>().ok_or(damaged)?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|place| head[at + place]));
        let length = u32::from_le_bytes(std::array::from_fn(|place| head[HEAD - 4 + place]));
        let (body, rest) = rest.split_at_checked(length as usize).ok_or(damaged)?;
        effects.clear();
        effects.decode(body)?;
        each(AccountId(number(0)), number(8) as Millis, &effects)?;
        octets = rest;
    }
    Ok(())
}
