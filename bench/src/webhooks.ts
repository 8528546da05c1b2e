/**
 * The cost of sending events: events per second compared with undici alone, the time from commit to post, and the
 * effect on reserves.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { Agent, request } from "undici";
import { isRefusal } from "../../service/src/ground/lib/refusal.ts";
import { type Database, openDatabase } from "../../service/src/ground/pg/connect.ts";
import { transaction } from "../../service/src/ground/pg/transaction.ts";
import { parseKeyRing } from "../../service/src/partners/keys/key-ring.ts";
import { allowedNetworks } from "../../service/src/partners/webhooks/address-rules.ts";
import { createEndpoint } from "../../service/src/partners/webhooks/create-endpoint.ts";
import { eventOf } from "../../service/src/partners/webhooks/event.ts";
import { createLookUp } from "../../service/src/partners/webhooks/look-up.ts";
import { createUrlRules } from "../../service/src/partners/webhooks/refuse-url.ts";
import { writeEvents } from "../../service/src/partners/webhooks/sql.ts";
import { templatesOf } from "./cells.ts";
import { type Generator, HOST, startService } from "./children.ts";
import type { LoadJob } from "./load.ts";
import { cpuSeconds, family } from "./processes.ts";
import type { ReceiverMessage } from "./receiver.ts";
import { median } from "./results.ts";
import type { World } from "./world.ts";

/** The results of one round. */
export interface Sending {
	/**
	 * Events per second delivered by one service to one endpoint, and the same posts per second made by undici alone.
	 */
	readonly eventsPerSecond: number;
	readonly barePerSecond: number;
	/** Median milliseconds from the commit of an event to its arrival, one at a time. */
	readonly commitToPostMs: number;
	/** Reserves per second without deliveries and beside deliveries, and the deliveries per second beside them. */
	readonly reservesAlone: number;
	readonly reservesBeside: number;
	readonly deliveriesBeside: number;
	/** Deliveries per second without reserves, at the same rate of events, and the cost of each. */
	readonly deliveriesAlone: number;
	readonly deliveryUs: Costs;
	/** The cost of a reserve without deliveries. */
	readonly reserveUs: Costs;
}

/** Microseconds of processor time for each delivery or reserve, by process. */
export interface Costs {
	readonly service: number;
	readonly postgres: number;
	/** The partner's side: the receiver, or the load generator. */
	readonly partner: number;
	/** The process that records the events; in production, the engine. */
	readonly recorder: number;
}

export interface SendingSize {
	/** Events whose rate is measured. */
	readonly events: number;
	/** Events that are timed one by one. */
	readonly timed: number;
	readonly warmUpMs: number;
	readonly measureMs: number;
}

/** Concurrent posts by undici alone: as many as the sender has to one endpoint. */
const AT_ONCE = 16;
/** Connections of the load of reserves. */
const CONNECTIONS = 64;
/** Events per second that are recorded while deliveries are counted, with and without reserves. */
const WANTED_BESIDE = 1_000;
/** Events per transaction while deliveries are measured beside reserves. */
const OF_ONE_BATCH = 20;
const SECOND_MS = 1_000;
const MICROSECONDS = 1e6;
const LOOK_EVERY_MS = 10;
const GIVE_UP_MS = 120_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const now = (): number => performance.timeOrigin + performance.now();

/** A receiver's process. */
class Receiver {
	readonly #child: ChildProcess;
	url = "";

	constructor() {
		this.#child = fork(path.join(import.meta.dirname, "receiver.ts"));
	}

	async begin(): Promise<void> {
		const message = await this.#next();
		if (message.kind === "listening") this.url = `http://${HOST}:${message.port}/`;
	}

	async count(): Promise<{ readonly count: number; readonly lastAt: number }> {
		const answer = this.#next();
		this.#child.send({ kind: "count" });
		return (await answer) as Extract<ReceiverMessage, { kind: "count" }>;
	}

	async times(): Promise<Map<string, number>> {
		const answer = this.#next();
		this.#child.send({ kind: "times" });
		return new Map(((await answer) as Extract<ReceiverMessage, { kind: "times" }>).times);
	}

	/** Resolves when the given number of events have arrived in total. */
	async until(wanted: number): Promise<number> {
		const giveUpAt = now() + GIVE_UP_MS;
		while (now() < giveUpAt) {
			const { count, lastAt } = await this.count();
			if (count >= wanted) return lastAt;
			await sleep(LOOK_EVERY_MS);
		}
		throw new Error(`${wanted} posts did not arrive`);
	}

	get pid(): number {
		return this.#child.pid!;
	}

	stop(): void {
		this.#child.disconnect();
	}

	#next(): Promise<ReceiverMessage> {
		return new Promise((resolve) => this.#child.once("message", (message) => resolve(message as ReceiverMessage)));
	}
}

/** Runs one round on a world of its own. */
export async function measureSending(
	world: World,
	{ load, clusterPid, logs }: { readonly load: Generator<LoadJob>; readonly clusterPid: number; readonly logs: string },
	size: SendingSize,
): Promise<Sending> {
	const receiver = new Receiver();
	const db = openDatabase(world.url, { max: 2, name: "bench" });
	const service = await startService(
		{
			HOLDFAST_DATABASE_URL: world.url,
			HOLDFAST_SECRET_KEYS: world.secretKeys,
			HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8",
		},
		path.join(logs, "sending.log"),
	);
	try {
		await receiver.begin();
		const record = await recorderOf(db, world, receiver.url);
		await record(size.timed);
		await receiver.until(size.timed); // opens connections and makes plans
		const barePerSecond = await postBarely(receiver, size.events);
		const eventsPerSecond = await sendMany(receiver, record, size.events);
		const commitToPostMs = await timeWay(receiver, record, size.timed);
		const processes = () => [[service.pid], family(clusterPid), [receiver.pid], [process.pid]];
		const reserve = () => reserves(load, reserveJob(world, service.port, size), processes);
		const deliver = async (meanwhile: () => Promise<void>) => {
			const stopped = new AbortController();
			const recording = recordSteadily(record, stopped.signal);
			const found = await countDeliveries(receiver, processes, meanwhile);
			stopped.abort();
			await recording;
			return found;
		};
		const alone = await reserve();
		let besidePerSecond = Number.NaN;
		const beside = await deliver(async () => {
			besidePerSecond = (await reserve()).perSecond;
		});
		const unaccompanied = await deliver(() => sleep(size.measureMs));
		return {
			eventsPerSecond,
			barePerSecond,
			commitToPostMs,
			reservesAlone: alone.perSecond,
			reservesBeside: besidePerSecond,
			reserveUs: alone.costs,
			deliveriesBeside: beside.perSecond,
			deliveriesAlone: unaccompanied.perSecond,
			deliveryUs: unaccompanied.costs,
		};
	} finally {
		await service.stop();
		receiver.stop();
		await db.close();
	}
}

type RecordEvents = (count: number) => Promise<string[]>;

/**
 * Registers an endpoint; the returned function records events for it, as a batch of the engine does, and returns their
 * ids after the commit.
 */
async function recorderOf(db: Database, world: World, url: string): Promise<RecordEvents> {
	const { rows } = await db.query<{ id: string }>("select partner_id as id from partner where name = 'Bench'");
	const owner = { partnerId: rows[0]!.id, environment: "live" } as const;
	const urls = createUrlRules({ allowed: allowedNetworks(["127.0.0.0/8"]), lookUp: createLookUp() });
	const made = await createEndpoint({ db, ring: parseKeyRing(world.secretKeys), urls }, owner, { url });
	if (isRefusal(made)) throw new Error(made.message);
	return async (count) => {
		const events = Array.from({ length: count }, () =>
			eventOf(
				"order.held",
				owner,
				{
					order_id: randomUUID(),
					ref: "cart",
					external_order_id: null,
					order_status: "held",
					order_version: 2,
					reason: "operator",
					detail: "the bench",
					action: "manufacturer",
				},
				Date.now(),
			),
		);
		await transaction(db, (tx) => writeEvents(tx, events, Date.now()));
		return events.map(({ eventId }) => eventId);
	};
}

async function sendMany(receiver: Receiver, record: RecordEvents, events: number): Promise<number> {
	const { count } = await receiver.count();
	await record(events);
	const begunAt = now();
	return (events / ((await receiver.until(count + events)) - begunAt)) * SECOND_MS;
}

/** The same posts by undici alone, with the same concurrency: no database, no signature, no guard. */
async function postBarely(receiver: Receiver, posts: number): Promise<number> {
	const dispatcher = new Agent({ connections: AT_ONCE, pipelining: 1 });
	const body = JSON.stringify({ type: "order.held", data: { order_id: randomUUID(), detail: "the bench".repeat(20) } });
	const headers = { "content-type": "application/json" };
	let left = posts;
	const { count } = await receiver.count();
	const begunAt = now();
	const hand = async (): Promise<void> => {
		while (left-- > 0) {
			const answer = await request(receiver.url, { method: "POST", headers, body, dispatcher });
			await answer.body.dump();
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, hand));
	const took = (await receiver.until(count + posts)) - begunAt;
	await dispatcher.close();
	return (posts / took) * SECOND_MS;
}

async function timeWay(receiver: Receiver, record: RecordEvents, timed: number): Promise<number> {
	await receiver.times();
	const committed = new Map<string, number>();
	for (let n = 0; n < timed; n++) {
		const { count } = await receiver.count();
		const [id] = await record(1);
		committed.set(id!, now());
		await receiver.until(count + 1);
	}
	const arrived = await receiver.times();
	return median([...committed].map(([id, at]) => (arrived.get(id) ?? Number.NaN) - at));
}

async function recordSteadily(record: RecordEvents, stopped: AbortSignal): Promise<void> {
	const everyMs = (OF_ONE_BATCH / WANTED_BESIDE) * SECOND_MS;
	for (let next = now(); !stopped.aborted; next += everyMs) {
		await sleep(Math.max(0, next - now()));
		await record(OF_ONE_BATCH);
	}
}

type Processes = () => number[][];

/** Deliveries per second during `meanwhile`, and the cost of each by process. */
async function countDeliveries(receiver: Receiver, processes: Processes, meanwhile: () => Promise<void>) {
	const groups = processes();
	const cpuBefore = groups.map(cpuSeconds);
	const before = (await receiver.count()).count;
	const begunAt = now();
	await meanwhile();
	const delivered = (await receiver.count()).count - before;
	const perSecond = (delivered / (now() - begunAt)) * SECOND_MS;
	const [service, postgres, partner, recorder] = groups.map(
		(pids, index) => ((cpuSeconds(pids) - cpuBefore[index]!) / delivered) * MICROSECONDS,
	);
	return { perSecond, costs: { service: service!, postgres: postgres!, partner: partner!, recorder: recorder! } };
}

function reserveJob(world: World, port: number, { warmUpMs, measureMs }: SendingSize): LoadJob {
	const cell = { asked: "reserve", target: "service" } as const;
	const templates = templatesOf(cell, { products: "", summary: "", shipments: "" });
	return {
		host: HOST,
		port,
		tokens: world.tokens,
		connections: CONNECTIONS,
		templates,
		skuCount: world.skus,
		warmUpMs,
		measureMs,
		expectedStatus: 201,
	};
}

/** Reserves per second, and the cost of each by process. */
async function reserves(load: Generator<LoadJob>, job: LoadJob, processes: Processes) {
	const { answered, seconds, cpu, cpuSeconds: loadSeconds } = await load.run(job, processes);
	const [service, postgres, , recorder] = cpu.map((used) => (used / answered) * MICROSECONDS);
	const partner = (loadSeconds / answered) * MICROSECONDS;
	return {
		perSecond: answered / seconds,
		costs: { service: service!, postgres: postgres!, partner, recorder: recorder! },
	};
}
