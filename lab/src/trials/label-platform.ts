/**
 * Pushes orders to a label platform whose kind of failure changes every few seconds, while nodes are killed. At the end
 * the platform must have each order exactly once, and both sides must agree.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { API_KEY, openPlatform, type PlatformServer } from "../../../service/test/platform/server.ts";
import { createChance } from "../chance.ts";
import type { Ground } from "../ground/types.ts";
import { contradictionsIn, type Desk, openDesk } from "./label-desk.ts";
import { startBuyers } from "./label-orders.ts";
import { holdfast, importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const SECRET = "a-secret-of-some-length";
const WHOLE_MS = 60_000;
/** Milliseconds between two failures. */
const STROKE_EVERY_MS = 5_000;
/**
 * Milliseconds within which all changes are transferred once nothing fails any more: each node polls 30 boxes a minute
 * whose notifications were lost, and a run produces about 300.
 */
const SETTLES_WITHIN_MS = 420_000;
const LOOK_EVERY_MS = 500;
const SHOWN = 10;
const SEED = 17;
/** The platform's kinds of failure, in the order in which they follow each other. */
const MOODS: readonly PlatformServer["faults"][] = [
	{ errors: 0.2 },
	{ cutBefore: 0.1, cutAfter: 0.1 },
	{},
	{ errorsAfter: 0.2 },
	{ slowMs: 300 },
];
/**
 * Makes all waiting jobs and box polls due and treats jobs of killed nodes as abandoned: what takes hours in production
 * must happen within the trial.
 */
const HURRY = `update platform_box set look_at = now() where look_at > now();
	update graphile_worker._private_jobs set locked_at = now() - interval '1 day' where locked_at < now() - interval '30 seconds';
	update graphile_worker._private_jobs set run_at = now()
	where id in (select id from graphile_worker._private_jobs where locked_at is null and run_at > now() for update skip locked)`;

export const labelPlatform: Trial = {
	name: "label-platform",
	says: "two nodes pass their orders to a label platform that fails in several ways, and are killed meanwhile; at the end the platform and the tables must agree",
	numbers: { seconds: 45, clients: 4 },
	run: async (stage) => {
		const { seconds = 0, clients = 0 } = stage.numbers;
		const platform = await openPlatform(SEED);
		try {
			const ground = await stage.open({ settings: settingsOf(platform) });
			const tokens = await importTown(ground, [{ sku: "BOXED", lots: 3, units: 1_000_000 }], ["buyer"]);
			const orders = startBuyers(ground, tokenOf(tokens, "buyer"), clients);
			const desk = openDesk(ground, platform, SECRET, orders);
			await strike(ground, platform, seconds);
			await orders.stop();
			platform.faults = {};
			await desk.close();
			await ground.whole(WHOLE_MS);
			const left = await settled(ground, platform, desk, orders);
			const verify = await holdfast(ground, "verify");
			const { world } = platform;
			const scanned = world.labels.filter(({ tracking_status: status }) => status !== "unknown").length;
			return {
				rows: [
					["orders placed", orders.placed.size],
					["of them acknowledged as cancelled", orders.cancelled.size],
					["of them put on hold", desk.held.size],
					["shipments made at the platform", world.created],
					["labels, of them scanned", `${world.labels.length}, ${scanned}`],
					["requests to the platform", platform.seen.length],
					["contradictions", left.length],
					...left.slice(0, SHOWN).map((line) => ["", line] as const),
					["verify", verify.code],
				],
				promises: [
					{ what: "the platform and the tables agree on every order", kept: left.length === 0 },
					{ what: "verify is clean", kept: verify.code === 0 },
					{
						what: "orders were shipped, cancelled and held",
						kept: scanned > 0 && orders.cancelled.size > 0 && desk.held.size > 0,
					},
				],
			};
		} finally {
			await platform.close();
		}
	},
};

const settingsOf = ({ url }: PlatformServer): NodeJS.ProcessEnv => ({
	HOLDFAST_LABEL_PLATFORM: "shipstation",
	HOLDFAST_SHIPSTATION_API_KEY: API_KEY,
	HOLDFAST_SHIPSTATION_URL: url,
	HOLDFAST_SHIPSTATION_HOOK_SECRET: SECRET,
	HOLDFAST_SHIPSTATION_REQUESTS_PER_MINUTE: "100000",
});

/** Changes the platform's failure and kills one of the nodes, repeatedly, for the given time. */
async function strike(ground: Ground, platform: PlatformServer, seconds: number): Promise<void> {
	const chance = createChance(SEED);
	const until = performance.now() + seconds * 1_000;
	for (let stroke = 0; performance.now() < until; stroke++) {
		platform.faults = MOODS[stroke % MOODS.length] ?? {};
		if (stroke % 2 === 1) {
			await chance.pick(ground.works.nodes).kill();
			await ground.whole(WHOLE_MS);
		}
		await sleep(STROKE_EVERY_MS);
		await ground.admin().query(HURRY);
	}
}

/** The contradictions that are left after SETTLES_WITHIN_MS at most. */
async function settled(
	ground: Ground,
	{ world }: PlatformServer,
	desk: Desk,
	orders: ReturnType<typeof startBuyers>,
): Promise<string[]> {
	const until = performance.now() + SETTLES_WITHIN_MS;
	for (;;) {
		await ground.admin().query(HURRY);
		await ground.admin().query(`select pg_notify('jobs:insert', '{"count":8}')`);
		await sleep(LOOK_EVERY_MS);
		const left = await contradictionsIn(ground.admin(), world, desk, orders);
		if (left.length === 0 || performance.now() > until) return left;
	}
}

if (import.meta.main) await main(labelPlatform);
