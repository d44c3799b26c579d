//! Why a plan is refused: one message that says where, what was found, and what would be right.

use std::borrow::Cow;
use std::fmt;

/// A refused plan. Its `Display` is the whole message, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// The text is not TOML.
    Syntax {
        origin: String,
        line: usize,
        column: usize,
        message: String,
    },
    /// A key is missing, unknown, or has a value it may not have.
    Value {
        origin: String,
        /// Where it stands, from 1; none where it was set from outside.
        line: Option<usize>,
        fault: Fault,
    },
    /// The step cannot be expanded over these nodes.
    Expansion { step: String, reason: String },
}

/// What is wrong with one key, before it is known which file the key came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Dotted, with indices: `steps[0].sizes.max`.
    pub key: String,
    /// The value as TOML; `None` when the key is missing.
    pub found: Option<String>,
    /// What would be right.
    pub right: String,
}

/// What reading a value yields, or why it is refused.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A value that may not be what it is.
    pub fn new(key: impl Into<String>, found: &toml::Value, right: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            found: Some(shown(found)),
            right: right.into(),
        }
    }

    /// A key that must be there.
    pub fn missing(key: impl Into<String>, right: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            found: None,
            right: right.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = cut(&self.key);
        match &self.found {
            Some(found) => f.write_str(&one_line(&format!("{key} = {found}: {}", self.right))),
            None => f.write_str(&one_line(&format!("{key}: missing: {}", self.right))),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax {
                origin,
                line,
                column,
                message,
            } => {
                write!(f, "{origin}:{line}:{column}: not TOML: {message}")
            }
            Self::Value {
                origin,
                line: Some(line),
                fault,
            } => write!(f, "{origin}:{line}: {fault}"),
            Self::Value { origin, fault, .. } => write!(f, "{origin}: {fault}"),
            Self::Expansion { step, reason } => write!(f, "step {step:?}: {reason}"),
        }
    }
}

impl std::error::Error for PlanError {}

impl PlanError {
    pub(crate) fn syntax(origin: &str, text: &str, error: &toml::de::Error) -> Self {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        Self::Syntax {
            origin: origin.to_owned(),
            line,
            column,
            message: one_line(error.message()),
        }
    }
}

/// Line and column, both from 1, of a byte of the text.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

fn shown(value: &toml::Value) -> String {
    cut(&one_line(&value.to_string())).into_owned()
}

/// Text cut where it would drown the message.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// Keys and values may hold line breaks; a message is one line.
pub(crate) fn one_line(text: &str) -> String {
    let plain = text.replace(|c: char| c.is_control(), " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_lines_and_characters() {
        assert_eq!(position("a\né = x", 5), (2, 3));
        assert_eq!(position("", 0), (1, 1));
        assert_eq!(position("ab", 99), (1, 3));
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let text = shown(&toml::Value::String("é\n".repeat(100)));
        assert!(text.ends_with("..."), "{text}");
        assert!(!text.contains('\n'));
    }
}
