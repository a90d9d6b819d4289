# Two doors: `make demo` shows Tollgate at work, `make test` proves it.
.PHONY: build demo test

build:
	cargo build --release --bin tollgate

demo: build
	./target/release/tollgate asn1 decode -m examples/calls/calls.asn1 -t Calls.Call \
	    --tbcd-as-digits examples/calls/calls.ber

test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
