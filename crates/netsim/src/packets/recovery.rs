//! How a window shrinks after a loss: proportional rate reduction (RFC 6937).

use super::segments::News;

/// A loss that is being mended.
#[derive(Debug, Clone, Copy)]
pub struct Recovery {
    until: u64,
    window_before: u32,
    delivered: u32,
    sent: u32,
}

impl Recovery {
    /// It ends when all before segment `until` has arrived.
    pub fn new(until: u64, window_before: u32) -> Self {
        Self {
            until,
            window_before,
            delivered: 0,
            sent: 0,
        }
    }

    pub fn until(&self) -> u64 {
        self.until
    }

    pub fn note_sent(&mut self) {
        self.sent += 1;
    }

    /// The window after news: lets as many go as arrive, times what the window is to shrink by; no fewer than fill
    /// the smaller window, `threshold`.
    pub fn window(&mut self, on_path: u32, threshold: u32, news: News, is_worse: bool) -> u32 {
        self.delivered += news.delivered;
        let may_send = match on_path > threshold {
            true => {
                let share = u64::from(self.delivered) * u64::from(threshold);
                let share = share.div_ceil(u64::from(self.window_before)) as u32;
                share.saturating_sub(self.sent)
            }
            false => {
                let is_better = news.acknowledged > 0 && !is_worse;
                let owed = self.delivered.saturating_sub(self.sent);
                let most = owed.max(news.delivered) + u32::from(is_better);
                most.min(threshold - on_path)
            }
        };
        on_path + may_send.max(u32::from(self.sent == 0))
    }
}
