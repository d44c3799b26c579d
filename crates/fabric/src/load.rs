//! From a TOML file to a resolved fabric.

use weft_plan::Fault;
use weft_plan::reading::{Result, Section, Value, document};

use crate::cost::read_cost;
use crate::draft::Draft;
use crate::fabric::Fabric;
use crate::racks::read_racks;
use crate::routing::Routing;
use crate::weather::{Weather, read_weather};

/// Why a fabric is refused.
pub type FabricError = weft_plan::PlanError;

/// Reads a fabric description and multiplies its rates by `scale`.
///
/// `origin` is what messages call the text, usually its file name.
pub fn load(text: &str, origin: &str, scale: f64) -> Result<Fabric, FabricError> {
    document(text, origin, &[], |value| {
        if !(scale.is_finite() && (1e-6..=1e6).contains(&scale)) {
            let right = "must be from 0.000001 to 1000000";
            return Err(Fault::new("scale", &Value::Float(scale), right));
        }
        let root = Section::unchecked(value, "", "name = \"my-fabric\"")?;
        read_fabric(&root, scale)
    })
}

fn read_fabric(root: &Section<'_>, scale: f64) -> Result<Fabric> {
    let name = root.required_text("name", "fast-ethernet-pair")?.to_owned();
    let title = root.text("title")?.unwrap_or_default().to_owned();
    let parts = Parts::of(root)?;
    let (cost, layout) = (read_cost(root)?, read_racks(root)?);
    let routing = Routing::read(root)?;
    let _ = (root.get("weather"), root.get("weather_speed"));
    root.finish()?;
    let draft = parts.read(root, scale)?;
    let mut fabric = Fabric {
        name,
        title,
        scale,
        routing,
        links: draft.links().cloned().collect(),
        hosts: draft.hosts,
        switches: draft.switches,
        paths: draft.paths,
        cost,
        layout,
        weather: Weather::default(),
    };
    fabric.weather = read_weather(root, &fabric)?;
    Ok(fabric)
}

/// The arrays of tables of a file, which may stand in it in any order.
struct Parts<'a> {
    switches: Vec<Section<'a>>,
    hosts: Vec<Section<'a>>,
    links: Vec<Section<'a>>,
    attachments: Vec<Section<'a>>,
    overrides: Vec<Section<'a>>,
    paths: Vec<Section<'a>>,
}

impl<'a> Parts<'a> {
    fn of(root: &Section<'a>) -> Result<Self> {
        Ok(Self {
            switches: root.sections("switches")?,
            hosts: root.sections("hosts")?,
            links: root.sections("links")?,
            attachments: root.sections("attachments")?,
            overrides: root.sections("overrides")?,
            paths: root.sections("paths")?,
        })
    }

    /// Reads each part when everything it may refer to is known.
    fn read(&self, root: &Section<'_>, scale: f64) -> Result<Draft> {
        let mut draft = Draft::new(scale);
        for section in &self.switches {
            draft.read_switches(section)?;
        }
        draft.imply_parents();
        let mut hosts = Vec::new();
        for section in &self.hosts {
            let names = draft.read_host_names(section)?;
            hosts.push((section, names, draft.read_places(section)?));
        }
        if draft.hosts.is_empty() {
            return Err(root.refuse("hosts", "no hosts; write [[hosts]] with ids = \"n[1-2]\""));
        }
        for (section, names, _) in &hosts {
            draft.check_behind(section, names)?;
        }
        let declared = draft.switches.len();
        for section in &self.links {
            draft.read_trunk(section)?;
        }
        for (section, names, places) in &hosts {
            if let Some(places) = places {
                let links = draft.attach(section, names, places)?;
                draft.host_links.extend(links);
            }
        }
        for section in &self.attachments {
            draft.read_attachment(section)?;
        }
        for section in &self.links {
            draft.refuse_lonely(section, declared)?;
        }
        draft.assign_networks(root)?;
        for section in &self.overrides {
            draft.read_override(section)?;
        }
        for section in &self.paths {
            draft.read_path(section)?;
        }
        Ok(draft)
    }
}
