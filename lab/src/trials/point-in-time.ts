/**
 * Partners write to a service on Debian's PostgreSQL, whose log pgBackRest archives. Then the database is restored to
 * random moments of that time, each into a server of its own, and each is compared with the callers' record.
 */
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createChance } from "../chance.ts";
import { freePort } from "../ground/ports.ts";
import { PostgresServer } from "../ground/postgres-server.ts";
import type { Ground } from "../ground/types.ts";
import { holdfast } from "../holdfast.ts";
import { Archive, debianBinaries } from "./archive.ts";
import { type Found, type Judged, judgeAsOf } from "./as-of.ts";
import { saying } from "./ask.ts";
import { tally } from "./figures.ts";
import { type Life, startShoppers } from "./shoppers.ts";
import { importTown } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const SKUS = 20;
const LOTS = 3;
const UNITS = 10_000_000;
const KEYS = ["one", "two", "three", "four"];
/** Milliseconds between a backup or the end of the work and the nearest moment: pgBackRest counts in whole seconds. */
const APART_MS = 2_000;
/** Milliseconds for a server to reach the moment and to accept writes. */
const PROMOTED_MS = 120_000;
const LOOK_EVERY_MS = 100;
const SHOWN = 10;
/**
 * Milliseconds between a caller's clock and that of a commit: both are the clock of one machine, which is read in whole
 * milliseconds.
 */
const MARGIN_MS = 2;
const HOLDS =
	"select reservation_token::text as token, count(*)::int as rows, min(status) as status from hold group by 1";

/** A restored database: how it was made, and what was found in it. */
interface Restored extends Judged {
	readonly moment: Date;
	readonly seconds: number;
	/** Exit codes of `verify`, and of `restore --recovered`, which renews numbers and verifies again. */
	readonly codes: readonly (number | null)[];
}

export const pointInTime: Trial = {
	name: "point-in-time",
	says: "partners write while pgBackRest archives; the database is restored to random moments, and each is compared with what callers were told",
	numbers: { moments: 20, seconds: 60, clients: 16, seed: 31 },
	run: async ({ numbers, open, say }) => {
		const { moments = 0, seconds = 0, clients = 0, seed = 0 } = numbers;
		const archive = await Archive.open();
		try {
			const postgres = { binaries: debianBinaries(), settings: await archive.settings() };
			const ground = await open({ postgres });
			const { server } = ground.works;
			const shelves = Array.from({ length: SKUS }, (_, n) => ({ sku: `SKU-${n}`, lots: LOTS, units: UNITS }));
			const tokens = await importTown(ground, shelves, KEYS);
			await archive.begin(server);
			await archive.backUp(server, "full");
			say("the first backup is made; now partners write");
			const shoppers = startShoppers(
				ground,
				[...tokens.values()],
				shelves.map(({ sku }) => sku),
				clients,
			);
			await sleep(APART_MS);
			const first = performance.now();
			const clockAtFirst = Date.now() - first;
			await sleep((seconds * 1_000) / 2);
			await archive.backUp(server, "diff");
			await sleep((seconds * 1_000) / 2);
			const last = performance.now();
			const drift = Date.now() - last - clockAtFirst;
			await sleep(APART_MS);
			const lives = await shoppers.stop();
			await archive.check(server);
			const chance = createChance(seed);
			const restored: Restored[] = [];
			for (let number = 0; number < moments; number++) {
				const moment = chance.between(Math.ceil(first), Math.floor(last));
				const one = await restoreTo({
					ground,
					archive,
					lives,
					moment,
					wall: moment + clockAtFirst + drift / 2,
					drift,
					number,
				});
				restored.push(one);
				say(
					`${number + 1} of ${moments}: ${one.moment.toISOString()}, ${one.before} before, ${one.after} after, ${one.wrong.length} wrong, verify ${one.codes.join(" and ")}, ${one.seconds.toFixed(1)} s`,
				);
			}
			return outcome(lives, restored, moments);
		} finally {
			await archive.close();
		}
	},
};

interface Wanted {
	readonly ground: Ground;
	readonly archive: Archive;
	readonly lives: readonly Life[];
	/** Milliseconds of the lab's clock. */
	readonly moment: number;
	/** The same by the clock of the machine, which PostgreSQL uses; and by how much that one ran differently. */
	readonly wall: number;
	readonly drift: number;
	readonly number: number;
}

/** Restores into a server of its own, which is stopped and removed afterwards. */
async function restoreTo({ ground, archive, lives, moment, wall, drift, number }: Wanted): Promise<Restored> {
	const { server: source } = ground.works;
	const folder = path.join(archive.folder, `restored-${number}`);
	await mkdir(folder);
	const server = new PostgresServer({ ...source.plan, name: `restored-${number}`, folder, port: await freePort() });
	const target = new Date(Math.round(wall));
	const began = performance.now();
	try {
		await archive.restore(source, server, target);
		await server.start();
		const judged = judgeAsOf(lives, await holdsIn(server, ground), moment, MARGIN_MS + Math.abs(drift));
		const seconds = (performance.now() - began) / 1_000;
		const env = environmentOf(ground, server, folder);
		const codes: (number | null)[] = [];
		for (const args of [["verify"], ["restore", "--recovered"]])
			codes.push((await holdfast(ground.launcher, env, args)).code);
		return { ...judged, moment: target, seconds, codes };
	} finally {
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	}
}

/** Every hold, as soon as the server has reached its moment. */
async function holdsIn(server: PostgresServer, ground: Ground): Promise<Map<string, Found>> {
	const db = new pg.Pool({ connectionString: server.url(ground.works.serviceDatabase), max: 1 });
	try {
		const latest = performance.now() + PROMOTED_MS;
		for (;;) {
			const { rows } = await db.query<{ on: boolean }>("select pg_is_in_recovery() as on");
			if (rows[0]?.on === false) break;
			if (performance.now() > latest)
				throw new Error(`${server.plan.name} was not promoted; its log is ${server.plan.log}`);
			await sleep(LOOK_EVERY_MS);
		}
		const { rows } = await db.query<Found & { token: string }>(HOLDS);
		return new Map(rows.map(({ token, ...found }) => [token, found]));
	} finally {
		await db.end();
	}
}

/** The environment of a node of the ground, on another server and without a service. */
function environmentOf({ works }: Ground, server: PostgresServer, folder: string): NodeJS.ProcessEnv {
	return {
		...works.nodes[0]?.plan.env,
		HOLDFAST_DATABASE_URL: server.url(works.serviceDatabase),
		HOLDFAST_ADMIN_SOCKET: path.join(folder, "none.sock"),
	};
}

function outcome(lives: readonly Life[], restored: readonly Restored[], moments: number) {
	const wrong = restored.flatMap(({ wrong: lines, moment }) => lines.map((line) => `${moment.toISOString()}: ${line}`));
	const clean = restored.filter(({ codes, wrong: lines }) => lines.length === 0 && codes.every((code) => code === 0));
	const befores = restored.map(({ before }) => before);
	const times = restored.map(({ seconds }) => seconds);
	return {
		rows: [
			["answers", tally(lives.flatMap(({ answers }) => answers).map(saying))],
			["restored", restored.length],
			["audited clean", clean.length],
			["acknowledged before the moment and looked up", `${Math.min(...befores)} to ${Math.max(...befores)}`],
			["a restore until it can be read", `${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)} s`],
			["wrong", wrong.length],
			...wrong.slice(0, SHOWN).map((line) => ["", line] as const),
		] as const,
		promises: [
			{ what: `${moments} of ${moments} audited clean`, kept: clean.length === moments },
			{
				what: "each moment had holds before it and after it",
				kept: restored.every(({ before, after }) => before > 0 && after > 0),
			},
		],
	};
}

if (import.meta.main) await main(pointInTime);
