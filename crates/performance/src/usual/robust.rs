//! Statistics that a few outliers do not move (Huber, "Robust statistics", 1981). They work in place, and allocate nothing.

/// The factor from the median distance to a standard deviation, which is exact for a normal distribution.
const MAD_TO_DEVIATION: f64 = 1.482_6;

/// Returns the median; of an even number of values, the mean of the middle two; of none, 0. It sorts them.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => 0.0,
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Returns the standard deviation, estimated from the median distance from a middle (MAD). It replaces the values by their distances.
pub fn deviation(values: &mut [f64], middle: f64) -> f64 {
    values.iter_mut().for_each(|value| *value = (*value - middle).abs());
    MAD_TO_DEVIATION * median(values)
}

/// Returns the mean of all but the highest tenth; of none, 0. It sorts them.
pub fn trimmed_mean(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let low = &values[..values.len() - values.len() / 10];
    low.iter().sum::<f64>() / low.len().max(1) as f64
}
