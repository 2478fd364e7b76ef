//! Messages as bytes: the same as the crate whose format it is writes, and back; bytes that are no message are said
//! to be none.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use somascope::engine::explore::{GroupBy, GroupRequest, Narrow};
use somascope::engine::wire::{self, Malformed};
use somascope::engine::{Request, Response, Session};

use crate::properties::{check, Outcome};
use crate::support::small_dumps;

fn written<T: Serialize>(value: &T) -> Vec<u8> {
    wire::write::<T, std::fmt::Error>(value).unwrap()
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Malformed> {
    wire::read(bytes)
}

/// Every shape that a message can have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Shapes {
    numbers: (u8, u16, u32, u64),
    signed: (i16, i32, i64),
    real: f64,
    flag: bool,
    text: String,
    perhaps: Option<Option<u64>>,
    list: Vec<(u16, Option<String>)>,
    kinds: Vec<Kind>,
    boxed: Box<Wrapped>,
    fixed: [u8; 3],
    names: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(u64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Two(u64, String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Plain,
    New(Two),
    Pair(i32, bool),
    Named { at: u64, name: String },
}

fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(n, shift)| n >> shift)
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Plain),
        (number(), "\\PC*").prop_map(|(n, t)| Kind::New(Two(n, t))),
        any::<(i32, bool)>().prop_map(|(n, flag)| Kind::Pair(n, flag)),
        (number(), "\\PC*").prop_map(|(at, name)| Kind::Named { at, name }),
    ]
}

fn shapes() -> impl Strategy<Value = Shapes> {
    let first = (
        (any::<u8>(), any::<u16>(), any::<u32>(), number()),
        (any::<i16>(), any::<i32>(), any::<i64>()),
        // Not a number is like no other, itself included.
        any::<f64>().prop_filter("a number", |n| !n.is_nan()),
        any::<bool>(),
        "\\PC*",
    );
    let second = (
        proptest::option::of(proptest::option::of(number())),
        proptest::collection::vec((any::<u16>(), proptest::option::of("\\PC*")), 0..200),
        proptest::collection::vec(kind(), 0..5),
        number(),
        any::<[u8; 3]>(),
        proptest::collection::btree_map("\\PC*", number(), 0..4),
    );
    (first, second).prop_map(
        |((numbers, signed, real, flag, text), (perhaps, list, kinds, boxed, fixed, names))| {
            Shapes {
                numbers,
                signed,
                real,
                flag,
                text,
                perhaps,
                list,
                kinds,
                boxed: Box::new(Wrapped(boxed)),
                fixed,
                names,
            }
        },
    )
}

#[test]
fn every_shape_is_written_as_the_format_says_and_read_back() {
    let show = |value: &Shapes| format!("{value:?}");
    check(256, shapes(), show, |value| -> Outcome {
        let bytes = written(value);
        prop_assert_eq!(&bytes, &postcard::to_allocvec(value).unwrap());
        prop_assert_eq!(&read::<Shapes>(&bytes).unwrap(), value);
        Ok(())
    });
}

#[test]
fn bytes_that_are_too_few_or_too_many_are_no_message() {
    let show = |value: &Shapes| format!("{value:?}");
    check(32, shapes(), show, |value| -> Outcome {
        let mut bytes = written(value);
        for length in 0..bytes.len() {
            prop_assert_eq!(read::<Shapes>(&bytes[..length]), Err(Malformed));
        }
        bytes.push(0);
        prop_assert_eq!(read::<Shapes>(&bytes), Err(Malformed));
        Ok(())
    });
}

#[test]
fn other_bytes_are_read_as_the_crate_reads_them_or_refused() {
    let bytes = proptest::collection::vec(any::<u8>(), 0..40);
    let show = |bytes: &Vec<u8>| format!("{bytes:?}");
    type Loose = (bool, u16, Vec<Kind>, Option<String>, i64);
    check(20_000, bytes, show, |bytes| -> Outcome {
        let crates = postcard::take_from_bytes::<Loose>(bytes);
        match (crates, read::<Loose>(bytes)) {
            (Ok((value, [])), ours) => prop_assert_eq!(ours, Ok(value)),
            // Zeros on top of a number, as many as there is room for, are the same number.
            (_, Ok(ours)) => prop_assert!(written(&ours).len() < bytes.len()),
            (_, Err(Malformed)) => {}
        }
        Ok(())
    });
}

#[test]
fn a_number_too_large_for_its_place_is_refused() {
    let over = written(&(u64::from(u32::MAX) + 1));
    assert_eq!(read::<u64>(&over), Ok(1 << 32));
    assert_eq!(read::<u32>(&over), Err(Malformed));
    assert_eq!(read::<u16>(&written(&65_536u32)), Err(Malformed));
    assert_eq!(read::<u64>(&written(&u64::MAX)), Ok(u64::MAX));
    // The tenth byte has room for one bit.
    let mut bits = [0xffu8; 10];
    bits[9] = 2;
    assert_eq!(read::<u64>(&bits), Err(Malformed));
    assert_eq!(read::<bool>(&[2]), Err(Malformed));
    assert_eq!(read::<Kind>(&[4]), Err(Malformed));
    assert_eq!(read::<String>(&[1, 0xff]), Err(Malformed));
    // A length that lies: nothing is reserved for it.
    assert_eq!(
        read::<Vec<u64>>(&[0xff, 0xff, 0xff, 0xff, 0x0f]),
        Err(Malformed)
    );
}

#[test]
fn answers_of_a_session_are_written_as_the_format_says_and_read_back() {
    let mut kinds = 0;
    for (path, bytes) in small_dumps() {
        let mut session = Session::new();
        let mut file = session.begin_file("a.ir", bytes.len() as u64, false);
        file.push(&bytes);
        let Some(graph) = session.end_file(file) else {
            continue;
        };
        let groups = GroupRequest {
            graph,
            step: 0,
            by: GroupBy::Layer,
            narrow: Narrow::default(),
        };
        for request in [
            Request::Graphs,
            Request::Overview { graph },
            Request::Chart {
                graph,
                first: 0,
                last: 9,
                columns: 10,
            },
            Request::Step { graph, step: 0 },
            Request::Groups(groups),
            Request::Tensor { graph, id: 1 },
            Request::Node { graph, step: 0 },
            Request::Safety { graph },
            Request::MapFacts { graph, key: 0 },
            Request::Search {
                graph,
                text: "1".into(),
                size: None,
            },
        ] {
            let sent = written(&request);
            assert_eq!(sent, postcard::to_allocvec(&request).unwrap());
            let request: Request = read(&sent).unwrap();
            let answer = session.answer(&request);
            let sent = written(&answer);
            assert_eq!(sent, postcard::to_allocvec(&answer).unwrap(), "{path:?}");
            let back: Response = read(&sent).unwrap();
            assert_eq!(written(&back), sent, "{path:?}");
            kinds += 1;
        }
    }
    assert!(kinds >= 100, "{kinds} answers");
}
