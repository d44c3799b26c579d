//! What weft reads of Chakra's schema (mlcommons/chakra, `schema/protobuf/et_def.proto`, 1.0.0); other fields are passed
//! over. A file is one message of metadata and then the nodes, each behind its length.

use prost::{Enumeration, Message, Oneof};

/// Of a file; it has nothing that a replay needs.
#[derive(Clone, PartialEq, Message)]
pub struct GlobalMetadata {
    #[prost(string, tag = "1")]
    pub version: String,
}

/// Something that a rank does.
#[derive(Clone, PartialEq, Message)]
pub struct Node {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(int32, tag = "3")]
    pub kind: i32,
    /// What has to have ended before.
    #[prost(uint64, repeated, tag = "5")]
    pub data_deps: Vec<u64>,
    #[prost(uint64, tag = "7")]
    pub duration_micros: u64,
    #[prost(message, optional, tag = "8")]
    pub inputs: Option<Values>,
    #[prost(message, repeated, tag = "10")]
    pub attributes: Vec<Attribute>,
}

/// The schema's `IOInfo`.
#[derive(Clone, PartialEq, Message)]
pub struct Values {
    #[prost(string, tag = "1")]
    pub values: String,
}

/// The schema's `AttributeProto`.
#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(oneof = "Value", tags = "7, 9, 11, 13, 15, 17, 27, 29")]
    pub value: Option<Value>,
}

/// Numbers that are not lists, flags and texts.
#[derive(Clone, PartialEq, Oneof)]
pub enum Value {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    #[prost(bool, tag = "27")]
    Flag(bool),
    #[prost(string, tag = "29")]
    Text(String),
}

/// The schema's `NodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Kind {
    Metadata = 1,
    MemoryLoad = 2,
    MemoryStore = 3,
    Compute = 4,
    Send = 5,
    Receive = 6,
    Collective = 7,
}

impl Node {
    /// A number among its attributes; None where there is none, or a negative one.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.attribute(name)? {
            Value::Int32(number) | Value::Sint32(number) => u64::try_from(*number).ok(),
            Value::Int64(number) | Value::Sint64(number) => u64::try_from(*number).ok(),
            Value::Uint32(number) => Some(u64::from(*number)),
            Value::Uint64(number) => Some(*number),
            Value::Flag(_) | Value::Text(_) => None,
        }
    }

    /// A text among its attributes.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a flag is among its attributes, and set.
    pub fn is(&self, name: &str) -> bool {
        matches!(self.attribute(name), Some(Value::Flag(true)))
    }

    fn attribute(&self, name: &str) -> Option<&Value> {
        let found = self.attributes.iter().find(|one| one.name == name);
        found.and_then(|one| one.value.as_ref())
    }
}
