# Two doors: `make demo` shows Tollgate at work, `make test` proves it.
.PHONY: build demo test

build:
	cargo build --release --bin tollgate

# Two switching centres' files, simulated with known faults, through filters and formatters to billing.
demo: build
	rm -rf target/demo
	./target/release/tollgate demo target/demo

test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
