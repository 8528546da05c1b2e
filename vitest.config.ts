import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Milliseconds before a hanging test counts as failed; far above what any needs. */
const TIMEOUT_MS = 120_000;
/** `npm run guarantees` sets GUARANTEES=full: the same tests at their full sizes. */
const FULL_TIMEOUT_MS = 3_600_000;
/** Milliseconds that `expect.poll` waits for what must come: a busy machine may take long, and no test is timed. */
const POLL_MS = 30_000;
const full = process.env.GUARANTEES === "full";
const timeout = full ? FULL_TIMEOUT_MS : TIMEOUT_MS;

/** Files that have a full size take long, also on any other day. They come first, so that none is left to run alone. */
class LongFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const isLong = ({ moduleId }: TestSpecification): boolean =>
			/\/sizes\.ts"|GUARANTEES/.test(readFileSync(moduleId, "utf8"));
		return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
	}
}

export default defineConfig({
	test: {
		include: [
			"service/**/*.test.ts",
			"cli/**/*.test.ts",
			"replay/**/*.test.ts",
			"bench/**/*.test.ts",
			"lab/**/*.test.ts",
			"release/**/*.test.ts",
			"sdk/**/*.test.ts",
			"examples/**/*.test.ts",
		],
		globalSetup: ["service/test/global-setup.ts"],
		setupFiles: ["service/test/leaks/setup.ts"],
		pool: "forks",
		// a worker runs one file after the other, with the modules that it has: to start one, and to load the service in
		// it, takes longer than most files run. So a file leaves its process as it found it: `vi.stubEnv` for variables,
		// every server closed, every child ended.
		isolate: false,
		// Node loads the modules itself, as it does for the service: Vite's runner would transform each of them first
		experimental: { viteModuleRunner: false, nodeLoader: false },
		// much of a test is a wait for a process: five fill two cores. Full sizes need cores of their own.
		maxWorkers: full ? 2 : 5,
		sequence: { sequencer: LongFirst },
		testTimeout: timeout,
		hookTimeout: timeout,
		teardownTimeout: 30_000,
		expect: { poll: { timeout: POLL_MS } },
	},
});
