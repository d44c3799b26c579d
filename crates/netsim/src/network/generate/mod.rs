//! Networks that follow a rule, by name and a few numbers.

mod chassis;
mod dragonfly;
mod links;
mod size;
mod topology;
mod torus;
mod values;
mod xgft;

use std::collections::BTreeMap;

use super::Network;
use values::Values;

struct Generator {
    name: &'static str,
    example: &'static str,
    build: fn(&Values<'_>) -> Result<Box<dyn Network>, String>,
}

const GENERATORS: [Generator; 10] = [
    Generator {
        name: "crossbar",
        example: "crossbar(hosts=64)",
        build: xgft::crossbar,
    },
    Generator {
        name: "star",
        example: "star(hosts=64,capacity=16 Gb/s)",
        build: xgft::star,
    },
    Generator {
        name: "stacked",
        example: "stacked(switches=4,hosts=24,rate=1 Gb/s,uplink=10 Gb/s)",
        build: chassis::stacked,
    },
    Generator {
        name: "chassis",
        example: "chassis(cards=2,chips=2,hosts=24,rate=100 Mb/s,chip=1600 Mb/s,card=800 Mb/s)",
        build: chassis::chassis,
    },
    Generator {
        name: "fat-tree",
        example: "fat-tree(k=32,levels=3,oversubscription=2)",
        build: xgft::fat_tree,
    },
    Generator {
        name: "clos",
        example: "clos(leaves=16,spines=4,hosts=24)",
        build: xgft::clos,
    },
    Generator {
        name: "xgft",
        example: "xgft(down=4x4,up=1x2)",
        build: xgft::xgft,
    },
    Generator {
        name: "torus",
        example: "torus(dims=8x8x4)",
        build: torus::torus,
    },
    Generator {
        name: "hypercube",
        example: "hypercube(dims=10)",
        build: torus::hypercube,
    },
    Generator {
        name: "dragonfly",
        example: "dragonfly(groups=9,routers=4,hosts=2,global=2)",
        build: dragonfly::dragonfly,
    },
];

/// The names of all generators, each with an example.
pub fn generators() -> Vec<(&'static str, &'static str)> {
    GENERATORS.map(|one| (one.name, one.example)).to_vec()
}

/// The network of a generator with the values given for it, rates multiplied by `scale`. None where there is no such
/// generator; the error says what is wrong and what would be right.
pub fn generate(
    name: &str,
    given: &BTreeMap<String, String>,
    scale: f64,
) -> Option<Result<Box<dyn Network>, String>> {
    let generator = GENERATORS.iter().find(|one| one.name == name)?;
    let values = Values::new(generator.name, given, scale);
    let built = (generator.build)(&values).and_then(|network| {
        values.finish()?;
        Ok(network)
    });
    let with_example = |why| format!("{name}: {why}; for example {}", generator.example);
    Some(built.map_err(with_example))
}
