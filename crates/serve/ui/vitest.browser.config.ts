import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // On a busy machine a browser may stand still for seconds. What fails twice is a fault; the output names each retry.
    retry: 1,
    expect: { poll: { timeout: 15_000 } },
    // Each test file has a browser, which is idle half of the time.
    maxWorkers: 2,
  },
});
