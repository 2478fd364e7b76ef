//! The state of the view in the page's address, so that back and forward walk the selections.

use wasm_bindgen::JsValue;

use super::{dom, Result};
use crate::engine::view::ViewState;

/// What the address says.
pub fn read() -> Result<ViewState> {
    Ok(ViewState::from_fragment(&dom::window()?.location().hash()?))
}

/// The text of a link in the address.
pub fn link() -> Result<Option<String>> {
    let hash = dom::window()?.location().hash()?;
    Ok(super::linked::fragment_in(&hash).map(str::to_owned))
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

/// In place of the newest entry, also of a link's.
pub fn replace(view: &ViewState) -> Result<()> {
    if read()? != *view || link()?.is_some() {
        dom::window()?.history()?.replace_state_with_url(
            &JsValue::NULL,
            "",
            Some(&address(view)),
        )?;
    }
    Ok(())
}

/// Goes to a link as if it had been typed into the address.
pub fn go_to_link(link: &str) -> Result<()> {
    let location = dom::window()?.location();
    Ok(location.set_hash(&["s=", link].concat())?)
}

fn address(view: &ViewState) -> String {
    format!("#{}", view.fragment())
}
