import { parseArgs } from "node:util";

export interface Options {
	/** Null: as long as the run needs (a planted bug defines it), else DEFAULT_MINUTES. */
	readonly minutes: number | null;
	readonly seed: number;
	/** Names of the kinds of fault; null: all that the ground offers. */
	readonly faults: readonly string[] | null;
	readonly bug: string | null;
	readonly allBugs: boolean;
	/** Number of planted bugs that are tried at the same time, with `--all-bugs`. */
	readonly atOnce: number;
	readonly json: boolean;
	/** Keep history and logs of a passed run too. */
	readonly keep: boolean;
	/** A history to judge again, without a run. */
	readonly check: string | null;
}

export const USAGE = `npm run lab -- [--minutes 10] [--seed N] [--faults a,b | none] [--bug NAME | --all-bugs [--at-once N]] [--check HISTORY] [--json] [--keep]
npm run lab -- trial NAME [--NUMBER N]
npm run lab -- cluster [--failovers 100] [--partners 64] [--seed N]

A trial measures one effect that a random run gives no figure for. A cluster: Patroni and etcd on hosts of their own, and failovers (\`cluster --help\`). A run: two nodes on one PostgreSQL, with partners and operators at work and faults throughout; then everything that was acknowledged is checked.
Exit code 0: passed. 1: failed. 2: inconclusive, or the lab itself failed.`;

export const DEFAULT_MINUTES = 10;
const MOST_MINUTES = 24 * 60;
const SEEDS = 2 ** 31;
const MOST_AT_ONCE = 8;

/** Null: help was requested. Throws for invalid arguments. */
export function readOptions(args: readonly string[]): Options | null {
	const { values } = parseArgs({
		args: [...args],
		options: {
			minutes: { type: "string" },
			seed: { type: "string" },
			faults: { type: "string" },
			bug: { type: "string" },
			"all-bugs": { type: "boolean", default: false },
			"at-once": { type: "string", default: "1" },
			check: { type: "string" },
			json: { type: "boolean", default: false },
			keep: { type: "boolean", default: false },
			help: { type: "boolean", short: "h", default: false },
		},
	});
	if (values.help) return null;
	const minutes = values.minutes === undefined ? null : Number(values.minutes);
	if (minutes !== null && !(minutes > 0 && minutes <= MOST_MINUTES))
		throw new Error(`--minutes: from above 0 to ${MOST_MINUTES}, not "${values.minutes}"`);
	const seed = values.seed === undefined ? Math.floor(Math.random() * SEEDS) : Number(values.seed);
	if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed: a whole number, not "${values.seed}"`);
	const atOnce = Number(values["at-once"]);
	if (!Number.isSafeInteger(atOnce) || atOnce < 1 || atOnce > MOST_AT_ONCE)
		throw new Error(`--at-once: from 1 to ${MOST_AT_ONCE}, not "${values["at-once"]}"`);
	return {
		minutes,
		seed,
		faults:
			values.faults === undefined ? null : values.faults.split(",").filter((name) => name !== "none" && name !== ""),
		bug: values.bug ?? null,
		allBugs: values["all-bugs"],
		atOnce,
		check: values.check ?? null,
		json: values.json,
		keep: values.keep,
	};
}
