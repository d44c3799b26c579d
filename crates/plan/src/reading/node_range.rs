//! Ranges of nodes by number: "7", "1-24", "1-13/2".

/// Every `stride`th number from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRange {
    pub first: u32,
    pub last: u32,
    pub stride: u32,
    /// Digits of the first, where it begins with a 0: names are filled up to as many.
    pub width: usize,
}

impl NodeRange {
    /// None where the text is no range, or an empty one.
    pub fn parse(text: &str) -> Option<Self> {
        let (range, stride) = text.split_once('/').unwrap_or((text, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let width = if first.starts_with('0') {
            first.len()
        } else {
            0
        };
        let (first, last, stride) = (number(first)?, number(last)?, number(stride)?);
        (first <= last && stride > 0).then_some(Self {
            first,
            last,
            stride,
            width,
        })
    }

    /// How many numbers it has.
    pub fn count(self) -> usize {
        ((self.last - self.first) / self.stride) as usize + 1
    }

    /// Its numbers.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (self.first..=self.last).step_by(self.stride as usize)
    }
}

fn number(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}
