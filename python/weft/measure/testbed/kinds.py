"""The kinds of testbeds, as `--on` names them."""

TESTBEDS = {
    "local:": "two processes on this machine",
    "lab:FABRIC": "a virtual cluster on this machine, built out of network namespaces",
    "vm:FABRIC": "a virtual cluster on this machine, its hosts virtual machines (QEMU)",
    "sim:FABRIC": "a simulated network",
    "node:MACHINE": "two simulated nodes, with their processors, buses and caches",
    "ssh:NODES": "real nodes that one can log in to",
    "hosts:FILE": "real nodes with several addresses each",
    "slurm:": "nodes of a Slurm job",
    "mpirun:NODES": "real nodes that mpirun starts programs on",
    "template:COMMAND:NODES": "real nodes, reached by a command of yours",
}
