//! The page and its worker: everything is in `somascope::web`, entered from `static/boot.js`.

use somascope as _;

fn main() {}
