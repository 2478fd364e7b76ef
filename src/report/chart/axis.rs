//! Axes with ticks of our own: round in binary units for bytes, whole numbers for steps.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// An axis from `begin` to `end` with labels at `ticks` only.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Where it begins.
    pub begin: f64,
    /// Where it ends; above `begin`.
    pub end: f64,
    /// Where it has labels.
    pub ticks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let share = (value - self.begin) / (self.end - self.begin);
        low + (share * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.begin..self.end
    }
}

/// A scale for bytes: ticks that are round in binary units.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteScale {
    /// End of the axis, bytes; above the largest value.
    pub end: f64,
    /// Ticks in bytes, from 0.
    pub ticks: Vec<f64>,
    unit: usize,
}

const UNITS: [&str; 6] = ["B", "KB", "MB", "GB", "TB", "PB"];

impl ByteScale {
    /// For values from 0 to `largest`, about `wanted` ticks.
    pub fn new(largest: f64, wanted: usize) -> Self {
        let largest = if largest.is_finite() {
            largest.max(1.0)
        } else {
            1.0
        };
        let mut unit = 0;
        let mut size = 1.0;
        while largest / size >= 1024.0 && unit + 1 < UNITS.len() {
            size *= 1024.0;
            unit += 1;
        }
        let step = (round_step(largest / size / wanted.max(1) as f64) * size).max(1.0);
        let end = largest * 1.04;
        let ticks = (0..=(end / step) as usize)
            .map(|i| i as f64 * step)
            .collect();
        Self { end, ticks, unit }
    }

    /// A tick's label; all ticks of a scale have the same unit.
    pub fn label(&self, bytes: f64) -> String {
        if bytes == 0.0 {
            return "0".into();
        }
        let value = bytes / 1024f64.powi(self.unit as i32);
        format!(
            "{} {}",
            (value * 1e4).round() / 1e4,
            UNITS.get(self.unit).unwrap_or(&"")
        )
    }
}

/// Steps with a tick in `first ..= last`: about `wanted`, at round numbers.
pub fn step_ticks(first: u32, last: u32, wanted: usize) -> Vec<u32> {
    let wide = f64::from(last.saturating_sub(first)) + 1.0;
    let step = round_step(wide / wanted.max(1) as f64).max(1.0);
    // 2.5 is no number of steps.
    let step = if step.fract() > 0.0 { step * 2.0 } else { step } as u32;
    let start = first.div_ceil(step).saturating_mul(step);
    (start..=last).step_by(step as usize).collect()
}

/// The smallest of 1, 2, 2.5, 5 × 10^n that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    for factor in [1.0, 2.0, 2.5, 5.0] {
        if least <= factor * power * (1.0 + 1e-9) {
            return factor * power;
        }
    }
    10.0 * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_round_binary_ticks() {
        let scale = ByteScale::new(1_698_538_262.0, 5);
        let labels: Vec<String> = scale.ticks.iter().map(|t| scale.label(*t)).collect();
        assert_eq!(labels, ["0", "0.5 GB", "1 GB", "1.5 GB"]);
        let small = ByteScale::new(512.0, 4);
        assert_eq!(small.label(200.0), "200 B");
        assert!(512.0 < small.end);
        assert_eq!(ByteScale::new(0.0, 5).ticks, [0.0, 1.0]);
        assert_eq!(ByteScale::new(f64::NAN, 5).ticks, [0.0, 1.0]);
    }

    #[test]
    fn steps_have_round_ticks_inside_the_window() {
        assert_eq!(step_ticks(0, 224, 5), [0, 50, 100, 150, 200]);
        assert_eq!(step_ticks(0, 99, 4), [0, 25, 50, 75]);
        assert_eq!(step_ticks(3, 3, 8), [3]);
        assert_eq!(step_ticks(7, 12, 3), [8, 10, 12]);
        assert_eq!(step_ticks(0, 9, 4), [0, 5]);
        assert_eq!(
            step_ticks(0, u32::MAX, 4),
            [0, 2_000_000_000, 4_000_000_000]
        );
    }
}
