//! How fast a processor runs just now (cpufreq).

use super::text::{Format, See};

pub fn path(cpu: u32) -> String {
    format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq")
}

/// Of one processor.
pub struct Frequency(pub u32);

impl Format for Frequency {
    const IS_GAUGE: bool = true;

    fn visit(&self, text: &str, see: &mut See) {
        if let Ok(khz) = text.trim().parse() {
            see(Some(self.0), khz, &|| "cpu_khz".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn it_is_of_its_processor() {
        let all = found(&Frequency(3), "2100000\n");
        assert_eq!(all, [("cpu_khz".to_owned(), Some(3), 2_100_000)]);
        assert!(found(&Frequency(3), "<unknown>\n").is_empty());
    }
}
