//! The small lines of a dump, with nom: lists, groups, blocks, events, the total.

use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::{char, space0};
use nom::combinator::{all_consuming, map_opt, rest};
use nom::multi::{many0, many1};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

type Out<'a, T> = IResult<&'a [u8], T>;

fn number(i: &[u8]) -> Out<'_, u64> {
    map_opt(
        take_while1(|b: u8| b.is_ascii_digit()),
        |digits: &[u8]| super::token::whole_number(digits).ok().flatten(),
    )
    .parse(i)
}

fn separators(i: &[u8]) -> Out<'_, &[u8]> {
    take_while(|b: u8| matches!(b, b' ' | b',' | b'\t')).parse(i)
}

fn tensor(i: &[u8]) -> Out<'_, u64> {
    terminated(delimited(char('%'), number, char('T')), separators).parse(i)
}

/// `union tensors: [%7T %9T ]` or `contiguous tensors: [...]`, by `lead`; blanks or commas between.
pub(crate) fn tensor_list(lead: &str, line: &[u8]) -> Option<Vec<u64>> {
    let list = delimited(
        (separators, char('['), separators),
        many0(tensor),
        (char(']'), separators),
    );
    finish(preceded((tag(lead.as_bytes()), char(':')), list).parse(line))
}

/// `refnode input-output:%7T %9T %10T `.
pub(crate) fn ref_list(line: &[u8]) -> Option<Vec<u64>> {
    finish(
        preceded(
            (tag(&b"refnode input-output:"[..]), separators),
            many0(tensor),
        )
        .parse(line),
    )
}

/// `stm0 stm3 `: stream numbers.
pub(crate) fn stream_group(line: &[u8]) -> Option<Vec<u64>> {
    finish(many1(delimited((space0, tag(&b"stm"[..])), number, separators)).parse(line))
}

/// `4096<TAB>512`: start and size of a merged block.
pub(crate) fn block(line: &[u8]) -> Option<(u64, u64)> {
    finish((number, preceded(char('\t'), terminated(number, separators))).parse(line))
}

/// `event_id:0 send:NAME recv:NAME`.
pub(crate) fn event(line: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let send = preceded(tag(&b" send:"[..]), take_until(&b" recv:"[..]));
    finish(
        (
            preceded(tag(&b"event_id:"[..]), number),
            send,
            preceded(tag(&b" recv:"[..]), rest),
        )
            .parse(line),
    )
}

/// `Total Memory Size after reused:123`, and what stands behind it on the same line: the first
/// section of a second copy, where a file was written twice without a line end between.
pub(crate) fn total(line: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = preceded(
        (tag(&b"Total Memory Size after reused:"[..]), space0),
        terminated(number, separators),
    );
    let (behind, value) = value.parse(line).ok()?;
    (behind.is_empty() || behind.starts_with(b"All ")).then_some((value, behind))
}

fn finish<'a, T>(result: Out<'a, T>) -> Option<T> {
    let (left, value) = result.ok()?;
    all_consuming(separators).parse(left).ok()?;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_with_any_separator() {
        for text in [
            "union tensors: [%7T %9T ]",
            "union tensors: [%7T, %9T, ]",
            "union tensors:[%7T,%9T]",
            "union tensors: [%7T %9T] \t",
        ] {
            assert_eq!(
                tensor_list("union tensors", text.as_bytes()),
                Some(vec![7, 9]),
                "{text}"
            );
        }
        assert_eq!(
            tensor_list("union tensors", b"union tensors: []"),
            Some(vec![])
        );
        assert_eq!(
            tensor_list("union tensors", b"union tensors: [%7T %9"),
            None
        );
        assert_eq!(tensor_list("union tensors", b"union tensors: [%7P ]"), None);
        assert_eq!(ref_list(b"refnode input-output:%7T %9T "), Some(vec![7, 9]));
        assert_eq!(ref_list(b"refnode input-output:%7T %9"), None);
    }

    #[test]
    fn groups_blocks_events() {
        assert_eq!(stream_group(b"stm0 stm3 "), Some(vec![0, 3]));
        assert_eq!(stream_group(b"stm0 st"), None);
        assert_eq!(stream_group(b""), None);
        assert_eq!(block(b"4096\t512"), Some((4096, 512)));
        assert_eq!(block(b"4096"), None);
        let event = event(b"event_id:1 send:Stream Send-op1 recv:StreamRecv-op2");
        assert_eq!(
            event,
            Some((1, &b"Stream Send-op1"[..], &b"StreamRecv-op2"[..]))
        );
    }

    #[test]
    fn the_total_and_a_second_copy_behind_it() {
        assert_eq!(
            total(b"Total Memory Size after reused:184832"),
            Some((184_832, &b""[..]))
        );
        assert_eq!(
            total(b"Total Memory Size after reused:0All Parameters:"),
            Some((0, &b"All Parameters:"[..]))
        );
        assert_eq!(total(b"Total Memory Size after reused:"), None);
        assert_eq!(total(b"Total Memory Size after reused:12x"), None);
    }
}
