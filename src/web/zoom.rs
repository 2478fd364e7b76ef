//! The window of steps that the charts show: zooming around a step, moving, never beyond the ends.

/// Fewest steps a window shows.
const FEWEST: u32 = 8;

/// Steps from `first` to `last`, both shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// First step.
    pub first: u32,
    /// Last step.
    pub last: u32,
}

impl Window {
    /// All steps of a graph.
    pub fn all(steps: u32) -> Self {
        Self {
            first: 0,
            last: steps.saturating_sub(1),
        }
    }

    /// Number of steps.
    pub fn wide(self) -> u32 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }

    /// From one step to another, in either order, at least a few steps wide.
    pub fn between(a: u32, b: u32, steps: u32) -> Self {
        let (first, last) = (a.min(b), a.max(b));
        let lacks = FEWEST.saturating_sub(last - first + 1);
        let first = first.saturating_sub(lacks / 2);
        let last = last.max(first.saturating_add(FEWEST - 1));
        Self { first, last }.kept(steps)
    }

    /// `factor` times as wide; `at` stays where it is.
    pub fn zoomed(self, at: u32, factor: f64, steps: u32) -> Self {
        let wide = f64::from(self.wide());
        let new = (wide * factor)
            .round()
            .clamp(f64::from(FEWEST), f64::from(steps.max(FEWEST)));
        let share = (f64::from(at) - f64::from(self.first) + 0.5) / wide;
        let first = f64::from(at) + 0.5 - share.clamp(0.0, 1.0) * new;
        let first = first.round().max(0.0) as u32;
        Self {
            first,
            last: first.saturating_add(new as u32 - 1),
        }
        .kept(steps)
    }

    /// Moved by so many steps.
    pub fn moved(self, by: i64, steps: u32) -> Self {
        let farthest = i64::from(steps) - i64::from(self.wide());
        let first = (i64::from(self.first) + by).clamp(0, farthest.max(0)) as u32;
        Self {
            first,
            last: first.saturating_add(self.wide() - 1),
        }
        .kept(steps)
    }

    /// Moved as little as needed to show a step.
    pub fn with(self, step: u32, steps: u32) -> Self {
        let margin = i64::from(self.wide() / 8);
        if step < self.first {
            self.moved(i64::from(step) - i64::from(self.first) - margin, steps)
        } else if step > self.last {
            self.moved(i64::from(step) - i64::from(self.last) + margin, steps)
        } else {
            self
        }
    }

    /// The step in the middle.
    pub fn middle(self) -> u32 {
        self.first + self.wide() / 2
    }

    /// What a key makes of it, zooming around `at`; `None` for other keys.
    pub fn by_key(self, key: &str, at: u32, steps: u32) -> Option<Self> {
        let part = i64::from(self.wide() / 8).max(1);
        Some(match key {
            "+" | "=" | "w" | "W" => self.zoomed(at, 0.6, steps),
            "-" | "−" | "_" | "s" | "S" => self.zoomed(at, 1.0 / 0.6, steps),
            "a" | "A" => self.moved(-part, steps),
            "d" | "D" => self.moved(part, steps),
            "0" => Self::all(steps),
            _ => return None,
        })
    }

    /// Within the steps there are, as wide as it was where that fits.
    fn kept(self, steps: u32) -> Self {
        let end = steps.saturating_sub(1);
        let wide = self.wide().min(steps.max(1));
        let first = self.first.min(end.saturating_sub(wide - 1));
        Self {
            first,
            last: first + (wide - 1),
        }
    }
}
