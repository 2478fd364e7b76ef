//! Words of the page.

use super::catalogue;

catalogue! {
    /// Words of the page.
    pub enum Word {
        Title { en: "somascope", zh: "somascope" }
    }
}
