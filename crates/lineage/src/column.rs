//! Columns of numbers. Each run of neighbours uses as few octets per number as its largest difference needs.

/// The numbers of a run, which share one width.
const RUN: usize = 128;

/// The error for octets that are no column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoColumn;

/// Appends a column. Each run has a lower bound in four octets, the width of the differences to it, and the
/// differences.
pub(super) fn put(values: &[u32], out: &mut Vec<u8>) {
    for run in values.chunks(RUN) {
        let (least, most) = bounds(run);
        out.extend_from_slice(&least.to_le_bytes());
        match most - least {
            0 => out.push(0),
            1..=0xFF => differences::<1>(run, least, out),
            0x100..=0xFFFF => differences::<2>(run, least, out),
            _ => differences::<4>(run, least, out),
        }
    }
}

/// Returns bounds of the numbers of a run. They are exact unless loose bounds show that one octet per difference is
/// enough.
fn bounds(run: &[u32]) -> (u32, u32) {
    // Bounds from the bits alone take a third of the work.
    let (least, most) = run.iter().fold((u32::MAX, 0), |(all, any), v| (all & v, any | v));
    if most - least <= 0xFF {
        return (least, most);
    }
    run.iter().fold((u32::MAX, 0), |(least, most), v| (least.min(*v), most.max(*v)))
}

/// Appends the width and then the differences of the numbers to `least`.
fn differences<const WIDTH: usize>(run: &[u32], least: u32, out: &mut Vec<u8>) {
    out.push(WIDTH as u8);
    let start = out.len();
    out.resize(start + WIDTH * run.len(), 0);
    let (octets, _) = out[start..].as_chunks_mut::<WIDTH>();
    for (octets, value) in octets.iter_mut().zip(run) {
        octets.copy_from_slice(&(value - least).to_le_bytes()[..WIDTH]);
    }
}

/// Reads a column of `count` numbers.
pub(super) fn take(octets: &mut &[u8], count: usize) -> Result<Vec<u32>, NoColumn> {
    // Allocates no more memory than the octets can fill.
    let mut values = Vec::with_capacity(count.min(octets.len().saturating_mul(RUN)));
    while values.len() < count {
        let run = (count - values.len()).min(RUN);
        let least = u32::from_le_bytes(
            *octets.split_off(..4).ok_or(NoColumn)?.first_chunk().ok_or(NoColumn)?,
        );
        let width = usize::from(*octets.split_off_first().ok_or(NoColumn)?);
        let differences = octets.split_off(..run * width).ok_or(NoColumn)?;
        match width {
            0 => values.extend(std::iter::repeat_n(least, run)),
            1 | 2 | 4 => values.extend(differences.chunks(width).map(|octets| {
                let mut difference = [0; 4];
                difference[..width].copy_from_slice(octets);
                least.wrapping_add(u32::from_le_bytes(difference))
            })),
            _ => return Err(NoColumn),
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_is_taken(
            narrow in prop::collection::vec(100..300_u32, 0..400),
            wide in prop::collection::vec(any::<u32>(), 0..400),
        ) {
            let mut octets = Vec::new();
            put(&narrow, &mut octets);
            put(&wide, &mut octets);
            let mut left = octets.as_slice();
            prop_assert_eq!(take(&mut left, narrow.len()), Ok(narrow));
            prop_assert_eq!(take(&mut left, wide.len()), Ok(wide));
            prop_assert!(left.is_empty());
        }

        #[test]
        fn octets_from_outside_are_a_column_or_none(octets in prop::collection::vec(any::<u8>(), 0..600), count in 0..9_000_usize) {
            let _ = take(&mut octets.as_slice(), count);
        }
    }

    #[test]
    fn numbers_that_are_near_each_other_have_an_octet_each() {
        for (run, width) in
            [([70_000, 70_255], 1), ([3, 200], 1), ([70_000, 70_256], 2), ([7, 7], 0)]
        {
            let mut octets = Vec::new();
            put(&run.repeat(64), &mut octets);
            assert_eq!(octets.len(), 5 + width * 128, "{run:?}");
        }
    }
}
