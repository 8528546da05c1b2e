/**
 * Crashes the server, or promotes a standby, under load. Acknowledged operations must be there afterwards, and an
 * outcome that can be known must be reported.
 */
import type { Ground } from "../ground/types.ts";
import { saying } from "./ask.ts";
import { tally } from "./figures.ts";
import { type Life, missing, startShoppers } from "./shoppers.ts";
import { holdfast, importTown } from "./town.ts";
import type { Outcome } from "./trial.ts";

const SKUS = 20;
const LOTS = 3;
const UNITS = 10_000_000;
const KEYS = ["one", "two", "three", "four"];
const WHOLE_MS = 60_000;
/**
 * Milliseconds within which a server must be back for the outcome of a commit to be read in time: below every deadline
 * of the service.
 */
const KNOWABLE_MS = 5_000;
const SHOWN = 10;

export interface Blows {
	readonly ground: Ground;
	readonly clients: number;
	readonly count: number;
	readonly say: (line: string) => void;
	/** Called before each blow and not part of it. */
	prepare?(number: number): Promise<void>;
	/** Performs the blow; resolves when it is done. */
	blow(number: number): Promise<void>;
}

/** When a blow happened, and for how long no connection was accepted afterwards. */
interface Struck {
	readonly at: number;
	readonly awayMs: number;
}

export async function blowsUnderLoad(blows: Blows): Promise<Outcome> {
	const { ground, clients, count, say } = blows;
	const shelves = Array.from({ length: SKUS }, (_, n) => ({ sku: `SKU-${n}`, lots: LOTS, units: UNITS }));
	const tokens = await importTown(ground, shelves, KEYS);
	const skus = shelves.map(({ sku }) => sku);
	const shoppers = startShoppers(ground, [...tokens.values()], skus, clients);
	const struck: Struck[] = [];
	for (let number = 0; number < count; number++) {
		await blows.prepare?.(number);
		const at = performance.now();
		await blows.blow(number);
		await ground.works.server.revive();
		struck.push({ at, awayMs: performance.now() - at });
		await ground.whole(WHOLE_MS);
		if ((number + 1) % SHOWN === 0) say(`${number + 1} of ${count}, ${shoppers.answers.length} holds asked for`);
	}
	const lives = await shoppers.stop();
	await ground.whole(WHOLE_MS);
	return await judge(ground, lives, struck);
}

async function judge(ground: Ground, lives: readonly Life[], struck: readonly Struck[]): Promise<Outcome> {
	const gone = await missing(ground.admin(), lives);
	const answers = lives.flatMap(({ answers }) => answers);
	const failed = answers.filter(({ status }) => status === 500);
	const avoidable = failed.filter(({ began, ms }) => {
		const last = struck.findLast(({ at }) => at < began + ms);
		return last === undefined || last.awayMs < KNOWABLE_MS;
	});
	const verify = await holdfast(ground, "verify");
	const deaths = ground.works.nodes.reduce((sum, { diedAlone }) => sum + diedAlone, 0);
	return {
		rows: [
			["blows", struck.length],
			["slowest return of PostgreSQL", `${Math.round(Math.max(...struck.map(({ awayMs }) => awayMs)))} ms`],
			["rows of the foreign writer", ground.foreignWrites()],
			["answers", tally(answers.map(saying))],
			["acknowledged and checked", lives.filter(({ token }) => token !== null).length],
			["missing", gone.length],
			...gone.slice(0, SHOWN).map((line) => ["", line] as const),
			["answers 500, of them avoidable", `${failed.length}, ${avoidable.length}`],
			["verify", verify.code],
			["nodes that ended by themselves", deaths],
		],
		promises: [
			{ what: "nothing acknowledged is missing", kept: gone.length === 0 },
			{ what: "no 500 where the outcome can be known", kept: avoidable.length === 0 },
			{ what: "verify is clean", kept: verify.code === 0 },
			{ what: "something was acknowledged", kept: lives.some(({ token }) => token !== null) },
		],
	};
}
