import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

import { fakeGateway } from "./test/fake/plugin.ts";

/**
 * The policy that `tollgate serve` sends with each page (crates/serve). The browser tests run under it, so a violation
 * is noticed before a release.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export default defineConfig(({ command, isPreview }) => ({
  // The fake gateway is only for development and tests. A build does not include it.
  plugins: [react(), ...(command === "serve" || isPreview ? [fakeGateway()] : [])],
  preview: { headers: { "Content-Security-Policy": CONTENT_SECURITY_POLICY } },
  build: {
    target: "es2022",
    // An inlined picture would be a `data:` address, which the policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licences.md" },
    chunkSizeWarningLimit: 900,
  },
  test: { include: ["test/unit/**/*.test.ts"], environment: "node" },
}));
