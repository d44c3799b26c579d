//! Which links have something to do.

/// Links that have cars in their queues, or that cars wait for.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    pub links: Vec<u32>,
    pub is_listed: Vec<bool>,
    /// By link: nothing changes there before.
    pub wake_s: Vec<u32>,
}

impl Busy {
    pub fn add(&mut self, link: usize, wake_s: u32) {
        self.wake_s[link] = self.wake_s[link].min(wake_s);
        if !self.is_listed[link] {
            self.is_listed[link] = true;
            self.wake_s[link] = wake_s;
            self.links.push(link as u32);
        }
    }
}
