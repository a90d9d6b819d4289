/**
 * The browser for the tests: the one in `CHROMIUM`, or Debian's headless shell if it is installed, or Debian's
 * Chromium.
 */
import { existsSync } from "node:fs";

import { type Browser, chromium } from "playwright-core";

// The headless shell renders in half the time that the full browser takes.
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
const WHOLE = "/usr/bin/chromium";

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : WHOLE),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
