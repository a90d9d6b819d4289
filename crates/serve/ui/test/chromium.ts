/** The browser of the tests: the one `CHROMIUM` names, or Debian's, without its windows where that is installed. */
import { existsSync } from "node:fs";

import { type Browser, chromium } from "playwright-core";

// It draws in half the time that the whole browser takes.
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
const WHOLE = "/usr/bin/chromium";

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : WHOLE),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
