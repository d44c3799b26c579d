//! Things with a small number that stays theirs while they exist.

/// A vector whose gaps are filled again.
pub struct Slots<T>(Vec<Option<T>>);

impl<T> Slots<T> {
    pub fn new() -> Self {
        Slots(Vec::new())
    }

    /// The number that the next `insert` will give.
    pub fn next(&self) -> u32 {
        let free = self.0.iter().position(Option::is_none);
        free.unwrap_or(self.0.len()) as u32
    }

    pub fn insert(&mut self, value: T) -> u32 {
        let slot = self.next();
        if slot as usize == self.0.len() {
            self.0.push(Some(value));
        } else {
            self.0[slot as usize] = Some(value);
        }
        slot
    }

    pub fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.0.get_mut(slot as usize)?.as_mut()
    }

    pub fn take(&mut self, slot: u32) -> Option<T> {
        let taken = self.0.get_mut(slot as usize)?.take();
        while matches!(self.0.last(), Some(None)) {
            self.0.pop();
        }
        taken
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..)
            .zip(&self.0)
            .filter_map(|(slot, value)| Some((slot, value.as_ref()?)))
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
