import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Debian's chromium without its windows, which takes half as long; `.ci/run` installs it. Otherwise the whole one. */
const HEADLESS = "/usr/bin/chromium-headless-shell";
const CHROMIUM = existsSync(HEADLESS) ? HEADLESS : "/usr/bin/chromium";

/** Tests of pages need a browser; without one they are skipped, but never in CI. */
export const hasBrowser = existsSync(CHROMIUM) || process.env.CI !== undefined;

/** A headless browser that sends no requests of its own. */
export const openBrowser = (): Promise<Browser> =>
	chromium.launch({
		executablePath: CHROMIUM,
		args: [
			"--no-sandbox", // CI runs as root
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});
