# Two doors: `make demo` shows Tollgate at work, `make test` proves it.
.PHONY: demo test build

build:
	cargo build --release --bin tollgate

demo: build
	./target/release/tollgate demo

test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
