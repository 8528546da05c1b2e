import { setTimeout as sleep } from "node:timers/promises";
import { countJobs } from "../../src/ground/jobs/count-jobs.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { CancelOrder, CombineShipments, GetOrder } from "../../src/inventory/orders/contract.ts";
import type { OrderReply } from "../../src/inventory/orders/order-reply.ts";
import { SWEEP_BOXES, THE_SWEEP } from "../../src/inventory/shipping/job-names.ts";
import { placedFor } from "../contract/order-world.ts";
import { openWorld, type World } from "../contract/world.ts";
import { until } from "../processes/child.ts";
import { sweepWhole } from "./day.ts";
import { API_KEY, openPlatform, type PlatformServer } from "./server.ts";
import type { WorldShipment } from "./world.ts";

const SECRET = "a-secret-of-some-length";

/** A whole service with orders, connected to the label platform. */
export type Joined = Awaited<ReturnType<typeof openJoined>>;

export async function openJoined(seed = 1) {
	const server: PlatformServer = await openPlatform(seed);
	const world: World = await openWorld({
		HOLDFAST_LABEL_PLATFORM: "shipstation",
		HOLDFAST_SHIPSTATION_API_KEY: API_KEY,
		HOLDFAST_SHIPSTATION_URL: server.url,
		HOLDFAST_SHIPSTATION_HOOK_SECRET: SECRET,
		HOLDFAST_SHIPSTATION_REQUESTS_PER_MINUTE: "100000",
	});
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	const { token } = await world.key({ brand: "ACME" });
	const boxesOf = (orderId: string): WorldShipment[] =>
		[...server.world.shipments.values()].filter(({ external_shipment_id: id }) => id?.startsWith(orderId));
	const settle = () => settleJobs(world);
	const place = async (): Promise<OrderReply> => (await placedFor(world, token)).order;
	return {
		server,
		world,
		place,
		settle,
		boxesOf,
		boxOf: (orderId: string): WorldShipment => must(boxesOf(orderId).at(-1), `a box of ${orderId}`),
		/** Resolves when the platform has got another request after this number of requests. */
		asked: (what: RegExp, after: number) =>
			until(`the platform to be asked ${what}`, () =>
				server.seen.slice(after).some(({ method, path }) => what.test(`${method} ${path}`)),
			),
		/** Reads the list of changes, and carries out the jobs that follow from it. */
		async sweep(): Promise<void> {
			await sweepWhole(world.db);
			await settle();
		},
		/** Placed and pushed. */
		async placed(): Promise<OrderReply> {
			const order = await place();
			await settle();
			return order;
		},
		get: async (ref: string): Promise<OrderReply> =>
			(await world.call(GetOrder, token, undefined, { path: `/api/v1/orders/${encodeURIComponent(ref)}` })).data,
		cancel: (ref: string) =>
			world.call(CancelOrder, token, {}, { path: `/api/v1/orders/${encodeURIComponent(ref)}/cancel` }),
		combine: (order_refs: string[]) => world.call(CombineShipments, token, { order_refs }),
		/** Sends a notification of the platform; `path` is below `/v2`. */
		notify: (path: string) =>
			fetch(`http://127.0.0.1:${world.port}/hooks/shipstation/${SECRET}`, {
				method: "POST",
				body: JSON.stringify({ resource_url: `${server.url}/v2${path}`, resource_type: "ANY" }),
			}),
		async pushOf(orderId: string): Promise<{ state: string; generation: number } | undefined> {
			const { rows } = await world.db.query<{ state: string; generation: number }>(
				"select state, generation from label_push where order_id = $1",
				[orderId],
			);
			return rows[0];
		},
		async eventsOf(orderId: string): Promise<string[]> {
			const { rows } = await world.db.query<{ type: string }>(
				"select type from event where order_id = $1 order by seq",
				[orderId],
			);
			return rows.map(({ type }) => type);
		},
		async close(): Promise<void> {
			await world.stop();
			await server.close();
		},
	};
}

/** Makes every waiting job due, and resolves when only the next sweep is left to do. */
async function settleJobs({ db }: World): Promise<void> {
	await until("all jobs to be done", async () => {
		await db.query(
			`update graphile_worker._private_jobs set run_at = now() where id in (
			   select id from graphile_worker._private_jobs
			    where locked_at is null and key is distinct from $1 for update skip locked)`, // a worker may take some of them meanwhile
			[`${SWEEP_BOXES}:${THE_SWEEP}`],
		);
		await db.query(`select pg_notify('jobs:insert', '{"count":8}')`);
		await sleep(50);
		const counts = await countJobs(db);
		// a running job that was added again counts once: its first row is left out
		const { rows } = await db.query(
			`select from graphile_worker.jobs where locked_at is not null and task_identifier <> '${SWEEP_BOXES}'`,
		);
		return rows.length === 0 && counts.every(({ name, waiting }) => name === SWEEP_BOXES || waiting === 0);
	});
}
