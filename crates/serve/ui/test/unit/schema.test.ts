/** The types of the API and its description. */
import { execFileSync } from "node:child_process";

import { expect, it } from "vitest";

/** The generator takes seconds, and this machine may be busy. */
const GENERATED_MS_MAX = 60_000;

it(
  "has the types that the description of the API gives",
  () => {
    expect(() => execFileSync("node", ["tools/api-types/write.mjs", "--check"], { stdio: "pipe" })).not.toThrow();
  },
  GENERATED_MS_MAX,
);
