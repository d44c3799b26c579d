//! Networks that follow a rule, by name and a few numbers.

mod chassis;
mod dragonfly;
mod links;
mod rail;
mod size;
mod topology;
mod torus;
mod values;
mod xgft;

use std::collections::BTreeMap;

use super::Network;
use values::Values;

type Build = fn(&Values<'_>) -> Result<Box<dyn Network>, String>;

/// By example, which begins with the name.
const GENERATORS: [(&str, Build); 11] = [
    ("crossbar(hosts=64)", xgft::crossbar),
    ("star(hosts=64,capacity=16 Gb/s)", xgft::star),
    (
        "stacked(switches=4,hosts=24,rate=1 Gb/s,uplink=10 Gb/s)",
        chassis::stacked,
    ),
    (
        "chassis(cards=2,chips=2,hosts=24,rate=100 Mb/s,chip=1600 Mb/s,card=800 Mb/s)",
        chassis::chassis,
    ),
    ("fat-tree(k=32,levels=3,oversubscription=2)", xgft::fat_tree),
    ("clos(leaves=16,spines=4,hosts=24)", xgft::clos),
    ("rail(units=4,hosts=8,rails=4,spines=2)", rail::rail),
    ("xgft(down=4x4,up=1x2)", xgft::xgft),
    ("torus(dims=8x8x4)", torus::torus),
    ("hypercube(dims=10)", torus::hypercube),
    (
        "dragonfly(groups=9,routers=4,hosts=2,global=2)",
        dragonfly::dragonfly,
    ),
];

/// The names of all generators, each with an example.
pub fn generators() -> Vec<(&'static str, &'static str)> {
    GENERATORS
        .map(|(example, _)| (name_in(example), example))
        .to_vec()
}

fn name_in(example: &str) -> &str {
    example.split('(').next().unwrap_or_default()
}

/// The network of a generator with the values given for it, rates multiplied by `scale`. None where there is no such
/// generator; the error says what is wrong and what would be right.
pub fn generate(
    name: &str,
    given: &BTreeMap<String, String>,
    scale: f64,
) -> Option<Result<Box<dyn Network>, String>> {
    generate_naming(name, given, scale, &[])
}

/// The same where the first hosts of a topology are called so.
pub fn generate_naming(
    name: &str,
    given: &BTreeMap<String, String>,
    scale: f64,
    host_names: &[String],
) -> Option<Result<Box<dyn Network>, String>> {
    let (example, build) = GENERATORS.iter().find(|one| name_in(one.0) == name)?;
    let values = Values::new(name_in(example), given, scale).naming(host_names);
    let built = build(&values).and_then(|network| {
        values.finish()?;
        Ok(network)
    });
    let with_example = |why| format!("{name}: {why}; for example {example}");
    Some(built.map_err(with_example))
}
