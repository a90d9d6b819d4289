# Two doors: `make demo` shows Tollgate at work, `make test` proves it.
.PHONY: build demo serve test bench

build: ui
	cargo build --release --bin tollgate

# What is handed to others, in `target/package`: the program without its symbols, the symbols beside it, and the licences
# of all that is in it.
PACKAGE = target/package
.PHONY: package
package: build
	rm -rf $(PACKAGE) && mkdir -p $(PACKAGE)
	objcopy --only-keep-debug target/release/tollgate $(PACKAGE)/tollgate.debug
	objcopy --strip-all --add-gnu-debuglink=$(PACKAGE)/tollgate.debug target/release/tollgate $(PACKAGE)/tollgate
	tools/notices.py > $(PACKAGE)/THIRD-PARTY.txt
	cp $(UI)/dist/licences.md $(PACKAGE)/THIRD-PARTY-INTERFACE.md
	cp LICENSE $(PACKAGE)

# The program in minutes: not as fast as `make build` makes it.
.PHONY: quick
quick: ui
	cargo build --profile quick --no-default-features --bin tollgate

# The interface in a browser, which is built into the binary. Without npm the binary says that it has none.
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

# A gateway in a browser, with files that come every few seconds, until it is interrupted. It ends with 1 since some of
# their records are damaged on purpose. What init says to run next runs already.
serve: quick
	rm -rf target/serve
	@./target/quick/tollgate init target/serve | head -n 3
	@examples/feed.sh ./target/quick/tollgate target/serve/in & feeder=$$!; trap 'kill $$feeder' EXIT; trap : INT TERM; \
		./target/quick/tollgate serve target/serve/flow.toml || [ $$? = 1 ]

# Two switching centres' files, simulated with known faults, through filters and formatters to billing.
demo: quick
	rm -rf target/demo
	./target/quick/tollgate demo target/demo

test: crash-tools browser-tools ui
	@cargo fmt --version > /dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version > /dev/null 2>&1 || rustup component add clippy
	@tools/test.sh

# Whether a vulnerability is known of anything Tollgate is made of. The database comes over the network (GitHub).
.PHONY: advisories
advisories:
	cargo deny check advisories

# The browser that the interface is looked at in.
.PHONY: browser-tools
browser-tools:
	@command -v chromium-headless-shell > /dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null || \
		{ apt-get -q update && { apt-get -qy install --no-install-recommends chromium-headless-shell || \
		apt-get -qy install --no-install-recommends chromium; }; } > /dev/null || true

# The pictures of the docs, as the interface is now.
.PHONY: pictures
pictures: ui
	cargo build --bin tollgate
	cd $(UI) && PICTURES=$(CURDIR)/docs/interface npm run --silent test:real

# What the tests of power cuts and clocks need beyond Rust. Where it is missing they say what they leave out.
.PHONY: crash-tools
crash-tools:
	@which mkfs.xfs xfs_io mkfs.ext4 faketime eatmydata > /dev/null || [ "$$(id -u)" != 0 ] || \
		! command -v apt-get > /dev/null || \
		{ apt-get -q update && apt-get -qy install xfsprogs e2fsprogs faketime eatmydata; } > /dev/null || true

# The same kills, power cuts, failing calls and damage as `make test`, many times more.
.PHONY: crash
crash: crash-tools
	KILLS=1000 FILES=1000 POWER_CUTS=100 FAULT_STRIDE=1 DAMAGE=100 MINUTES=2 cargo test --release -p tollgate-cli --test product crash:: -- \
		--nocapture

# All of it at once, for so many minutes.
MINUTES = 60
.PHONY: soak
soak: crash-tools
	MINUTES=$(MINUTES) cargo test --release -p tollgate-cli --test product crash::soak -- --nocapture

# The protocol of settling in a simulated world, stopped at every step of short runs and anywhere in long ones. A seed
# that goes wrong is shown with `SEED=n cargo test -p tollgate-commit-protocol -- --nocapture`.
SIMULATIONS = 1000000
.PHONY: simulate-protocol
simulate-protocol:
	SIMULATIONS=$(SIMULATIONS) cargo test --release -p tollgate-commit-protocol -- --include-ignored --nocapture

# How fast, as ratios to what it is compared with: a walk over the same octets, the same in Rust, and the rasn, VRL
# and Rhai crates. Counting allocations costs those that allocate, so it is a build of its own.
bench:
	cargo build --release --bin tollgate --features counting
	./target/release/tollgate bench gateway
	./target/release/tollgate bench rating
	./target/release/tollgate bench scaling
	cargo build --release --bin tollgate --features compare
	./target/release/tollgate bench journal
	./target/release/tollgate bench transport
	./target/release/tollgate bench codec
	./target/release/tollgate bench dup

# The journal's database beside others that it could be, on the disk of the temporary folder.
.PHONY: bench-stores
bench-stores:
	cd bench/stores && cargo run --release --locked --target-dir ../../target/stores -- "$${TMPDIR:-/tmp}"

# The pictures of docs/benchmarks.md, measured and drawn anew.
.PHONY: benchmarks-plot
benchmarks-plot:
	cargo build --release --bin tollgate --features plot
	./target/release/tollgate bench gateway --memory-megabytes 0 --plot docs/benchmarks.svg
	./target/release/tollgate bench scaling --plot docs/benchmarks-scaling.svg

# Random scripts on random records, by the interpreter and in machine code.
DIFFERENTIAL_CASES = 10000000
.PHONY: differential
differential:
	DIFFERENTIAL_CASES=$(DIFFERENTIAL_CASES) cargo test --release -p tollgate-dup --test library differential -- \
		--ignored --nocapture

# Octets and text nobody would send, at every parser, some minutes each.
FUZZ_SECONDS = 180
.PHONY: fuzz
fuzz:
	rustup toolchain install nightly --profile minimal
	cargo install cargo-fuzz --locked
	cd fuzz && for target in ber asn1_text dup dup_native flow_file outside roads; do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 || exit 1; \
	done
