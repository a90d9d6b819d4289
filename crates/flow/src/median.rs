//! What is usual of some values: whatever a few of them are, it stays.

/// What makes the median distance from the median a standard deviation, of values that are spread normally.
const MAD_TO_DEVIATION: f64 = 1.482_6;

/// The middle one; of an even number the mean of both.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (_, _) if sorted.is_empty() => 0.0,
        (middle, 1) => sorted[middle],
        (middle, _) => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// The standard deviation from a middle, as of values that are spread normally.
pub(crate) fn deviation(values: &[f64], middle: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    MAD_TO_DEVIATION * median(&distances)
}
