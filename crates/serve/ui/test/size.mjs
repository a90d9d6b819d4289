/** Fails if the compressed first load is too large, or if the build contains code for tests. */
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT_BYTES = 500_000;

const dist = new URL("../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const files = ["index.html", ...[...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((found) => found[1])];
let sum = 0;
for (const file of files) {
  const bytes = gzipSync(readFileSync(new URL(file, dist))).length;
  sum += bytes;
  console.log(`${String(bytes).padStart(9)}  ${file}`);
}
console.log(`${String(sum).padStart(9)}  of at most ${LIMIT_BYTES}, compressed`);
if (sum > LIMIT_BYTES) {
  console.error("The first load is too large: import what is needed later when it is needed.");
  process.exit(1);
}

/** The password of the fake gateway (test/fake/world.ts). */
const OF_TESTS = "a long enough password";
const assets = new URL("assets/", dist);
if (readdirSync(assets).some((file) => readFileSync(new URL(file, assets), "utf8").includes(OF_TESTS))) {
  console.error("The gateway in memory is in what was built.");
  process.exit(1);
}
