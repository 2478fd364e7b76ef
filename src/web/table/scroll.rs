//! Where a table is scrolled to. A browser lets an element be some 16 to 33 million pixels high;
//! above a safe height the scroll bar moves over a smaller one, and the wheel still moves by rows.

use std::cell::Cell;

use web_sys::HtmlElement;

/// Height of a row, as in the style sheet.
pub const ROW: f64 = 24.0;

/// Height of the row of headings.
pub const HEAD: f64 = 28.0;

/// Rows kept in the page above and below those in sight, where the browser scrolls by itself.
const SPARE: u32 = 4;

/// The most pixels all rows may take.
const MOST: f64 = 8_000_000.0;

/// Pixels that a scaled scroll bar may lag behind the rows: far less than one of its own. A box that is
/// not scrolled by a turn of the wheel has neither its bars nor its headings painted.
const LAG: f64 = 1000.0;

/// Which rows are in the page, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// First row in the page.
    pub first: u32,
    /// The row behind the last one.
    pub end: u32,
    /// Pixels above the first row.
    pub above: f64,
    /// Pixels that all rows take.
    pub whole: f64,
    /// Whether that is less than they need.
    pub scaled: bool,
    /// How many rows there are.
    pub total: u32,
}

/// The box that scrolls. What the browser says of it is read once, before rows are written: reading
/// between writing would have it lay out the page again and again.
pub struct Scroller {
    element: HtmlElement,
    /// Pixels there are for rows.
    height: Cell<f64>,
    /// Pixels there are beside each other, and pixels the box is scrolled to the side.
    sideways: Cell<(f64, f64)>,
    /// Where the box is scrolled to.
    at: Cell<f64>,
    /// Pixels above the first row in sight if all rows had their height.
    position: Cell<f64>,
    /// Where the box was scrolled to by us.
    set: Cell<f64>,
}

impl Scroller {
    /// Over an element.
    pub fn new(element: HtmlElement) -> Self {
        Self {
            element,
            height: Cell::new(0.0),
            sideways: Cell::default(),
            at: Cell::new(0.0),
            position: Cell::new(0.0),
            set: Cell::new(0.0),
        }
    }

    /// The element.
    pub fn element(&self) -> &HtmlElement {
        &self.element
    }

    /// Pixels there are for rows.
    pub fn height(&self) -> f64 {
        self.height.get()
    }

    /// Pixels there are beside each other, and pixels the box is scrolled to the side.
    pub fn sideways(&self) -> (f64, f64) {
        self.sideways.get()
    }

    /// Reads how large the box is and where it is scrolled to.
    pub fn measure(&self) {
        let height = f64::from(self.element.client_height()) - HEAD;
        self.height.set(height.max(0.0));
        self.at.set(f64::from(self.element.scroll_top()));
        let (seen, at) = (self.element.client_width(), self.element.scroll_left());
        self.sideways.set((f64::from(seen), f64::from(at)));
    }

    /// Whether `total` rows are more than fit at their height.
    pub fn is_scaled(total: u32) -> bool {
        f64::from(total) * ROW > MOST
    }

    fn farthest(&self, total: u32) -> (f64, f64) {
        let real = f64::from(total) * ROW;
        let height = self.height();
        ((real - height).max(0.0), (real.min(MOST) - height).max(0.0))
    }

    /// Takes over where the box is scrolled to; whether that is further down, if it moved.
    pub fn follow(&self, total: u32) -> Option<bool> {
        self.measure();
        let (at, before) = (self.at.get(), self.position.get());
        let (real, shown) = self.farthest(total);
        if !Self::is_scaled(total) {
            self.position.set(at);
        } else if (at - self.set.get()).abs() > 1.0 {
            self.position.set(if at >= shown - 1.0 {
                real
            } else {
                at / shown.max(1.0) * real
            });
            self.set.set(at);
        }
        let now = self.position.get();
        (now != before).then_some(now > before)
    }

    /// Scrolls so that `position` pixels of rows are above.
    pub fn go_to(&self, position: f64, total: u32) {
        let (real, shown) = self.farthest(total);
        let position = position.clamp(0.0, real);
        self.position.set(position);
        let at = if Self::is_scaled(total) {
            let at = position / real.max(1.0) * shown;
            let inside = position > 0.0 && position < real;
            if inside && (at - self.at.get()).abs() < LAG {
                return;
            }
            at
        } else {
            position
        };
        self.element.set_scroll_top(at.round() as i32);
        self.at.set(at.round());
        self.set.set(at.round());
    }

    /// Scrolls by so many pixels of rows.
    pub fn go_by(&self, pixels: f64, total: u32) {
        self.go_to(self.position.get() + pixels, total);
    }

    /// To the first row.
    pub fn to_top(&self) {
        self.position.set(0.0);
        self.element.set_scroll_top(0);
        self.at.set(0.0);
        self.set.set(0.0);
    }

    /// Scrolls as little as needed to have a row in sight.
    pub fn reveal(&self, row: u32, total: u32) {
        let (top, height) = (f64::from(row) * ROW, self.height());
        let at = self.position.get();
        if top < at {
            self.go_to(top, total);
        } else if top + ROW > at + height {
            self.go_to(top + ROW - height, total);
        }
    }

    /// Whole rows that fit.
    pub fn page(&self) -> u32 {
        ((self.height() / ROW).floor() as u32).max(2) - 1
    }

    /// The rows in sight: first, and the one behind the last.
    pub fn in_sight(&self, total: u32) -> (u32, u32) {
        let first = (self.position.get() / ROW).floor() as u32;
        let end = ((self.position.get() + self.height()) / ROW).ceil() as u32;
        (first.min(total), end.min(total))
    }

    /// Which rows are to be in the page, and where.
    pub fn place(&self, total: u32) -> Place {
        let (seen, seen_end) = self.in_sight(total);
        let real = f64::from(total) * ROW;
        let whole = real.min(MOST);
        // As many wherever that is, but at the very end: no row is made or thrown away on the way.
        let scaled = Self::is_scaled(total);
        let spare = if scaled { 0 } else { SPARE };
        let rows = (self.height() / ROW).ceil() as u32 + 1 + 2 * spare;
        let first = seen.saturating_sub(spare);
        let end = first.saturating_add(rows).min(total);
        if !scaled {
            return Place {
                first,
                end,
                above: f64::from(first) * ROW,
                whole,
                scaled: false,
                total,
            };
        }
        let top = (self.at.get() - (self.position.get() - f64::from(seen) * ROW)).round();
        let above = ((top / ROW).floor().max(0.0) as u32).min(seen - first);
        let first = seen - above;
        let above = (top - f64::from(above) * ROW).max(0.0);
        // At the very end rows may fill the height to the last pixel.
        let room = ((whole - above) / ROW).ceil().max(0.0) as u32;
        let end = first
            .saturating_add(rows.min(room))
            .min(total)
            .max(seen_end);
        Place {
            first,
            end,
            above,
            whole,
            scaled: true,
            total,
        }
    }
}
