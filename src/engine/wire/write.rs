//! Plain data to bytes.

use std::marker::PhantomData;

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// A value as bytes.
///
/// # Errors
/// When it has what the format does not take.
pub fn write<T: Serialize, E: Error>(value: &T) -> Result<Vec<u8>, E> {
    let mut writer = Writer {
        bytes: Vec::new(),
        error: PhantomData,
    };
    value.serialize(&mut writer)?;
    Ok(writer.bytes)
}

struct Writer<E> {
    bytes: Vec<u8>,
    error: PhantomData<E>,
}

impl<E: Error> Writer<E> {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn length(&mut self, length: Option<usize>) -> Result<&mut Self, E> {
        match length {
            Some(length) => {
                self.number(length as u64);
                Ok(self)
            }
            None => self.none(),
        }
    }

    fn none<T>(&self) -> Result<T, E> {
        Err(E::custom("not a part of any message"))
    }
}

macro_rules! numbers {
    ($($method:ident $kind:ty;)*) => {$(
        #[inline]
        fn $method(self, value: $kind) -> Result<(), E> {
            self.number(value.into());
            Ok(())
        }
    )*};
}

macro_rules! signed {
    ($($method:ident $kind:ty;)*) => {$(
        #[inline]
        fn $method(self, value: $kind) -> Result<(), E> {
            let value = i64::from(value);
            self.number((value << 1 ^ value >> 63) as u64);
            Ok(())
        }
    )*};
}

macro_rules! none {
    ($($method:ident $kind:ty;)*) => {$(
        fn $method(self, _: $kind) -> Result<(), E> {
            self.none()
        }
    )*};
}

impl<E: Error> Serializer for &mut Writer<E> {
    type Ok = ();
    type Error = E;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! {
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
    }

    signed! {
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
    }

    none! {
        serialize_i8 i8;
        serialize_f32 f32;
        serialize_char char;
        serialize_bytes &[u8];
        serialize_unit_struct &'static str;
    }

    fn serialize_u8(self, value: u8) -> Result<(), E> {
        self.bytes.push(value);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), E> {
        self.bytes.push(value.into());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), E> {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), E> {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn serialize_none(self) -> Result<(), E> {
        self.bytes.push(0);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), E> {
        self.bytes.push(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), E> {
        self.none()
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), E> {
        self.number(index.into());
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), E> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), E> {
        self.number(index.into());
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, E> {
        self.length(length)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, E> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, E> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, E> {
        self.number(index.into());
        Ok(self)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, E> {
        self.length(length)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, E> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, E> {
        self.number(index.into());
        Ok(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! parts {
    ($($of:ident $method:ident $(($name:ident))?;)*) => {$(
        impl<E: Error> $of for &mut Writer<E> {
            type Ok = ();
            type Error = E;

            #[inline]
            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<(), E> {
                $(let _ = $name;)?
                value.serialize(&mut **self)
            }

            #[inline]
            fn end(self) -> Result<(), E> {
                Ok(())
            }
        }
    )*};
}

parts! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
    SerializeStruct serialize_field (name);
    SerializeStructVariant serialize_field (name);
}

impl<E: Error> SerializeMap for &mut Writer<E> {
    type Ok = ();
    type Error = E;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), E> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), E> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), E> {
        Ok(())
    }
}
