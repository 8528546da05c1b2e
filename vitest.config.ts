import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Milliseconds before a hanging test counts as failed; far above what any needs. */
const TIMEOUT_MS = 60_000;
/** `npm run guarantees` sets GUARANTEES=full: the same tests at their full sizes. */
const FULL_TIMEOUT_MS = 3_600_000;
const full = process.env.GUARANTEES === "full";
const timeout = full ? FULL_TIMEOUT_MS : TIMEOUT_MS;

/**
 * Files that have a full size take minutes in a full run. They come first, so that none is left to run alone at the
 * end.
 */
class LongFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const isLong = ({ moduleId }: TestSpecification): boolean => readFileSync(moduleId, "utf8").includes('/sizes.ts"');
		return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
	}
}

export default defineConfig({
	test: {
		include: ["service/**/*.test.ts", "replay/**/*.test.ts", "bench/**/*.test.ts", "lab/**/*.test.ts"],
		globalSetup: ["service/test/global-setup.ts"],
		setupFiles: ["service/test/leaks/setup.ts"],
		pool: "forks",
		// PostgreSQL and the services under test need cores of their own
		maxWorkers: 2,
		sequence: full ? { sequencer: LongFirst } : {},
		testTimeout: timeout,
		hookTimeout: timeout,
		teardownTimeout: 30_000,
	},
});
