import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Debian's chromium without its windows, which takes half as long; `.ci/run` installs it. Otherwise the whole one. */
const HEADLESS = "/usr/bin/chromium-headless-shell";
const CHROMIUM = existsSync(HEADLESS) ? HEADLESS : "/usr/bin/chromium";

/** Tests of pages need a browser; without one they are skipped, but never in CI. */
export const hasBrowser = existsSync(CHROMIUM) || process.env.CI !== undefined;

/** The browser of this process, for one test file after the other. */
let opened: Browser | undefined;

/** A headless browser that sends no requests of its own. It ends with this process. */
export async function openBrowser(): Promise<Browser> {
	if (opened?.isConnected() !== true) opened = await launch();
	return opened;
}

/** Closes everything that a test file has opened in the browser. */
export async function leaveBrowser(): Promise<void> {
	await Promise.all((opened?.contexts() ?? []).map((context) => context.close()));
}

async function launch(): Promise<Browser> {
	const browser = await chromium.launch({
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
		handleSIGTERM: false,
	});
	// Vitest ends its processes by SIGTERM: the browser's folder is to be removed before
	process.once("SIGTERM", () => void browser.close().finally(() => process.exit()));
	return browser;
}
