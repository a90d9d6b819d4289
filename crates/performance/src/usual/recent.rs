//! Where a number of an hour or period stands to the last one.

/// Where a number stands to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recent {
    /// It is so many later.
    Ahead(u32),
    /// It is so many earlier: 0 if it is the last one.
    Behind(u32),
}

impl Recent {
    pub(crate) fn of(number: u32, last: u32) -> Recent {
        match number.checked_sub(last) {
            None | Some(0) => Recent::Behind(last - number),
            Some(ahead) => Recent::Ahead(ahead),
        }
    }
}
