//! The state of the view in the page's address, so that back and forward walk the selections.

use wasm_bindgen::JsValue;

use super::{dom, Result};
use crate::engine::view::ViewState;

/// What the address says.
pub fn read() -> Result<ViewState> {
    Ok(ViewState::from_fragment(&dom::window()?.location().hash()?))
}

/// A new entry, unless the address says the same already.
pub fn push(view: &ViewState) -> Result<()> {
    if read()? != *view {
        dom::window()?
            .history()?
            .push_state_with_url(&JsValue::NULL, "", Some(&address(view)))?;
    }
    Ok(())
}

/// In place of the newest entry.
pub fn replace(view: &ViewState) -> Result<()> {
    if read()? != *view {
        dom::window()?.history()?.replace_state_with_url(
            &JsValue::NULL,
            "",
            Some(&address(view)),
        )?;
    }
    Ok(())
}

fn address(view: &ViewState) -> String {
    format!("#{}", view.fragment())
}
