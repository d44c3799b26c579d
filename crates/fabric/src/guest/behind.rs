//! Guests behind a host, which must be able to bridge.

use weft_plan::reading::{Result, Section};

use crate::draft::Draft;
use crate::fabric::Host;

impl Draft {
    /// Refuses guests behind a host that cannot bridge.
    pub fn check_behind(&self, section: &Section<'_>, names: &[String]) -> Result<()> {
        let find = |name: &String| self.hosts.iter().find(|host| host.name == *name);
        for guest in names
            .iter()
            .filter_map(find)
            .filter_map(|host| host.guest.as_ref())
        {
            let Some(behind) = &guest.behind else {
                continue;
            };
            self.check_host(section, "behind", behind)?;
            if !find(behind).is_some_and(Host::bridges) {
                let message = format!("{behind:?} must be a virtual machine that is behind none");
                return Err(section.refuse("behind", message));
            }
        }
        Ok(())
    }
}

impl Host {
    /// Whether others may be behind it.
    fn bridges(&self) -> bool {
        self.guest
            .as_ref()
            .is_some_and(|guest| guest.behind.is_none())
    }
}
