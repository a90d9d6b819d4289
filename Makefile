# Two doors: `make demo` shows Tollgate at work, `make test` proves it.
.PHONY: build demo test

build:
	cargo build --release --bin tollgate

# Two switching centres' files, simulated with unknown extensions, through a flow without scripts.
demo: build
	rm -rf target/demo
	mkdir -p target/demo
	cp -r examples/msc-billing/. target/demo
	./target/release/tollgate simulate cdr --count 20000 --unknown-extensions 0.01 target/demo/in
	./target/release/tollgate run --once target/demo/json.toml

test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
