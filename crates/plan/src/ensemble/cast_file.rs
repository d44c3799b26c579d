//! The file of a cast: what is read on the first node, and where the others write it.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::reading::Section;

/// Keys that say something only beside `file`.
const BESIDE: [&str; 3] = ["to", "overwrite", "compress"];
/// Kernels take no longer paths (PATH_MAX).
const LONGEST_PATH: usize = 4096;

json_enum! {
    /// How chunks travel.
    pub enum Compression {
        Zstd = "zstd",
        Lz4 = "lz4",
    }
}

/// A file or device whose bytes are cast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CastFile {
    /// On the first node.
    pub path: String,
    /// On the others, `{node}` is a node's name; where it is missing the testbed has a place for it.
    pub to: Option<String>,
    /// Replace what is there.
    pub overwrite: bool,
    pub compress: Option<Compression>,
    /// Over all networks that there are, since the plan does not say how many.
    pub all_networks: bool,
}

impl CastFile {
    pub(crate) fn read(step: &Section) -> Result<Option<Self>> {
        let Some(path) = path(step, "file")? else {
            for key in BESIDE {
                step.only_for(key, "a cast with `file`")?;
            }
            return Ok(None);
        };
        Ok(Some(Self {
            path,
            to: self::path(step, "to")?,
            overwrite: step.flag("overwrite")?.unwrap_or(false),
            compress: step.choice("compress", &Compression::NAMED)?,
            all_networks: step.get("networks").is_none(),
        }))
    }
}

fn path(step: &Section, key: &str) -> Result<Option<String>> {
    let Some(text) = step.text(key)? else {
        return Ok(None);
    };
    if text.is_empty() || text.len() > LONGEST_PATH || text.contains('\0') {
        return Err(step.refuse(key, "must be the path of a file"));
    }
    Ok(Some(text.to_owned()))
}
