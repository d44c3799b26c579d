//! What things cost: `[cost]` of a fabric's file, or of a file of prices alone.

use serde::{Deserialize, Serialize};
use weft_plan::Fault;
use weft_plan::reading::{Result, Section, Value, document};

use crate::quantity::{BitRate, read_metres};
use crate::racks::{Racks, read_racks};
use weft_plan::PlanError as FabricError;

/// Prices, and what the parts draw. Files of runs that are older than prices with a year have neither.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// In the order of `KEYS`, then of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<Price>,
    /// What is paid for energy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
}

/// An amount of money for each of something, when, and who says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// What is counted.
    pub per: Per,
    /// Of a fixed item its name, of a switch its model, of a cable its kind.
    #[serde(default)]
    pub name: String,
    /// How much for one, whatever its ports or its length.
    pub value: f64,
    /// How much more for each port of a switch.
    #[serde(default)]
    pub per_port: f64,
    /// How much more for each metre of a cable.
    #[serde(default)]
    pub per_metre: f64,
    /// The most ports of such a switch; any number where absent.
    #[serde(default)]
    pub ports: Option<u32>,
    /// The longest of such cables; any length where absent.
    #[serde(default)]
    pub longest_m: Option<f64>,
    /// The fastest link that it serves, in bit/s; any where absent.
    #[serde(default)]
    pub rate_bits_per_s: Option<BitRate>,
    /// How many of a fixed item there are.
    #[serde(default = "one")]
    pub count: u32,
    /// The network that it holds for, the first is 0; all where absent.
    #[serde(default)]
    pub network: Option<u32>,
    /// Of what, such as `USD`.
    pub currency: String,
    /// Money of which year.
    pub year: u32,
    /// Where the price is from.
    pub source: String,
}

fn one() -> u32 {
    1
}

/// What prices are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// A named item, such as a chassis.
    Fixed,
    /// A host without its interfaces.
    Node,
    /// A host's interface.
    Interface,
    /// A switch.
    Switch,
    /// A port of a switch, whether used or not.
    Port,
    /// A port of a switch that a host is connected to.
    HostPort,
    /// A cable.
    Cable,
    /// A kilowatt-hour.
    Kwh,
}

/// What nodes and switches draw, and what that costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Power {
    pub watts_per_node: f64,
    pub watts_per_switch: f64,
    pub watts_per_port: f64,
    /// How long it is paid for.
    pub years: f64,
    /// Where the watts are from.
    pub source: String,
    pub per_kwh: Price,
}

/// The keys of `[cost]` that are prices.
const KEYS: [(&str, Per); 7] = [
    ("fixed", Per::Fixed),
    ("per_node", Per::Node),
    ("per_interface", Per::Interface),
    ("per_switch", Per::Switch),
    ("per_port", Per::Port),
    ("per_host_port", Per::HostPort),
    ("per_cable", Per::Cable),
];
const MOST_MONEY: f64 = 1e12;
const MOST_WATTS: f64 = 1e6;

/// A file of prices alone, for networks that have no file or other prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceFile {
    pub title: String,
    pub cost: Cost,
    pub layout: Option<Racks>,
}

/// Reads a file of prices: `title`, `[cost]` and `[layout]`. `origin` is what messages call it.
pub fn load_prices(text: &str, origin: &str) -> Result<PriceFile, FabricError> {
    document(text, origin, &[], |value| {
        let root = Section::unchecked(value, "", "title = \"prices of 2026\"")?;
        let title = root.text("title")?.unwrap_or_default().to_owned();
        let (cost, layout) = (read_cost(&root)?, read_racks(&root)?);
        root.finish()?;
        if cost == Cost::default() {
            return Err(root.refuse("cost", "no prices; write for example [[cost.per_switch]]"));
        }
        Ok(PriceFile {
            title,
            cost,
            layout,
        })
    })
}

/// Reads `[cost]`.
pub fn read_cost(root: &Section<'_>) -> Result<Cost> {
    let mut cost = Cost::default();
    let Some(section) = root.section("cost")? else {
        return Ok(cost);
    };
    for (key, per) in KEYS {
        for entry in one_or_several(&section, key)? {
            cost.prices.push(read_price(&entry, per)?);
            entry.finish()?;
        }
    }
    if let Some(power) = section.section("power")? {
        cost.power = Some(read_power(&power)?);
    }
    section.finish()?;
    Ok(cost)
}

/// `[cost.per_node]`, or `[[cost.per_node]]` several times.
fn one_or_several<'a>(section: &Section<'a>, key: &str) -> Result<Vec<Section<'a>>> {
    match section.get(key) {
        Some(Value::Array(_)) => section.sections(key),
        _ => Ok(section.section(key)?.into_iter().collect()),
    }
}

fn read_price(section: &Section<'_>, per: Per) -> Result<Price> {
    let mut price = Price {
        per,
        name: String::new(),
        value: 0.0,
        per_port: 0.0,
        per_metre: 0.0,
        ports: None,
        longest_m: None,
        rate_bits_per_s: None,
        count: 1,
        network: None,
        currency: read_currency(section)?,
        year: read_year(section)?,
        source: read_source(section)?,
    };
    read_own_keys(section, &mut price)?;
    price.value = read_value(section, price.per_port)?;
    if !matches!(per, Per::Fixed | Per::Node | Per::Kwh) {
        price.network = section.count("network", 1..=8)?.map(|number| number - 1);
        price.rate_bits_per_s = section.parsed("rate", BitRate::parse)?;
    }
    Ok(price)
}

/// What only fixed items, switches or cables have.
fn read_own_keys(section: &Section<'_>, price: &mut Price) -> Result<()> {
    match price.per {
        Per::Fixed => {
            section
                .required_text("name", "chassis")?
                .clone_into(&mut price.name);
            price.count = section.count("count", 1..=1_000_000)?.unwrap_or(1);
        }
        Per::Switch => {
            let model = section.text("model")?.unwrap_or_default();
            model.clone_into(&mut price.name);
            price.ports = section.count("ports", 1..=1_000_000)?;
            price.per_port = read_amount(section, "per_port", MOST_MONEY)?;
        }
        Per::Cable => {
            section
                .required_text("kind", "copper")?
                .clone_into(&mut price.name);
            price.longest_m = read_metres(section, "longest")?;
            price.per_metre = read_amount(section, "per_metre", MOST_MONEY)?;
        }
        Per::Node | Per::Interface | Per::Port | Per::HostPort | Per::Kwh => {}
    }
    Ok(())
}

/// A number that may be absent and is 0 then.
fn read_amount(section: &Section<'_>, key: &str, most: f64) -> Result<f64> {
    match section.get(key) {
        Some(_) => section.number(key, most),
        None => Ok(0.0),
    }
}

fn read_year(section: &Section<'_>) -> Result<u32> {
    let year = section.count("year", 1900..=2200)?;
    year.ok_or_else(|| section.refuse("year", "write for example year = 2026"))
}

fn read_source(section: &Section<'_>) -> Result<String> {
    let source = section.required_text("source", "offer 4711 of ACME")?;
    match source.trim().is_empty() {
        true => Err(section.refuse("source", "must say where the price is from")),
        false => Ok(source.to_owned()),
    }
}

/// A straight line may begin below 0 where ports are added; a price may not.
fn read_value(section: &Section<'_>, per_port: f64) -> Result<f64> {
    let least = if per_port > 0.0 { -MOST_MONEY } else { 0.0 };
    let number = match section.require("value", "write for example value = 480")? {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    };
    number
        .filter(|number| (least..=MOST_MONEY).contains(number))
        .ok_or_else(|| section.refuse("value", "must be a number from 0 to 1e12"))
}

fn read_currency(section: &Section<'_>) -> Result<String> {
    let currency = section.required_text("currency", "USD")?;
    match currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
        true => Ok(currency.to_owned()),
        false => Err(section.refuse(
            "currency",
            "must be a code of three capitals, such as \"USD\"",
        )),
    }
}

fn read_power(section: &Section<'_>) -> Result<Power> {
    let watts = |key| read_amount(section, key, MOST_WATTS);
    let per_kwh = section.section("per_kwh")?;
    let per_kwh = per_kwh.ok_or_else(|| missing_energy(section))?;
    let power = Power {
        watts_per_node: watts("watts_per_node")?,
        watts_per_switch: watts("watts_per_switch")?,
        watts_per_port: watts("watts_per_port")?,
        years: section.number("years", 100.0)?,
        source: read_source(section)?,
        per_kwh: read_price(&per_kwh, Per::Kwh)?,
    };
    per_kwh.finish()?;
    section.finish()?;
    Ok(power)
}

fn missing_energy(section: &Section<'_>) -> Fault {
    section.refuse(
        "per_kwh",
        "write for example per_kwh = { value = 0.2, currency = \"EUR\", year = 2026, source = \"contract\" }",
    )
}
