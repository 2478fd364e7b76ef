//! What only a person at a terminal sees: progress on standard error, colours. Through a pipe
//! neither is there.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// What is done sooner needs no progress.
const PATIENCE: Duration = Duration::from_millis(300);
/// Time between two states of progress.
const PAUSE: Duration = Duration::from_millis(100);

/// A line about what is going on, taken away when it is dropped.
pub(crate) struct Progress {
    /// When the next state may be shown; `None` when nobody sees it.
    next: Option<Instant>,
    shown: bool,
}

impl Progress {
    #[allow(clippy::disallowed_methods)] // Only this face looks at the clock.
    /// Of a longer work; `wanted` says whether this is the one to tell of.
    pub(crate) fn new(wanted: bool) -> Self {
        let seen = wanted && io::stderr().is_terminal();
        Self {
            next: seen.then(|| Instant::now() + PATIENCE),
            shown: false,
        }
    }

    /// Shows a state, if it is time for one.
    #[allow(clippy::disallowed_methods)]
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        let now = self.next.map(|_| Instant::now());
        if now.is_none() || now < self.next {
            return;
        }
        self.next = now.map(|n| n + PAUSE);
        self.shown = true;
        // Where nobody reads it, nothing can be done about it. The line is cut, not wrapped: a
        // wrapped one could not be taken away.
        let text: String = text().chars().take(76).collect();
        let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// A colour of the terminal.
#[derive(Clone, Copy)]
pub(crate) enum Colour {
    /// For what is wrong.
    Red,
    /// For what is well.
    Green,
}

/// Text for standard output in a colour, where that is a terminal whose user wants colours.
#[allow(clippy::disallowed_methods)] // Only this face looks at the environment.
pub(crate) fn coloured(text: String, colour: Colour) -> String {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
        || std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    if unwanted || !io::stdout().is_terminal() {
        return text;
    }
    let code = match colour {
        Colour::Red => 31,
        Colour::Green => 32,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
