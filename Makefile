# Two commands do all set-up: `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
# pip compiles no bytecode: Python does, of what it imports. Where uv is installed, it is used, since it is faster.
INSTALL := $(if $(shell command -v uv),uv pip install --quiet --python $(BIN)/python,$(BIN)/pip install --quiet --disable-pip-version-check --no-compile)
# Without bytecode each process would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
MATURIN := $(BIN)/maturin develop --release --quiet $(if $(shell command -v uv),--uv)
RUST_SOURCES := Cargo.toml Cargo.lock .cargo/config.toml tools/static-agents $(shell find crates -name '*.rs' -o -name Cargo.toml)

.PHONY: setup setup-dev demo test fresh fresh-short fresh-wheel wheel smoke test-rust test-rust-built test-packages test-timed test-untimed test-alone \
	test-beside test-lint test-cluster lint format docs bench bench-page bench-show clean
.DELETE_ON_ERROR:

setup: .venv/.python .venv/.bindings python/weft/bin/.built

setup-dev: setup .venv/.dev

.venv/.python: requirements.lock
	@tools/check-toolchain $(PYTHON)
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -r requirements.lock
	@touch $@

# What tests, linters, pages and benches need besides.
.venv/.dev: .venv/.python requirements-dev.lock
	$(INSTALL) -r requirements-dev.lock
	@touch $@

.venv/.bindings: .venv/.python pyproject.toml $(RUST_SOURCES)
	VIRTUAL_ENV=$(CURDIR)/.venv PIP_QUIET=1 $(MATURIN)
	@touch $@

# What agents and bindings share is compiled once: with the same options, and, as the agents are built beside the bindings,
# with the same features of what their macros are made of.
RELEASE := --quiet --release --locked

python/weft/bin/.built: $(RUST_SOURCES)
	cargo build $(RELEASE) --bins -p weft-probe -p weft-lab -p weft-bindings
	@mkdir -p $(@D)
	@for name in weft-probe weft-lab; do install target/release/$$name $(@D)/$$name; done
	@touch $@

demo: setup
	$(BIN)/weft demo

# All parts run, also where one fails.
test: setup-dev test-packages
	@rm -rf .test
	-@$(SIDE_BY_SIDE) --keep-going test-timed test-beside
	-@$(MAKE) --no-print-directory --keep-going test-alone test-rust
	@$(BIN)/python tools/summary.py timed untimed alone rust $(BESIDE)

test-rust: setup
	tools/part rust cargo test $(RELEASE) --no-fail-fast --workspace --exclude weft-bindings

# Compiles the tests of Rust only.
test-rust-built: setup
	cargo test $(RELEASE) --no-run --workspace --exclude weft-bindings

TOOLS := NPtcp=netpipe-tcp chromium=chromium dot=graphviz iperf3=iperf3 \
		sockperf=sockperf qperf=qperf fping=fping sshd=openssh-server ssh=openssh-client \
		slurmctld=slurm-wlm munged=munge nft=nftables mpi.h=libopenmpi-dev \
		mpirun=openmpi-bin simgrid_update_xml=libsimgrid-dev g++=g++ ip=iproute2 sysctl=procps \
		zsh=zsh fish=fish mandoc=mandoc apache2=apache2 hpcc=hpcc \
		openvpn=openvpn wireguard-go=wireguard-go ping=iputils-ping wg=wireguard-tools \
		systemd-analyze=systemd rrdtool=rrdtool prometheus=prometheus promtool=prometheus

test-packages:
	@tools/packages optional $(TOOLS)

# One test of each tool, of which none is skipped.
smoke: setup-dev
	$(BIN)/pytest $(call marked,smoke) --smoke $(foreach tool,$(TOOLS),$(firstword $(subst =, ,$(tool))))

# The two commands of the README on a machine where nothing else is installed, and what CI has time for of that.
fresh:
	@tools/fresh full

fresh-short:
	@tools/fresh short

# The wheel in dist/ on a machine with Python alone.
fresh-wheel: wheel
	@tools/fresh wheel

# Everything that runs, for machines without compilers. zig links against an older C library than this machine's; where
# it cannot be had, the wheel says by its name that it is for systems as new as this one.
wheel: setup
	-@$(INSTALL) -r tools/wheel-requirements.txt
	@$(BIN)/python tools/wheel.py dist

# Tests on labs and agents wait most of the time. Meanwhile all others run on what these leave of the processors: a
# process of the idle class takes nothing from them.
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs=2 --output-sync=line
IDLE := nice -n 19 $(shell command -v chrt >/dev/null && echo chrt --idle 0)

# Which of these and of MPI's; `cluster` are the slow ones.
WHICH ?= not cluster

PYTEST := $(BIN)/pytest -rfEsR
# The files with tests of a mark: importing all test files takes 20 s of processor time.
marked = $$(grep --recursive --files-with-matches --include='test_*.py' 'mark\.$1' tests | sort)

test-timed:
	tools/part timed $(PYTEST) -m "timed and ($(WHICH))" $(call marked,timed)

test-untimed:
	tools/part untimed $(PYTEST) --numprocesses 2 --dist loadfile -m "not timed and not alone"

test-alone:
	tools/part alone $(PYTEST) -m "alone and ($(WHICH))" $(call marked,alone)

# BESIDE are parts that run meanwhile, too: lint.
test-beside:
	@$(IDLE) $(MAKE) --no-print-directory --keep-going $(addprefix test-,$(BESIDE)) test-untimed test-rust-built

test-lint:
	@tools/part lint $(MAKE) --no-print-directory lint

# What `make test` has no time for: the slow half of the tests on real sshd, Slurm, MPI and virtual machines.
test-cluster: setup-dev
	@tools/packages optional sshd=openssh-server ssh=openssh-client slurmctld=slurm-wlm munged=munge \
		nft=nftables mpi.h=libopenmpi-dev mpirun=openmpi-bin \
		qemu-system-x86_64=qemu-system-x86 vmlinuz=linux-image-amd64 busybox=busybox-static
	$(BIN)/pytest -m cluster

lint: setup-dev
	cargo fmt --all --check
	cargo clippy $(RELEASE) --all-targets -- -D warnings
	$(BIN)/ruff format --check python tests bench
	$(BIN)/ruff check python tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	tools/rust-cycles

format: setup-dev
	cargo fmt --all
	$(BIN)/ruff format python tests bench
	$(BIN)/ruff check --fix-only python tests bench

# The pages as a site in site/, which works without a network; warnings are errors.
docs: setup-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo site/index.html

# Each says what it leaves out for want of a peer; one that fails does not keep the others from running. TIER is quick,
# full or peers; BENCHES names some.
BENCHES ?= $(or $(shell $(BIN)/python bench/run.py --list $(TIER)),$(error no benches of this tier))

bench: setup-dev
	@tools/packages optional NPtcp=netpipe-tcp iperf3=iperf3 sockperf=sockperf qperf=qperf \
		mpi.h=libopenmpi-dev mpirun=openmpi-bin NPopenmpi=netpipe-openmpi \
		mpicc.mpich=libmpich-dev mpirun.mpich=mpich NPmpich2=netpipe-mpich2 nft=nftables \
		simgrid_update_xml=libsimgrid-dev g++=g++ \
		openvpn=openvpn wireguard-go=wireguard-go ping=iputils-ping wg=wireguard-tools udp-sender=udpcast \
		qemu-system-x86_64=qemu-system-x86 vmlinuz=linux-image-amd64 busybox=busybox-static
	@failed=; for one in $(BENCHES); do \
		printf '\n== %s\n' $$one; \
		WEFT_BENCH_RESULTS=bench/results $(BIN)/python bench/run.py $$one || failed="$$failed $$one"; done; \
	$(BIN)/python bench/page.py; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

# docs/benchmarks.md, from the results that benches saved.
bench-page: setup-dev
	$(BIN)/python bench/page.py

# What benches saved, with goals, machine and versions: `make bench-show BENCHES=pair`.
bench-show: setup-dev
	@$(BIN)/python bench/show.py $(BENCHES)

clean:
	rm -rf target .venv dist python/weft/bin python/weft/_core*.so site
