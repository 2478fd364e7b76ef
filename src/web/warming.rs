//! What a worker does while it waits for the first file: it reads a small plan again and again. A
//! browser begins with code that is made quickly, and makes fast code of what has run often; all
//! workers of the page have the same. Each turn is short, and the first message ends it.

use std::cell::RefCell;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Blob;

use super::worker::scope;
use super::{message, Result};
use crate::engine::explore::{Column, GroupRequest, TableName, TableRequest};
use crate::engine::protocol::Request;
use crate::engine::Session;

/// How often the plan is read: with that the loops that look at bytes have become fast.
const TURNS: u32 = 60;

thread_local! {
    static WARMING: RefCell<Option<Warming>> = const { RefCell::new(None) };
}

struct Warming {
    plan: Vec<u8>,
    turns: u32,
    turn: Closure<dyn FnMut()>,
    came: Closure<dyn FnMut(JsValue)>,
}

/// Begins with a plan.
pub fn begin(blob: &Blob) -> Result<()> {
    let warming = Warming {
        plan: Vec::new(),
        turns: TURNS,
        turn: Closure::new(|| {
            let Ok(()) = turn();
        }),
        came: Closure::new(|bytes: JsValue| {
            WARMING.with_borrow_mut(|warming| {
                if let Some(warming) = warming {
                    warming.plan = Uint8Array::new(&bytes).to_vec();
                }
            });
            let Ok(()) = turn();
        }),
    };
    let _ = blob.array_buffer().then(&warming.came);
    WARMING.set(Some(warming));
    Ok(())
}

/// There is other work.
pub fn end() {
    WARMING.with_borrow_mut(|warming| {
        if let Some(warming) = warming {
            warming.turns = 0;
        }
    });
}

fn turn() -> Result<()> {
    WARMING.with_borrow_mut(|warming| match warming {
        Some(warming) if warming.turns > 0 => {
            read(&warming.plan)?;
            warming.turns -= 1;
            let scope = scope()?;
            if warming.turns == 0 {
                scope.post_message(&message::new("warm", 0)?.into())?;
                return Ok(());
            }
            let call = warming.turn.as_ref().unchecked_ref();
            scope.set_timeout_with_callback(call)?;
            Ok(())
        }
        _ => Ok(()),
    })
}

/// What is asked of a plan that is opened, and what may come next.
fn read(plan: &[u8]) -> Result<()> {
    let mut session = Session::new();
    let mut reader = session.begin_file("", plan.len() as u64, false);
    reader.push(plan);
    let Some(graph) = session.end_file(reader) else {
        return Ok(());
    };
    let rows = |table, sort, filter: &str| {
        Request::Table(TableRequest {
            graph,
            table,
            sort: Some(sort),
            filter: filter.to_owned(),
            descending: true,
            rows: 128,
            ..TableRequest::default()
        })
    };
    for request in [
        Request::Overview { graph },
        Request::Chart {
            graph,
            first: 0,
            last: u32::MAX,
            columns: 1024,
        },
        rows(TableName::Alive, Column::Aligned, ""),
        Request::Groups(GroupRequest {
            graph,
            ..GroupRequest::default()
        }),
        Request::Safety { graph },
        rows(TableName::Tensors, Column::SizeSpan, "1"),
        rows(TableName::Tensors, Column::Name, "grad"),
    ] {
        message::encode(&session.answer(&request))?;
    }
    Ok(())
}
