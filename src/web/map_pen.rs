//! What is drawn above the pixels of the memory map, in CSS pixels: axes, names, lines, marks.

use web_sys::HtmlCanvasElement;

use super::charts::{pixel_ratio, FONT};
use super::ink::{colour, Ink};
use super::strip::context_of;
use super::Result;
use crate::engine::map::{MapLabel, MapMarks, MapRect};
use crate::engine::view::Thing;
use crate::report::chart::axis::{step_ticks, ByteScale};
use crate::report::figure::bytes;

/// Room of the axis of bytes and of that of steps, as in the style sheet.
const LEFT: f64 = 84.0;
const BELOW: f64 = 20.0;

/// Boxes that are less wide or high than so many pixels are filled where others have an outline.
const SMALL: f64 = 6.0;

/// The name of a box, and how wide it and its beginning are once that was measured.
pub struct Label {
    of: MapLabel,
    texts: [String; 2],
    wide: Option<[f64; 2]>,
}

impl Label {
    /// Makes one.
    pub fn new(of: MapLabel) -> Self {
        let id = Thing::Tensor(of.rect.id).key();
        Self {
            texts: [format!("{id} {}", of.name), id],
            of,
            wide: None,
        }
    }
}

/// Draws on a window of the map.
pub struct Pen {
    ink: Ink,
    high: f64,
    window: [f64; 4],
}

impl Pen {
    /// Wipes a canvas. `size` is that of the pixels below it.
    pub fn of(
        canvas: &HtmlCanvasElement,
        (width, high): (f64, f64),
        window: [f64; 4],
    ) -> Result<Self> {
        let (context, scale) = (context_of(canvas)?, pixel_ratio());
        let pixels = |css: f64| (css * scale).round() as u32;
        let now = (pixels(width + LEFT), pixels(high + BELOW));
        if now == (canvas.width(), canvas.height()) {
            // Wiping takes less than new pixels.
            context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0)?;
            context.clear_rect(0.0, 0.0, f64::from(now.0), f64::from(now.1));
        } else {
            canvas.set_width(now.0);
            canvas.set_height(now.1);
        }
        context.scale(scale, scale)?;
        context.set_font(&format!("11px {FONT}"));
        Ok(Self {
            ink: Ink { context, width },
            high,
            window,
        })
    }

    /// Draws within the pixels only.
    pub fn clipped(&self, draw: impl FnOnce() -> Result<()>) -> Result<()> {
        let context = &self.ink.context;
        context.save();
        context.begin_path();
        context.rect(LEFT, 0.0, self.ink.width, self.high);
        context.clip();
        draw()?;
        context.restore();
        Ok(())
    }

    fn x(&self, step: f64) -> f64 {
        let [left, right, ..] = self.window;
        LEFT + (step - left) / (right - left) * self.ink.width
    }

    fn y(&self, byte: f64) -> f64 {
        let [_, _, bottom, top] = self.window;
        self.high - (byte - bottom) / (top - bottom) * self.high
    }

    /// Ticks and their labels.
    pub fn axes(&self) -> Result<()> {
        let [left, right, bottom, top] = self.window;
        let (dim, high) = (colour("--dim"), self.high);
        let last = (right.ceil() - 1.0).max(0.0) as u32;
        for step in step_ticks(
            left.max(0.0) as u32,
            last,
            (self.ink.width / 110.0) as usize,
        ) {
            let x = self.x(f64::from(step) + 0.5);
            if !(LEFT..=LEFT + self.ink.width).contains(&x) {
                continue;
            }
            self.ink
                .line(&[(x, high), (x, high + 4.0)], &dim, 1.0, 0.0)?;
            let text = format!("${step}");
            self.ink.text(&text, (x, high + 15.0), &dim, "center")?;
        }
        // In the unit of what is in sight, so that ticks are round.
        let scale = ByteScale::new(top - bottom, (high / 48.0) as usize);
        let step = scale.ticks.get(1).copied().unwrap_or(1.0).max(1.0);
        // Where four digits do not tell ticks apart, the address does: at round ones.
        let is_fine = step < top / 4000.0;
        let step = match is_fine {
            true => step.log2().ceil().exp2(),
            false => step,
        };
        let mut at = (bottom / step).ceil() * step;
        while at <= top {
            let y = self.y(at);
            self.ink
                .line(&[(LEFT - 4.0, y), (LEFT, y)], &dim, 1.0, 0.0)?;
            let text = match is_fine {
                true => format!("{:#x}", at as u64),
                false => scale.label(at),
            };
            let place = (LEFT - 7.0, (y + 4.0).max(9.0));
            self.ink.text(&text, place, &dim, "end")?;
            at += step;
        }
        Ok(())
    }

    /// A text that can be read on any ground.
    fn tag(&self, text: &str, at: (f64, f64), name: &str) -> Result<()> {
        self.written(text, at, &colour(name), &colour("--card"))
    }

    /// A text with its ground around it.
    fn written(&self, text: &str, (x, y): (f64, f64), colour: &str, ground: &str) -> Result<()> {
        let context = &self.ink.context;
        context.set_line_join("round");
        context.set_line_width(3.0);
        context.set_stroke_style_str(ground);
        // The ground of the text lies under it, whatever was written before.
        context.set_text_align("start");
        context.stroke_text(text, x, y)?;
        self.ink.text(text, (x, y), colour, "start")
    }

    /// A line across at a byte; the place of its caption, if it is in sight.
    pub fn level(&self, byte: f64, name: &str) -> Result<Option<f64>> {
        let y = self.y(byte);
        if !(0.0..=self.high).contains(&y) {
            return Ok(None);
        }
        // On a row of pixels, so that it is sharp.
        let row = y.floor() + 0.5;
        let ends = [(LEFT, row), (LEFT + self.ink.width, row)];
        self.ink.line(&ends, &colour("--card"), 3.0, 0.0)?;
        self.ink.line(&ends, &colour(name), 1.0, 5.0)?;
        Ok(Some(y))
    }

    /// A text at the right end of a line, where few names of boxes are. `told` is where the others
    /// begin.
    pub fn caption(
        &self,
        y: f64,
        text: &str,
        name: &str,
        told: &mut Vec<(f64, f64)>,
    ) -> Result<()> {
        let y = if y < 14.0 { y + 12.0 } else { y - 4.0 };
        // Beside those that are in the way.
        let beside = told.iter().filter(|other| (other.1 - y).abs() < 13.0);
        let end = beside
            .map(|other| other.0 - 14.0)
            .fold(LEFT + self.ink.width - 6.0, f64::min);
        let x = end - self.ink.measure(text);
        told.push((x, y));
        self.tag(text, (x, y), name)
    }

    /// What there is to say where nothing is drawn.
    pub fn nothing(&self, text: &str) -> Result<()> {
        let middle = (LEFT + self.ink.width / 2.0, self.high / 2.0);
        self.ink.text(text, middle, &colour("--dim"), "center")
    }

    /// Bytes at all steps.
    pub fn band(&self, (start, end): (f64, f64)) {
        self.brush([-2.0, self.y(end), self.ink.width + 2.0, self.y(start)]);
    }

    /// What is free at the chosen step: a line, brackets, and the size of the largest hole.
    pub fn holes(&self, step: u32, free: &[(u64, u64)]) -> Result<()> {
        let x = self.x(f64::from(step) + 0.5);
        if !(LEFT..=LEFT + self.ink.width).contains(&x) {
            return Ok(());
        }
        let [ink, card, accent] = ["--ink", "--card", "--accent"].map(colour);
        self.ink
            .line(&[(x, 0.0), (x, self.high)], &accent, 1.5, 0.0)?;
        let mut lines = Vec::new();
        for (place, (start, end)) in free.iter().enumerate() {
            let (y0, y1) = (self.y(*end as f64).max(-9.0), self.y(*start as f64));
            let y1 = y1.min(self.high + 9.0);
            if y1 - y0 >= 3.0 {
                let (left, y0, y1) = (x - 6.0, y0 + 1.0, y1 - 1.0);
                let wide = if place == 0 { 2.0 } else { 1.0 };
                lines.push(([(x, y0), (left, y0), (left, y1), (x, y1)], wide));
            }
        }
        for (colour, more) in [(&card, 2.0), (&ink, 0.0)] {
            for (line, wide) in &lines {
                self.ink.line(line, colour, wide + more, 0.0)?;
            }
        }
        // The first one is the largest.
        let Some((start, end)) = free.first() else {
            return Ok(());
        };
        let y0 = self.y(*end as f64).max(0.0);
        let y1 = self.y(*start as f64).min(self.high);
        if y1 - y0 < 12.0 {
            return Ok(());
        }
        let text = bytes(end - start);
        let wide = self.ink.measure(&text);
        let at = match x + 9.0 + wide > LEFT + self.ink.width {
            true => x - 11.0 - wide,
            false => x + 9.0,
        };
        self.tag(&text, (at, (y0 + y1) / 2.0 + 4.0), "--ink")
    }

    /// Where a box is seen: x, y, width, height.
    fn place(&self, rect: &MapRect) -> (f64, f64, f64, f64) {
        let x0 = self.x(f64::from(rect.steps.0));
        let x1 = self.x(f64::from(rect.steps.1) + 1.0);
        let (y0, y1) = (self.y(rect.bytes.1 as f64), self.y(rect.bytes.0 as f64));
        (x0, y0, x1 - x0, y1 - y0)
    }

    /// The name of a box, where it fits; with a ground of its own where there are stripes.
    pub fn label(&self, label: &mut Label) -> Result<()> {
        let (x, y, wide, high) = self.place(&label.of.rect);
        let (from, to) = (x.max(LEFT), (x + wide).min(LEFT + self.ink.width));
        let (top, bottom) = (y.max(0.0), (y + high).min(self.high));
        if to - from < 20.0 || bottom - top < 13.0 {
            return Ok(());
        }
        let texts = &label.texts;
        let measured = || texts.each_ref().map(|text| self.ink.measure(text));
        let wide = *label.wide.get_or_insert_with(measured);
        let room = to - from - 8.0;
        let [full, id] = texts;
        let text = if wide[0] <= room {
            full
        } else if wide[1] <= room {
            // As much of the name as there is room for, if that is more than its first letters.
            let letters = (room / wide[0] * full.chars().count() as f64) as usize;
            let begin: String = full.chars().take(letters.saturating_sub(2)).collect();
            match begin.len() > id.len() + 4 {
                true => &format!("{begin}…"),
                false => id,
            }
        } else {
            return Ok(());
        };
        let place = (from + 4.0, (top + bottom) / 2.0 + 4.0);
        let (colour, ground) = match label.of.dark {
            true => ("#000", "#fff"),
            false => ("#fff", "#000"),
        };
        match label.of.striped {
            true => self.written(text, place, colour, ground),
            false => self.ink.text(text, place, colour, "start"),
        }
    }

    /// Boxes that are lit: small ones filled, as an outline would be all there is to see of them.
    pub fn lit(&self, rects: &[MapRect]) {
        let context = &self.ink.context;
        let ink = colour("--ink");
        for small in [false, true] {
            context.begin_path();
            for (x, y, wide, high) in rects.iter().map(|rect| self.place(rect)) {
                let inside =
                    x < LEFT + self.ink.width && x + wide > LEFT && y < self.high && y + high > 0.0;
                if inside && (wide.min(high) < SMALL) == small {
                    context.rect(x, y, wide.max(2.0), high.max(2.0));
                }
            }
            if small {
                context.set_fill_style_str(&ink);
                context.fill();
            } else {
                for (colour, wide) in [(&colour("--card"), 3.0), (&ink, 1.5)] {
                    context.set_stroke_style_str(colour);
                    context.set_line_width(wide);
                    context.stroke();
                }
            }
        }
    }

    /// The box that will be zoomed to.
    pub fn brush(&self, [x0, y0, x1, y1]: [f64; 4]) {
        let accent = colour("--accent");
        let place = (
            LEFT + x0.min(x1),
            y0.min(y1),
            (x1 - x0).abs(),
            (y1 - y0).abs(),
        );
        self.ink.fill(place, &accent, 0.15);
        self.ink.outline(place, &accent);
    }

    /// The marked tensor, who held its bytes before and after it, its producer and its readers.
    pub fn marks(&self, marks: &MapMarks) -> Result<()> {
        let ink = colour("--ink");
        let corners = |(x, y, w, h): (f64, f64, f64, f64)| {
            vec![(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]
        };
        for near in marks.near.iter().flatten() {
            let (x, y, wide, high) = self.place(near);
            // Two sides so near to each other are one line.
            let around = match wide.min(high) < SMALL {
                true if wide > high => vec![(x, y + high / 2.0), (x + wide, y + high / 2.0)],
                true => vec![(x + wide / 2.0, y), (x + wide / 2.0, y + high)],
                false => corners((x, y, wide, high)),
            };
            self.ink.line(&around, &ink, 2.0, 3.0)?;
            if wide > 40.0 {
                let below = (y + high + 11.0).min(self.high - 3.0);
                let place = (x.max(LEFT) + 3.0, below);
                self.tag(&Thing::Tensor(near.id).key(), place, "--ink")?;
            }
        }
        let (x, y, wide, high) = self.place(&marks.own);
        let (wide, high) = (wide.max(3.0), high.max(3.0));
        let accent = colour("--accent");
        let around = corners((x, y, wide, high));
        if wide.min(high) < SMALL {
            self.ink.line(&around, &colour("--card"), 3.0, 0.0)?;
            self.ink.fill((x, y, wide, high), &accent, 1.0);
        } else {
            self.ink.line(&around, &colour("--card"), 5.0, 0.0)?;
            self.ink.line(&around, &accent, 2.5, 0.0)?;
        }
        // Where the box ends at the border, they reach into it.
        let (above, below) = ((y - 7.0).max(0.0), (y + high).min(self.high - 7.0));
        if above >= self.high || below <= -7.0 {
            return Ok(());
        }
        let tick = |step: u32, y: f64| {
            let x = self.x(f64::from(step) + 0.5);
            let ends = [(x, y), (x, y + 7.0)];
            self.ink.line(&ends, &colour("--card"), 4.0, 0.0)?;
            self.ink.line(&ends, &accent, 2.0, 0.0)
        };
        for &step in &marks.readers {
            tick(step, below)?;
        }
        match marks.producer {
            Some(step) => tick(step, above),
            None => Ok(()),
        }
    }
}
