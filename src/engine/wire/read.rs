//! Bytes to plain data.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// Why bytes give no value: they are not what its type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("malformed")
    }
}

impl std::error::Error for Malformed {}

impl Error for Malformed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// The value in `bytes`, all of which belong to it.
///
/// # Errors
/// When there are too few bytes or too many, or when some are not what the type has there.
pub fn read<T: DeserializeOwned, E: Error>(bytes: &[u8]) -> Result<T, E> {
    let mut reader = Reader {
        rest: bytes,
        error: PhantomData,
    };
    let value = T::deserialize(&mut reader)?;
    if reader.rest.is_empty() {
        Ok(value)
    } else {
        reader.fail()
    }
}

struct Reader<'de, E> {
    rest: &'de [u8],
    error: PhantomData<E>,
}

impl<'de, E: Error> Reader<'de, E> {
    #[cold]
    fn fail<T>(&self) -> Result<T, E> {
        Err(E::custom("malformed"))
    }

    fn byte(&mut self) -> Result<u8, E> {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                Ok(byte)
            }
            None => self.fail(),
        }
    }

    /// A number no larger than `most`: seven bits a byte, the lowest first, the highest bit set
    /// where more follow.
    fn number(&mut self, most: u64) -> Result<u64, E> {
        let mut number = 0u64;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return self.fail();
            }
            number |= bits << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
            if shift > 63 {
                return self.fail();
            }
        }
        if number > most {
            return self.fail();
        }
        Ok(number)
    }

    /// A number with a sign, which is its lowest bit.
    fn signed(&mut self, most: u64) -> Result<i64, E> {
        let number = self.number(most)?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn bytes(&mut self, length: usize) -> Result<&'de [u8], E> {
        match self.rest.split_at_checked(length) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => self.fail(),
        }
    }

    fn length(&mut self) -> Result<usize, E> {
        Ok(self.number(u64::from(u32::MAX))? as usize)
    }

    fn text(&mut self) -> Result<&'de str, E> {
        let length = self.length()?;
        match std::str::from_utf8(self.bytes(length)?) {
            Ok(text) => Ok(text),
            Err(_) => self.fail(),
        }
    }

    fn flag(&mut self) -> Result<bool, E> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => self.fail(),
        }
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $kind:ty, $number:ident;)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
            visitor.$visit(self.$number(<$kind>::MAX.into())? as _)
        }
    )*};
}

impl<'de, E: Error> Deserializer<'de> for &mut Reader<'de, E> {
    type Error = E;

    numbers! {
        deserialize_u16 visit_u16 u16, number;
        deserialize_u32 visit_u32 u32, number;
        deserialize_u64 visit_u64 u64, number;
        deserialize_i16 visit_i16 u16, signed;
        deserialize_i32 visit_i32 u32, signed;
        deserialize_i64 visit_i64 u64, signed;
    }

    forward_to_deserialize_any! {
        char f32 bytes byte_buf identifier ignored_any unit unit_struct i8 i128 u128
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, E> {
        self.fail()
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_bool(self.flag()?)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_u8(self.byte()?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.bytes(8)?.try_into() {
            Ok(bytes) => visitor.visit_f64(f64::from_le_bytes(bytes)),
            Err(_) => self.fail(),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if self.flag()? {
            visitor.visit_some(self)
        } else {
            visitor.visit_none()
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let left = self.length()?;
        visitor.visit_seq(Counted { reader: self, left })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let left = self.length()?;
        visitor.visit_map(Counted { reader: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, E> {
        visitor.visit_seq(Fields(self))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_seq(Fields(self))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_seq(Fields(self))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_enum(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// As many elements, or keys and values, as were counted before them.
struct Counted<'r, 'de, E> {
    reader: &'r mut Reader<'de, E>,
    left: usize,
}

impl<'de, E: Error> SeqAccess<'de> for Counted<'_, 'de, E> {
    type Error = E;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, E> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        Ok(Some(seed.deserialize(&mut *self.reader)?))
    }

    fn size_hint(&self) -> Option<usize> {
        // No element is smaller than a byte: a length that lies reserves nothing.
        Some(self.left.min(self.reader.rest.len()))
    }
}

impl<'de, E: Error> MapAccess<'de> for Counted<'_, 'de, E> {
    type Error = E;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, E> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, E> {
        seed.deserialize(&mut *self.reader)
    }
}

/// The fields of a type: as many as it asks for.
struct Fields<'r, 'de, E>(&'r mut Reader<'de, E>);

impl<'de, E: Error> SeqAccess<'de> for Fields<'_, 'de, E> {
    type Error = E;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, E> {
        Ok(Some(seed.deserialize(&mut *self.0)?))
    }
}

impl<'de, E: Error> EnumAccess<'de> for &mut Reader<'de, E> {
    type Error = E;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), E> {
        let variant = self.number(u64::from(u32::MAX))? as u32;
        Ok((seed.deserialize(variant.into_deserializer())?, self))
    }
}

impl<'de, E: Error> VariantAccess<'de> for &mut Reader<'de, E> {
    type Error = E;

    fn unit_variant(self) -> Result<(), E> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, E> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, E> {
        visitor.visit_seq(Fields(self))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_seq(Fields(self))
    }
}
