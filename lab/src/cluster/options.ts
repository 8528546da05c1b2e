import { parseArgs } from "node:util";

export interface ClusterOptions {
	/** Number of faults to inject. */
	readonly failovers: number;
	readonly partners: number;
	readonly seed: number;
	/** Names of the kinds of fault; null: all. */
	readonly faults: readonly string[] | null;
	/** The image in which the nodes run; null: they run from this checkout. */
	readonly image: string | null;
	readonly json: boolean;
	readonly keep: boolean;
}

export const CLUSTER_USAGE = `npm run lab -- cluster [--failovers 100] [--partners 64] [--seed N] [--faults a,b] [--image NAME] [--json] [--keep]

Builds the cluster of deploy/cluster/ in network namespaces of its own: three hosts with etcd, Patroni and PostgreSQL, two with HAProxy and a node. Faults are played under partners and operators; then everything that was acknowledged is checked. With --image, the nodes are containers of an image that deploy/image/build.sh has built, run by podman without root.
Needs Linux and root; installs etcd-server, patroni, postgresql-15, haproxy and nftables from Debian where they are absent.
Exit code 0: passed. 1: failed. 2: inconclusive, or the lab itself failed.`;

const FAILOVERS = 100;
const MOST_FAILOVERS = 10_000;
const PARTNERS = 64;
const MOST_PARTNERS = 1_000;
const SEEDS = 2 ** 31;

/** Null: help was requested. Throws for invalid arguments. */
export function readClusterOptions(args: readonly string[]): ClusterOptions | null {
	const { values } = parseArgs({
		args: [...args],
		options: {
			failovers: { type: "string" },
			partners: { type: "string" },
			seed: { type: "string" },
			faults: { type: "string" },
			image: { type: "string" },
			json: { type: "boolean", default: false },
			keep: { type: "boolean", default: false },
			enclosed: { type: "boolean", default: false },
			help: { type: "boolean", short: "h", default: false },
		},
	});
	if (values.help) return null;
	const whole = (name: string, text: string | undefined, fallback: number, least: number, most: number): number => {
		const number = text === undefined ? fallback : Number(text);
		if (!Number.isSafeInteger(number) || number < least || number > most)
			throw new Error(`--${name}: a whole number from ${least} to ${most}, not "${text}"`);
		return number;
	};
	return {
		failovers: whole("failovers", values.failovers, FAILOVERS, 1, MOST_FAILOVERS),
		partners: whole("partners", values.partners, PARTNERS, 1, MOST_PARTNERS),
		seed: whole("seed", values.seed, Math.floor(Math.random() * SEEDS), 0, SEEDS),
		faults: values.faults?.split(",").filter((name) => name !== "") ?? null,
		image: values.image ?? null,
		json: values.json,
		keep: values.keep,
	};
}
