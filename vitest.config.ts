import { defineConfig } from "vitest/config";

/** Milliseconds before a hanging test is called failed; far above what any of them needs. */
const TEST_TIMEOUT_MS = 120_000;
/** `npm run guarantees` sets GUARANTEES=full: the same tests at their full sizes, which may take an hour. */
const FULL_TIMEOUT_MS = 3_600_000;

const timeout = process.env.GUARANTEES === "full" ? FULL_TIMEOUT_MS : TEST_TIMEOUT_MS;

export default defineConfig({
	test: {
		include: ["{service,bench,replay}/**/*.test.ts"],
		testTimeout: timeout,
		hookTimeout: timeout,
	},
});
