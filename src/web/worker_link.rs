//! The page's side of a worker: starts it, waits until it is ready, and keeps requests in lanes: of
//! each lane one is with the worker, and of those that come meanwhile only the newest waits, so that
//! a held key or a turning wheel never makes a queue. What is done before somebody waits for it comes
//! one by one, and only while nobody asks for anything. Dropping the link ends the worker and frees its
//! memory.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Date, Function, Object, Uint8Array, Uint8ClampedArray};
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker};

use super::inputs::Input;
use super::{dom, message, Fault, Result};
use crate::engine::explore::TableName;
use crate::engine::protocol::{Graphs, Progress, Request, Response};

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The parts of a graph that is about to be shown.
    NewOverview,
    /// See [`Lane::NewOverview`].
    NewChart,
    /// See [`Lane::NewOverview`].
    NewStep,
    /// See [`Lane::NewOverview`].
    NewAlive,
    /// Columns for another window or width.
    Chart,
    /// The selected step.
    Step,
    /// The step under the pointer.
    Hover,
    /// The selected thing.
    Details,
    /// What is alive at the selected step, grouped.
    Groups,
    /// The numbers of the graph to compare with.
    Other,
    /// Its curve.
    Overlay,
    /// The link to a summary.
    Share,
    /// A picture of the memory map.
    Map,
    /// A picture of all of it.
    MapWhole,
    /// A small one.
    MapStrip,
    /// What there is to say of all of it.
    MapFacts,
    /// What the text in the search box means on it.
    MapLit,
    /// What lies under the pointer.
    MapPlace,
    /// What was clicked.
    MapClick,
    /// What is free at the chosen step.
    MapChosen,
    /// What to mark on it.
    MapMarks,
    /// What the text in the search box may mean.
    Search,
    /// What a message about memory names.
    Explain,
    /// Another base.
    Base,
    /// Rows of tables, one lane each.
    Nodes,
    /// See [`Lane::Nodes`].
    Tensors,
    /// See [`Lane::Nodes`].
    Parameters,
    /// See [`Lane::Nodes`].
    Findings,
    /// See [`Lane::Nodes`].
    Overlaps,
    /// Work done before somebody waits for it; nobody looks at the answer.
    Ahead,
    /// The verdict.
    Safety,
    /// The pair that is explained.
    Pair,
    /// The picture of overlaps.
    OverlapMap,
    /// See [`Lane::Nodes`].
    Alive,
    /// The verdict of one of several graphs.
    Judge,
    /// Names of the result files.
    ResultFiles,
    /// Their bytes.
    Piece,
}

impl Lane {
    /// Whether it belongs to a graph that is about to be shown.
    pub fn is_new(self) -> bool {
        matches!(
            self,
            Self::NewOverview | Self::NewChart | Self::NewStep | Self::NewAlive
        )
    }

    /// The lane of a table.
    pub fn of_table(table: TableName) -> Self {
        match table {
            TableName::Nodes => Self::Nodes,
            TableName::Tensors => Self::Tensors,
            TableName::Parameters => Self::Parameters,
            TableName::Alive => Self::Alive,
            TableName::Findings => Self::Findings,
            TableName::Overlaps => Self::Overlaps,
        }
    }
}

const LANES: usize = Lane::Piece as usize + 1;

/// Milliseconds in which nobody asked for anything, before something is done ahead.
const QUIET: f64 = 1000.0;

/// What is under way in a lane.
#[derive(Default)]
struct Traffic {
    asked: Option<u32>,
    next: Option<(u32, Object)>,
}

fn no_traffic() -> [Traffic; LANES] {
    std::array::from_fn(|_| Traffic::default())
}

/// What comes from the worker.
pub enum Event {
    /// Bytes read.
    Progress(Progress),
    /// Everything is read.
    Opened(Graphs),
    /// To a request of a lane.
    Answer(Lane, Response),
    /// The SHA-256 of a file.
    Hashed(Vec<u8>),
    /// The same, with pixels.
    Picture(Lane, Response, Uint8ClampedArray),
    /// The worker has run what reading a plan runs.
    Warm,
    /// The worker is of no more use.
    Fatal(String),
}

type Handler = Closure<dyn FnMut(web_sys::Event)>;

/// One worker.
pub struct WorkerLink {
    worker: Worker,
    waiting: RefCell<Option<Vec<Object>>>,
    next: Cell<u32>,
    lanes: RefCell<[Traffic; LANES]>,
    order: RefCell<Vec<(u32, Lane)>>,
    /// What is to be asked when nobody waits for anything.
    ahead: RefCell<VecDeque<(Lane, Request)>>,
    /// When somebody asked last, milliseconds.
    asked_at: Cell<f64>,
    timer: Closure<dyn FnMut()>,
    /// Of the browser; 0 while none runs.
    timer_runs: Cell<i32>,
    handlers: RefCell<Vec<Handler>>,
}

impl WorkerLink {
    /// Starts a worker. `hear` gets its events, with the link they come from.
    pub fn start(
        start_worker: &Function,
        hear: impl Fn(&Rc<Self>, Event) -> Result<()> + 'static,
    ) -> Result<Rc<Self>> {
        let worker: Worker = start_worker
            .call0(&JsValue::NULL)?
            .dyn_into()
            .map_err(|_| Fault::new("no worker was started"))?;
        let link = Rc::new_cyclic(|weak: &std::rc::Weak<Self>| Self {
            worker,
            waiting: RefCell::new(Some(Vec::new())),
            next: Cell::new(1),
            lanes: RefCell::new(no_traffic()),
            order: RefCell::default(),
            ahead: RefCell::default(),
            asked_at: Cell::default(),
            timer: {
                let weak = weak.clone();
                Closure::new(move || {
                    if let Some(link) = weak.upgrade() {
                        link.timer_runs.set(0);
                        let Ok(()) = link.go_ahead();
                    }
                })
            },
            timer_runs: Cell::default(),
            handlers: RefCell::default(),
        });
        let hear = Rc::new(hear);
        let weak = Rc::downgrade(&link);
        let heard = hear.clone();
        let on_message = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let Some(link) = weak.upgrade() else { return };
            let data = event.unchecked_into::<MessageEvent>().data();
            let Ok(event) = link.event(&data);
            if let Some(event) = event {
                let Ok(()) = heard(&link, event);
                let Ok(()) = link.go_ahead();
            }
        });
        let weak = Rc::downgrade(&link);
        let on_error = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let Some(link) = weak.upgrade() else { return };
            event.prevent_default();
            let text = event
                .dyn_ref::<ErrorEvent>()
                .map_or_else(String::new, ErrorEvent::message);
            let Ok(()) = hear(&link, Event::Fatal(text));
        });
        link.worker
            .set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        link.worker
            .set_onerror(Some(on_error.as_ref().unchecked_ref()));
        link.handlers.borrow_mut().extend([on_message, on_error]);
        Ok(link)
    }

    /// Has the worker read files.
    pub fn open(&self, inputs: &[Input]) -> Result<()> {
        self.post(files_message(0, inputs)?)
    }

    /// Has the worker read a file before it answers a request.
    pub fn ask_after(&self, lane: Lane, input: &Input, request: &Request) -> Result<()> {
        let id = self.next.replace(self.next.get().wrapping_add(1));
        let message = files_message(id, std::slice::from_ref(input))?;
        message::set(&message, "request", &message::encode(request)?)?;
        self.send(lane, id, message)
    }

    /// Has the worker compute the SHA-256 of a file.
    pub fn hash(&self, blob: &Blob) -> Result<()> {
        let message = message::new("hash", 0)?;
        message::set(&message, "blob", blob)?;
        self.post(message)
    }

    /// Has the worker run what reading a plan runs, on a plan that nobody waits for.
    pub fn warm(&self, blob: &Blob) -> Result<()> {
        let message = message::new("warm", 0)?;
        message::set(&message, "blob", blob)?;
        self.post(message)
    }

    /// Asks when nobody has asked for anything for a while; then no other of the lane waits.
    pub fn ask_ahead(&self, lane: Lane, request: Request) -> Result<()> {
        let mut ahead = self.ahead.borrow_mut();
        ahead.retain(|(other, _)| *other != lane);
        ahead.push_back((lane, request));
        drop(ahead);
        self.go_ahead()
    }

    /// Asks for the next thing that nobody waits for, if nobody waits for another one.
    fn go_ahead(&self) -> Result<()> {
        if self.ahead.borrow().is_empty() || !self.order.borrow().is_empty() {
            return Ok(());
        }
        let quiet = Date::now() - self.asked_at.get();
        if (0.0..QUIET).contains(&quiet) {
            if self.timer_runs.get() == 0 {
                let call = self.timer.as_ref().unchecked_ref();
                let (window, rest) = (dom::window()?, (QUIET - quiet) as i32);
                let timer =
                    window.set_timeout_with_callback_and_timeout_and_arguments_0(call, rest)?;
                self.timer_runs.set(timer);
            }
            return Ok(());
        }
        let next = self.ahead.borrow_mut().pop_front();
        next.map_or(Ok(()), |(lane, request)| self.ask_now(lane, &request))
    }

    /// Whether the worker has been asked and has not answered.
    pub fn is_asked(&self, lane: Lane) -> bool {
        let lanes = self.lanes.borrow();
        lanes.get(lane as usize).is_some_and(|l| l.asked.is_some())
    }

    /// Asks; the answer comes as an event unless the lane is asked again before its turn comes.
    pub fn ask(&self, lane: Lane, request: &Request) -> Result<()> {
        self.asked_at.set(Date::now());
        self.ahead.borrow_mut().retain(|(other, _)| *other != lane);
        self.ask_now(lane, request)
    }

    fn ask_now(&self, lane: Lane, request: &Request) -> Result<()> {
        let id = self.next.replace(self.next.get().wrapping_add(1));
        let message = message::new("ask", id)?;
        message::set(&message, "request", &message::encode(request)?)?;
        self.send(lane, id, message)
    }

    fn send(&self, lane: Lane, id: u32, message: Object) -> Result<()> {
        let message = match self.lanes.borrow_mut().get_mut(lane as usize) {
            Some(traffic) if traffic.asked.is_some() => {
                traffic.next = Some((id, message));
                return Ok(());
            }
            Some(traffic) => {
                traffic.asked = Some(id);
                message
            }
            None => return Ok(()),
        };
        self.order.borrow_mut().push((id, lane));
        self.post(message)
    }

    /// Waits for no answer about a graph any more; what is being saved goes on.
    pub fn forget(&self) {
        self.ahead.borrow_mut().clear();
        let mut lanes = self.lanes.borrow_mut();
        let shown = lanes.iter_mut().take(Lane::Piece as usize);
        shown.for_each(|traffic| *traffic = Traffic::default());
    }

    fn post(&self, message: Object) -> Result<()> {
        match self.waiting.borrow_mut().as_mut() {
            Some(waiting) => waiting.push(message),
            None => self.worker.post_message(&message)?,
        }
        Ok(())
    }

    fn event(&self, data: &JsValue) -> Result<Option<Event>> {
        Ok(match message::text(data, "kind")?.as_str() {
            "ready" => {
                for message in self.waiting.take().into_iter().flatten() {
                    self.worker.post_message(&message)?;
                }
                None
            }
            "progress" => {
                let progress = message::get(data, "progress")?;
                Some(Event::Progress(Progress {
                    name: message::text(&progress, "name")?,
                    read: message::number(&progress, "read")?,
                    total: message::number(&progress, "total")?,
                }))
            }
            "opened" => match message::decode(message::get(data, "response")?)? {
                Response::Graphs(graphs) => Some(Event::Opened(graphs)),
                _ => Fault::throw("opening gave no list of graphs"),
            },
            "answer" => match self.lane_of(data)? {
                Some(lane) => {
                    let response = message::decode(message::get(data, "response")?)?;
                    Some(match message::get(data, "pixels")?.dyn_into() {
                        Ok(pixels) => Event::Picture(lane, response, pixels),
                        Err(_) => Event::Answer(lane, response),
                    })
                }
                None => None,
            },
            "warm" => Some(Event::Warm),
            "hashed" => Some(Event::Hashed(
                Uint8Array::new(&message::get(data, "hash")?).to_vec(),
            )),
            other => Fault::throw(format!("unknown message {other}")),
        })
    }

    /// The lane of an answer; nothing when it is not waited for any more. What waits in the lane
    /// is asked now.
    fn lane_of(&self, data: &JsValue) -> Result<Option<Lane>> {
        let id = message::number(data, "id")? as u32;
        let lane = {
            let mut order = self.order.borrow_mut();
            let Some(place) = order.iter().position(|(asked, _)| *asked == id) else {
                return Ok(None);
            };
            order.swap_remove(place).1
        };
        let next = match self.lanes.borrow_mut().get_mut(lane as usize) {
            Some(traffic) if traffic.asked == Some(id) => {
                let next = traffic.next.take();
                traffic.asked = next.as_ref().map(|(id, _)| *id);
                next
            }
            _ => return Ok(None),
        };
        if let Some((id, message)) = next {
            self.order.borrow_mut().push((id, lane));
            self.post(message)?;
        }
        Ok(Some(lane))
    }
}

/// What has the worker read files.
fn files_message(id: u32, inputs: &[Input]) -> Result<Object> {
    let files = js_sys::Array::new();
    for input in inputs {
        let file = Object::new();
        message::set(&file, "name", &input.name.as_str().into())?;
        message::set(&file, "blob", &input.blob)?;
        message::set(&file, "partial", &input.partial.into())?;
        files.push(&file);
    }
    let total: f64 = inputs.iter().map(|i| i.blob.size()).sum();
    let message = message::new("open", id)?;
    message::set(&message, "files", &files)?;
    message::set(&message, "total", &total.into())?;
    Ok(message)
}

impl Drop for WorkerLink {
    fn drop(&mut self) {
        let Ok(window) = dom::window();
        window.clear_timeout_with_handle(self.timer_runs.get());
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
