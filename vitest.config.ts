import { defineConfig } from "vitest/config";

/** Milliseconds before a hanging test counts as failed; far above what any needs. */
const TIMEOUT_MS = 60_000;
/** `npm run guarantees` sets GUARANTEES=full: the same tests at their full sizes. */
const FULL_TIMEOUT_MS = 3_600_000;
const timeout = process.env.GUARANTEES === "full" ? FULL_TIMEOUT_MS : TIMEOUT_MS;

export default defineConfig({
	test: {
		include: ["service/**/*.test.ts", "replay/**/*.test.ts", "bench/**/*.test.ts", "lab/**/*.test.ts"],
		globalSetup: ["service/test/global-setup.ts"],
		setupFiles: ["service/test/leaks/setup.ts"],
		pool: "forks",
		// PostgreSQL and the services under test need cores of their own
		maxWorkers: 2,
		testTimeout: timeout,
		hookTimeout: timeout,
		teardownTimeout: 30_000,
	},
});
