//! Preferences of the view, remembered where the browser allows it.

use super::dom;

fn storage() -> Option<web_sys::Storage> {
    // A blocked storage is an error or nothing: then a preference lasts until the page is closed.
    dom::window().ok()?.local_storage().ok()?
}

/// What was remembered.
pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(&format!("somascope.{key}")).ok()?
}

/// Remembers.
pub fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // A full or closed storage does not matter.
        let _ = storage.set_item(&format!("somascope.{key}"), value);
    }
}
