//! The file of a rank: its nodes, each behind its length.

use std::collections::HashMap;

use prost::Message;

use super::schema::{GlobalMetadata, Kind, Node};

/// A rank's nodes, in the order of the file.
#[derive(Debug)]
pub struct File {
    /// What messages call it.
    pub origin: String,
    pub nodes: Vec<Node>,
    places: HashMap<u64, u32>,
}

impl File {
    /// Reads a file; the error says where it is wrong.
    pub fn read(origin: &str, content: &[u8]) -> Result<Self, String> {
        let mut file = Self {
            origin: origin.to_owned(),
            nodes: Vec::new(),
            places: HashMap::new(),
        };
        let mut rest = content;
        let wrong = |rest: &[u8], why: &dyn std::fmt::Display| {
            let byte = content.len() - rest.len();
            format!("{origin}: byte {byte}: not an execution trace of Chakra ({why})")
        };
        if rest.is_empty() {
            return Err(wrong(rest, &"it is empty"));
        }
        let head = GlobalMetadata::decode_length_delimited(&mut rest);
        head.map_err(|why| wrong(rest, &why))?;
        while !rest.is_empty() {
            let node = Node::decode_length_delimited(&mut rest);
            file.add(node.map_err(|why| wrong(rest, &why))?)?;
        }
        Ok(file)
    }

    fn add(&mut self, node: Node) -> Result<(), String> {
        let place = self.nodes.len() as u32;
        if self.places.insert(node.id, place).is_some() {
            return Err(format!(
                "{}: two nodes have the id {}",
                self.origin, node.id
            ));
        }
        self.nodes.push(node);
        Ok(())
    }

    /// Where the nodes stand that have to end before one. What called it need not have ended, and is not among them.
    pub fn needs(&self, node: &Node) -> Result<Vec<u32>, String> {
        let mut found = Vec::new();
        for id in &node.data_deps {
            let place = self.places.get(id).ok_or_else(|| {
                self.wrong(node, &format!("it needs node {id}, which does not exist"))
            })?;
            found.push(*place);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// What kind of node it is.
    pub fn kind(&self, node: &Node) -> Result<Kind, String> {
        Kind::try_from(node.kind).map_err(|_| {
            let known =
                "1 to 7 (METADATA, MEM_LOAD, MEM_STORE, COMP, COMM_SEND, COMM_RECV, COMM_COLL)";
            self.wrong(
                node,
                &format!("its type is {}; known are {known}", node.kind),
            )
        })
    }

    /// A number that a node has to have.
    pub fn number(&self, node: &Node, name: &str) -> Result<u64, String> {
        let found = node.number(name);
        found.ok_or_else(|| self.wrong(node, &format!("it has no attribute {name:?}")))
    }

    /// The same that has to fit into 32 bits.
    pub fn small_number(&self, node: &Node, name: &str) -> Result<u32, String> {
        let found = self.number(node, name)?;
        u32::try_from(found).map_err(|_| self.wrong(node, &format!("{name} {found} is too large")))
    }

    /// What is wrong with a node.
    pub fn wrong(&self, node: &Node, why: &str) -> String {
        format!("{}: node {} ({:?}): {why}", self.origin, node.id, node.name)
    }
}
