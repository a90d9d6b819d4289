import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    environment: "node",
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // As in `vitest.browser.config.ts`.
    retry: 1,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
});
