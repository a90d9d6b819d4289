# The two main targets: `make demo` shows Tollgate at work, `make test` tests it.
.PHONY: build demo serve test bench

build: ui
	cargo build --release --bin tollgate

# Makes the package in `target/package`: the program without symbols, the symbols beside it, the licences of all
# third-party code, completions for shells, and manual pages.
PACKAGE = target/package
.PHONY: package
package: build
	rm -rf $(PACKAGE) && mkdir -p $(PACKAGE)
	objcopy --only-keep-debug target/release/tollgate $(PACKAGE)/tollgate.debug
	objcopy --strip-all --add-gnu-debuglink=$(PACKAGE)/tollgate.debug target/release/tollgate $(PACKAGE)/tollgate
	tools/notices.py > $(PACKAGE)/THIRD-PARTY.txt
	cp $(UI)/dist/licences.md $(PACKAGE)/THIRD-PARTY-INTERFACE.md
	cp LICENSE $(PACKAGE)
	for shell in bash zsh fish; do target/release/tollgate completions $$shell > $(PACKAGE)/tollgate.$$shell || exit 1; done
	target/release/tollgate man $(PACKAGE)/man1

# Builds the program in minutes. It is slower than the one of `make build`.
.PHONY: quick
quick: ui
	cargo build --profile quick --no-default-features --bin tollgate

# Builds the interface for the browser, which the binary embeds. Without npm the binary is built without it.
UI = crates/serve/ui
.PHONY: ui
ui:
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory $(UI)/dist/index.html; \
		else echo "there is no npm: the binary is built without its interface"; fi

$(UI)/dist/index.html: $(UI)/node_modules/.package-lock.json $(shell find $(UI)/src $(UI)/public -type f) $(UI)/index.html $(UI)/vite.config.ts
	cd $(UI) && npm run --silent build

$(UI)/node_modules/.package-lock.json: $(UI)/package-lock.json
	cd $(UI) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# Serves a gateway with an interface and new files every few seconds, until it is interrupted. It exits with 1, because
# some records are damaged on purpose; only other statuses fail. The commands that init suggests are run here already,
# so only the first lines of its output are shown.
serve: quick
	rm -rf target/serve
	@./target/quick/tollgate init target/serve | head -n 3
	@examples/feed.sh ./target/quick/tollgate target/serve/in & feeder=$$!; trap 'kill $$feeder' EXIT; trap : INT TERM; \
		./target/quick/tollgate serve target/serve/flow.toml || [ $$? = 1 ]

# Simulates the files of two switching centres with known faults, and processes them through filters and formatters to
# billing.
demo: quick
	rm -rf target/demo
	./target/quick/tollgate demo target/demo

# Plays a day of prepaid calls over HTTP, and shows the account of every unit of money.
.PHONY: demo-charging
demo-charging: quick
	rm -rf target/demo-charging
	examples/prepaid/day.sh ./target/quick/tollgate target/demo-charging

# Simulates a network in which frauds of thirteen types happen, and scores the rules that find them.
.PHONY: demo-fraud
demo-fraud: quick
	rm -rf target/demo-fraud
	./target/quick/tollgate simulate population target/demo-fraud --flow --subscribers 5000 --days 4 --each 3
	./target/quick/tollgate run target/demo-fraud/flow.toml --once --workers 1 > target/demo-fraud/run.txt
	./target/quick/tollgate fraud score target/demo-fraud/flow.toml --truth target/demo-fraud/truth.csv --subscribers 5000 --days 4
	@echo
	@echo '"./target/quick/tollgate fraud cases target/demo-fraud/flow.toml" shows what people would look into,'
	@echo '"./target/quick/tollgate serve target/demo-fraud/flow.toml" the same in a browser.'

test: crash-tools browser-tools database-tools ui
	@cargo fmt --version > /dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version > /dev/null 2>&1 || rustup component add clippy
	@tools/test.sh

# Checks the dependencies for known vulnerabilities. It downloads the database (GitHub).
.PHONY: advisories
advisories:
	cargo deny check advisories

# Installs the browser for the tests of the interface.
.PHONY: browser-tools
browser-tools:
	@command -v chromium-headless-shell > /dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null || \
		{ apt-get -q update && { apt-get -qy install --no-install-recommends chromium-headless-shell || \
		apt-get -qy install --no-install-recommends chromium; }; } > /dev/null || true

# Installs PostgreSQL for the tests of accounts in it, which start servers of their own: none is started here.
.PHONY: database-tools
database-tools:
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null || \
		{ mkdir -p /etc/postgresql-common && \
		echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf && \
		apt-get -q update && apt-get -qy install --no-install-recommends postgresql; } > /dev/null || true

# Runs Diameter peers of others against the program: python-diameter, freeDiameter, Erlang/OTP, go-diameter, Kamailio with
# SIPp, and Wireshark; SCTP in a guest of QEMU. To run one of them: `tools/interop/run.py --only NAME`.
.PHONY: interop
interop: interop-tools
	cargo build --bin tollgate
	tools/interop/run.py

# Runs those that are there with Python and Go, for `make test`.
.PHONY: interop-sample
interop-sample: interop-libraries
	tools/interop/run.py --only python-diameter --only go-diameter

# Installs these peers. Tests without their peers report what they skip.
INTEROP = target/interop
INTEROP_PACKAGES = freediameterd freediameter-extensions libfreediameter-dev gcc libc6-dev openssl erlang-base erlang-dev erlang-parsetools erlang-diameter \
	tshark kamailio kamailio-ims-modules sip-tester qemu-system-x86 iproute2
.PHONY: interop-tools interop-libraries interop-guest
interop-tools: interop-libraries interop-guest
	@dpkg -s $(INTEROP_PACKAGES) > /dev/null 2>&1 || [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null || \
		{ export DEBIAN_FRONTEND=noninteractive; apt-get -q update && \
		apt-get -qy install --no-install-recommends $(INTEROP_PACKAGES); } > /dev/null || true

interop-libraries:
	@[ $(INTEROP)/python -nt tools/interop/requirements.txt ] || { python3 -m venv $(INTEROP)/python && \
		$(INTEROP)/python/bin/pip -q --disable-pip-version-check install -r tools/interop/requirements.txt && \
		touch $(INTEROP)/python; } || true
	@! command -v go > /dev/null || go -C tools/interop/peers/go mod download || true

# Downloads a kernel with SCTP for a guest, and the first program of the guest. Neither is installed on this machine.
GUEST = $(INTEROP)/guest
interop-guest:
	@ls $(GUEST)/boot/vmlinuz-* > /dev/null 2>&1 || ! command -v apt-get > /dev/null || { rm -rf $(GUEST) && \
		mkdir -p $(GUEST)/packages && cd $(GUEST)/packages && { [ "$$(id -u)" != 0 ] || apt-get -q update; } && \
		apt-get -q download busybox-static $$(apt-cache depends linux-image-amd64 | \
		sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -n 1) && \
		for package in *.deb; do dpkg-deb -x $$package .. || exit 1; done && rm *.deb; } > /dev/null 2>&1 || true

# Takes the pictures of the docs from the current interface.
.PHONY: pictures
pictures: ui
	cargo build --bin tollgate
	cd $(UI) && PICTURES=$(CURDIR)/docs/interface npm run --silent test:real

# Installs the tools for the tests of power cuts and clocks. Tests without their tools report what they skip.
.PHONY: crash-tools
crash-tools:
	@which mkfs.xfs xfs_io mkfs.ext4 faketime eatmydata > /dev/null || [ "$$(id -u)" != 0 ] || \
		! command -v apt-get > /dev/null || \
		{ apt-get -q update && apt-get -qy install xfsprogs e2fsprogs faketime eatmydata; } > /dev/null || true

# Runs the kills, power cuts, failing calls and damage of `make test` many times more.
.PHONY: crash
crash: crash-tools
	KILLS=1000 FILES=1000 POWER_CUTS=100 FAULT_STRIDE=1 DAMAGE=100 MINUTES=2 cargo test --release -p tollgate-cli --test product crash:: -- \
		--nocapture

# Runs all of these faults together for the given number of minutes.
MINUTES = 60
.PHONY: soak
soak: crash-tools
	MINUTES=$(MINUTES) cargo test --release -p tollgate-cli --test product crash::soak -- --nocapture

# Simulates the commit protocol, stopped at every step of short runs and at random steps of long ones. To see a failing
# seed: `SEED=n cargo test -p tollgate-commit-protocol -- --nocapture`.
SIMULATIONS = 1000000
.PHONY: simulate-protocol
simulate-protocol:
	SIMULATIONS=$(SIMULATIONS) cargo test --release -p tollgate-commit-protocol -- --include-ignored --nocapture

# Measures the speed relative to alternatives: a walk over the same octets, the same task in Rust, and the rasn, VRL,
# Rhai and quick-xml crates. Counting allocations slows down programs that allocate, so it has its own build.
bench:
	cargo build --release --bin tollgate --features counting
	./target/release/tollgate bench gateway
	./target/release/tollgate bench rating
	./target/release/tollgate bench charging
	./target/release/tollgate bench scaling
	cargo build --release --bin tollgate --features compare
	./target/release/tollgate bench journal
	./target/release/tollgate bench transport
	./target/release/tollgate bench codec
	./target/release/tollgate bench dup
	./target/release/tollgate bench measurements

# Compares the journal's database with other databases, on the disk of the temporary folder.
.PHONY: bench-stores
bench-stores:
	cd bench/stores && cargo run --release --locked --target-dir ../../target/stores -- "$${TMPDIR:-/tmp}"

# Compares the charging system with servers made with libraries of others: go-diameter, the diameter application of
# Erlang/OTP, freeDiameter, and the crate diameter; and its memory with other allocators. What is not installed is left
# out, and a line says so. Options of the command: `make bench-diameter OPTIONS="--rounds 9 --json"`.
OPTIONS =
.PHONY: bench-diameter
bench-diameter: bench-diameter-tools
	cargo build --release --bin tollgate --features counting
	bench/diameter/run.py $(OPTIONS)

# Repeats the experiments of a thesis on a server with its threads: its queue, processors, copies and allocators.
.PHONY: bench-diameter-threads
bench-diameter-threads: bench-diameter-tools
	cargo run --release --quiet --manifest-path bench/diameter/threads/Cargo.toml --target-dir target/bench-diameter/threads -- \
		$(foreach file,$(wildcard $(BENCH_DIAMETER_ALLOCATORS)),--allocator $(file)) $(OPTIONS)
BENCH_DIAMETER_ALLOCATORS = /usr/lib/*/libtcmalloc_minimal.so.4 /usr/lib/*/libmimalloc.so.2.0 /usr/lib/*/libjemalloc.so.2

# Installs these libraries, and the allocators.
BENCH_DIAMETER_PACKAGES = freediameterd freediameter-extensions libfreediameter-dev gcc libc6-dev openssl \
	erlang-base erlang-dev erlang-parsetools erlang-diameter pkg-config libssl-dev \
	libtcmalloc-minimal4 libmimalloc2.0 libjemalloc2
.PHONY: bench-diameter-tools
bench-diameter-tools:
	@dpkg -s $(BENCH_DIAMETER_PACKAGES) > /dev/null 2>&1 || [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null || \
		{ export DEBIAN_FRONTEND=noninteractive; apt-get -q update && \
		apt-get -qy install --no-install-recommends $(BENCH_DIAMETER_PACKAGES); } > /dev/null || true
	@! command -v go > /dev/null || go -C bench/diameter/go mod download || true

# Compares fraud rules with Esper, a program by hand and queries of SQLite. Without a JDK and Maven, Esper is left out, and
# a line says so. It is under GPL 2: it is fetched to compare with, and nothing of it is linked or shipped. Options of the
# command: `make bench-fraud OPTIONS="--rounds 5 --json"`.
.PHONY: bench-fraud
bench-fraud:
	cargo build --release --bin tollgate
	bench/fraud/run.py $(OPTIONS)

# Measures and draws the pictures of docs/benchmarks.md again.
.PHONY: benchmarks-plot
benchmarks-plot:
	cargo build --release --bin tollgate --features plot
	./target/release/tollgate bench gateway --memory-megabytes 0 --plot docs/benchmarks.svg
	./target/release/tollgate bench scaling --plot docs/benchmarks-scaling.svg

# A million sessions that end at once, and a million subscribers that are imported and found.
.PHONY: million
million:
	cargo test -p tollgate-accounts -p tollgate-prepaid million -- --ignored --nocapture

# Runs random scripts on random records, in the interpreter and as machine code, and compares the results.
DIFFERENTIAL_CASES = 10000000
.PHONY: differential
differential:
	DIFFERENTIAL_CASES=$(DIFFERENTIAL_CASES) cargo test --release -p tollgate-dup --test library differential -- \
		--ignored --nocapture

# Fuzzes each parser with random octets and texts for some minutes.
FUZZ_SECONDS = 180
.PHONY: fuzz
fuzz:
	rustup toolchain install nightly --profile minimal
	cargo install cargo-fuzz --locked
	cd fuzz && for target in fuzz_targets/*.rs; do \
		cargo +nightly fuzz run $$(basename $$target .rs) -- -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 || exit 1; \
	done
