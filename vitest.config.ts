import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["service/**/*.test.ts", "replay/**/*.test.ts", "bench/**/*.test.ts"],
		globalSetup: ["service/test/global-setup.ts"],
		pool: "forks",
		// PostgreSQL and the services under test need cores of their own
		maxWorkers: 2,
		testTimeout: 60_000,
		hookTimeout: 60_000,
		teardownTimeout: 30_000,
	},
});
