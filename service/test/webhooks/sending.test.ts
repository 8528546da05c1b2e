import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { changeEndpointIn } from "../../src/partners/webhooks/change-endpoint.ts";
import { CONTRACT_POLICY } from "../../src/partners/webhooks/policy.ts";
import { rotateSecret } from "../../src/partners/webhooks/rotate-secret.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { type Child, until } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";
import { letTimePass, recordEvents } from "./events.ts";
import { deliveriesOf, openPostOffice, type PostOffice, statusOf } from "./post-office.ts";
import { type Answers, ok, openReceiver, preciseNow, type Receiver, status } from "./receiver.ts";
import { isAccepted, signedBy } from "./signers.ts";

/* Real processes that send, and real receivers. To move the clock on, the times compared with it are moved back. */

/** Milliseconds for one attempt in these tests. */
const WITHIN_MS = 1_500;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let office: PostOffice;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
	database = await openTestDatabase();
	office = openPostOffice(database.db, database.url, WITHIN_MS);
});
afterEach(async () => {
	for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => database.close());

async function receive(answer: Answers = ok): Promise<Receiver> {
	const receiver = await openReceiver(answer);
	closing.push(() => receiver.close());
	return receiver;
}
async function send(): Promise<Child> {
	const child = await office.sender();
	closing.push(() => child.kill());
	return child;
}
const live = (partnerId: string) => ({ partnerId, environment: "live" }) as const;

describe("The schedule on a test clock", () => {
	it("all ten attempts begin within 20 % of the contract's times; id and bytes are the same each time, each is signed for its own; then it is exhausted", async () => {
		const receiver = await receive(status(500));
		const { endpoint, partnerId } = await office.endpoint(receiver.url);
		await send();
		await recordEvents(database.db, live(partnerId), 1);
		let passed = 0;
		const begun: number[] = [];
		for (let round = 1; round <= 10; round++) {
			const row = await until(`attempt ${round}`, async () => {
				const [one] = await deliveriesOf(database.db, endpoint.endpointId);
				return one?.attempts.length === round ? one : null;
			});
			const last = row.attempts.at(-1);
			begun.push(Date.parse(last?.at ?? "") + passed);
			if (row.dueInMs === null) break;
			await letTimePass(database.db, row.dueInMs);
			passed += row.dueInMs;
		}
		const gaps = begun.slice(1).map((at, n) => at - (begun[n] ?? 0));
		for (const [n, gap] of gaps.entries()) {
			const wanted = CONTRACT_POLICY.delaysMs[n + 1] ?? 0;
			expect([n, gap >= 0.8 * wanted, gap <= 1.2 * wanted + WITHIN_MS]).toEqual([n, true, true]);
		}
		expect(gaps).toHaveLength(9);
		expect((await deliveriesOf(database.db, endpoint.endpointId))[0]?.status).toBe("exhausted");
		expect(receiver.arrived).toHaveLength(10);
		expect(new Set(receiver.arrived.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
	}, 180_000);

	it("120 hours of nothing but failures deactivate, after the operator was told; one success begins anew", async () => {
		const receiver = await receive(status(500));
		const { endpoint, partnerId } = await office.endpoint(receiver.url);
		const id = endpoint.endpointId;
		await send();
		const fail = async (): Promise<void> => {
			const before = receiver.arrived.length;
			await recordEvents(database.db, live(partnerId), 1);
			await until("a post", () => receiver.arrived.length > before);
			await until("it to be written down", async () =>
				(await deliveriesOf(database.db, id)).every(({ attempts }) => attempts.length > 0),
			);
		};
		await fail();
		receiver.answer = ok;
		await letTimePass(database.db, 119 * HOUR_MS);
		await until("the success", async () => (await deliveriesOf(database.db, id))[0]?.status === "delivered");
		receiver.answer = status(500);
		await fail();
		await letTimePass(database.db, 119 * HOUR_MS);
		await fail();
		expect(await statusOf(database.db, id)).toBe("active");
		const { rows } = await database.db.query(
			"select warned_at is not null as warned from webhook_endpoint where endpoint_id = $1",
			[id],
		);
		expect(rows).toEqual([{ warned: true }]);
		await until("the end", async () => {
			await letTimePass(database.db, HOUR_MS);
			return (await statusOf(database.db, id)) === "failing";
		});
		const left = await deliveriesOf(database.db, id);
		expect(left.filter(({ status: now }) => now === "pending")).toEqual([]);
		const { length } = receiver.arrived;
		await recordEvents(database.db, live(partnerId), 2);
		await letTimePass(database.db, 100 * HOUR_MS);
		expect(receiver.arrived).toHaveLength(length);
	}, 180_000);
});

it("An endpoint that has moved is not ended by a 410 of its address before, and the event goes to the new one", async () => {
	const [old, moved] = [await receive(), await receive()];
	const { endpoint, secret, partnerId } = await office.endpoint(old.url);
	const id = endpoint.endpointId;
	signedBy(id, moved.url, [secret]);
	old.answer = (_request, response) => {
		const move = transaction(database.db, (tx) =>
			changeEndpointIn(tx, live(partnerId), id, { url: moved.url }, "partner"),
		);
		void move.then(() => response.writeHead(410).end());
	};
	await send();
	await recordEvents(database.db, live(partnerId), 1);
	await until("the 410 to be recorded", async () => {
		const [one] = await deliveriesOf(database.db, id);
		return one?.attempts.length === 1;
	});
	expect(await statusOf(database.db, id)).toBe("active");
	await letTimePass(database.db, 10_000);
	await until("the event at the new address", () => moved.arrived.length === 1);
	expect(moved.arrived[0]?.body).toBe(old.arrived[0]?.body);
	moved.answer = status(410);
	await recordEvents(database.db, live(partnerId), 1);
	await until("the end", async () => (await statusOf(database.db, id)) === "gone");
}, 180_000);

it("A sender that has read many events posts none of them once the endpoint is inactive", async () => {
	const receiver = await receive((_request, response) => void sleep(400).then(() => response.writeHead(200).end()));
	const { endpoint, partnerId } = await office.endpoint(receiver.url);
	const id = endpoint.endpointId;
	await recordEvents(database.db, live(partnerId), 120);
	await send();
	await until("some posts", () => receiver.arrived.length > 20);
	await transaction(database.db, (tx) => changeEndpointIn(tx, live(partnerId), id, { status: "inactive" }, "partner"));
	await until("the end of the posts under way", async () => {
		const { length } = receiver.arrived;
		await sleep(1_200);
		return receiver.arrived.length === length;
	});
	const rows = await deliveriesOf(database.db, id);
	expect(rows.map(({ status: now }) => now).filter((now) => !["delivered", "dropped"].includes(now))).toEqual([]);
	expect(receiver.arrived.length).toBeLessThan(100);
	expect(rows.filter(({ status: now }) => now === "delivered")).toHaveLength(receiver.arrived.length);
}, 180_000);

it("An endpoint that has moved is not ended by the failures of its address before", async () => {
	const [old, moved] = [await receive(status(500)), await receive(status(500))];
	const { endpoint, secret, partnerId } = await office.endpoint(old.url);
	const id = endpoint.endpointId;
	signedBy(id, moved.url, [secret]);
	const isRecorded = async (): Promise<boolean> =>
		(await deliveriesOf(database.db, id)).every(({ attempts }) => attempts.length > 0);
	await send();
	await recordEvents(database.db, live(partnerId), 1);
	await until("a failure at the old address", async () => old.arrived.length > 0 && (await isRecorded()));
	await transaction(database.db, async (tx) => {
		const longAgo = "failing_since - interval '121 hours'";
		await tx.query(`update webhook_endpoint set failing_since = ${longAgo} where endpoint_id = $1`, [id]);
		await changeEndpointIn(tx, live(partnerId), id, { url: moved.url }, "partner");
	});
	await recordEvents(database.db, live(partnerId), 1);
	await until("a failure at the new address", async () => moved.arrived.length > 0 && (await isRecorded()));
	expect(await statusOf(database.db, id)).toBe("active");
}, 180_000);

describe("A node that", () => {
	it("dies in the middle of a post is replaced: the event is sent again by another", async () => {
		const receiver = await receive(() => undefined);
		const { endpoint, partnerId } = await office.endpoint(receiver.url);
		const first = await send();
		await recordEvents(database.db, live(partnerId), 1);
		await until("the post", () => receiver.arrived.length > 0);
		await first.kill();
		receiver.answer = ok;
		await send();
		await letTimePass(database.db, 31_000);
		await until(
			"the delivery",
			async () => (await deliveriesOf(database.db, endpoint.endpointId))[0]?.status === "delivered",
		);
		expect(new Set(receiver.arrived.map(({ body }) => body)).size).toBe(1);
	}, 180_000);

	it("froze in the middle of a post changes nothing when it thaws after another took over", async () => {
		const held: (() => void)[] = [];
		const receiver = await receive((_request, response) => void held.push(() => response.writeHead(500).end()));
		const { endpoint, partnerId } = await office.endpoint(receiver.url);
		const frozen = await send();
		await recordEvents(database.db, live(partnerId), 3);
		await until("the posts", () => receiver.arrived.length >= 3);
		frozen.process.kill("SIGSTOP");
		for (const answer of held) answer();
		receiver.answer = ok;
		await send();
		await letTimePass(database.db, 31_000);
		const before = await until("the deliveries", async () => {
			const rows = await deliveriesOf(database.db, endpoint.endpointId);
			return rows.every((row) => row.status === "delivered") ? rows : null;
		});
		frozen.process.kill("SIGCONT");
		await recordEvents(database.db, live(partnerId), 1);
		await until(
			"a later event",
			async () => (await deliveriesOf(database.db, endpoint.endpointId)).at(-1)?.status === "delivered",
		);
		await frozen.stop();
		expect((await deliveriesOf(database.db, endpoint.endpointId)).slice(0, 3)).toEqual(before);
	}, 180_000);

	it("stops lets its posts end, and what it leaves is sent by another at once", async () => {
		const receiver = await receive((_request, response) => void setTimeout(() => response.writeHead(200).end(), 50));
		const { endpoint, partnerId } = await office.endpoint(receiver.url);
		const first = await send();
		await recordEvents(database.db, live(partnerId), 100);
		await until("some", () => receiver.arrived.length > 10);
		await first.stop();
		await send();
		await until("all", async () =>
			(await deliveriesOf(database.db, endpoint.endpointId)).every((row) => row.status === "delivered"),
		);
		expect(receiver.arrived).toHaveLength(100);
	}, 180_000);
});

describe("A rotation while events are sent", () => {
	it("leaves no event that the secret of before refuses, and none recorded after it that the new one refuses", async () => {
		const receiver = await receive();
		const { endpoint, partnerId, secret: old } = await office.endpoint(receiver.url);
		for (let n = 0; n < 2; n++) await send();
		const streaming = new AbortController();
		const rotated = new Set<string>();
		let isRotated = false;
		const stream = (async () => {
			while (!streaming.signal.aborted) {
				const afterIt = isRotated;
				for (const id of await recordEvents(database.db, live(partnerId), 5)) if (afterIt) rotated.add(id);
			}
		})();
		await until("some", () => receiver.arrived.length > 100);
		const ring = parseKeyRing(office.ring);
		const made = await transaction(database.db, (tx) =>
			rotateSecret(tx, ring, live(partnerId), endpoint.endpointId, 24),
		);
		if (isRefusal(made)) throw new Error(made.message);
		isRotated = true;
		// posts that were waiting when the secret was rotated may arrive first, so only later ones are counted
		const ofAfterIt = () => receiver.arrived.filter(({ headers }) => rotated.has(headers["webhook-id"] ?? ""));
		await until("many of after it", () => ofAfterIt().length > 100);
		streaming.abort();
		await stream;
		await until("all", async () =>
			(await deliveriesOf(database.db, endpoint.endpointId)).every((row) => row.status === "delivered"),
		);
		// the receiver itself verifies every post with the previous secret
		for (const post of ofAfterIt())
			expect([isAccepted(made.secret, post), isAccepted(old, post)]).toEqual([true, true]);
		expect(receiver.arrived.slice(0, 100).some((post) => isAccepted(made.secret, post))).toBe(false);
	}, 180_000);
});

describe("A dead endpoint beside a healthy one", () => {
	it("does not delay it: the median from recording to post changes by less than 20 %", async () => {
		const healthy = await receive();
		const dead = await receive(() => undefined);
		const patient = openPostOffice(database.db, database.url, DEAD_WITHIN_MS);
		const good = await patient.endpoint(healthy.url);
		const bad = await Promise.all(Array.from({ length: DEAD }, (_, n) => patient.endpoint(`${dead.url}/${n}`)));
		const ids = bad.map(({ endpoint }) => endpoint.endpointId);
		const child = await patient.sender();
		closing.push(() => child.kill());
		await recordEvents(database.db, live(good.partnerId), 50); // opens connections and prepares plans
		await until("them", () => healthy.arrived.length === 50);
		for (const { partnerId } of bad) await recordEvents(database.db, live(partnerId), sizeOr(200, 20));
		const delays: { readonly alone: number[]; readonly beside: number[] } = { alone: [], beside: [] };
		const prepare = { alone: () => rest(ids), beside: () => hang(ids, dead) };
		for (let pair = 0; pair < PAIRS; pair++) {
			// in alternating order, so that other load on the machine affects both
			for (const which of pair % 2 === 0 ? (["alone", "beside"] as const) : (["beside", "alone"] as const)) {
				await prepare[which]();
				for (let n = 0; n < SAMPLES; n++) delays[which].push(await delayOf(good.partnerId, healthy));
			}
		}
		const [alone, beside] = [median(delays.alone), median(delays.beside)];
		const change = (100 * (beside / alone - 1)).toFixed(1);
		console.log(
			`median from recording to post, ${PAIRS} times ${SAMPLES} of each in turn: ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ${DEAD} dead endpoints (${change} %)`,
		);
		expect(beside).toBeLessThan(alone * MOST_CHANGE);
	}, 300_000);
});

/** Endpoints that accept a connection and never answer. */
const DEAD = sizeOr(8, 3);
/** Milliseconds for one attempt at them; a real service waits three times as long, which costs it less. */
const DEAD_WITHIN_MS = sizeOr(5_000, WITHIN_MS);
/** Number of measurements alone and beside the others, and events in each. */
const PAIRS = sizeOr(10, 1);
const SAMPLES = sizeOr(60, 25);
/**
 * The guarantee's 20 %; a normal run, which is disturbed by other work, only shows whether a healthy endpoint waits for
 * a dead one.
 */
const MOST_CHANGE = sizeOr(1.2, 3);

/** Milliseconds from the INSERT of an event to its arrival, which may come before the COMMIT is acknowledged here. */
async function delayOf(partnerId: string, healthy: Receiver): Promise<number> {
	const before = healthy.arrived.length;
	const recordedAt = preciseNow();
	await recordEvents(database.db, live(partnerId), 1);
	return (await until("the post", () => healthy.arrived[before])).at - recordedAt;
}

/**
 * Makes all deliveries of these endpoints due after this many milliseconds. The endpoints are locked first, as their
 * senders do.
 */
const makeDue = (ids: readonly string[], afterMs: number) =>
	database.db.query(
		`with mine as materialized (
		   select endpoint_id from webhook_endpoint where endpoint_id = any($1) order by endpoint_id for update)
		 update webhook_delivery d set next_attempt_at = clock_timestamp() + $2 * interval '1 millisecond', failures = 0
		   from mine where d.endpoint_id = mine.endpoint_id and d.status = 'pending'`,
		[ids, afterMs],
	);

/** Makes nothing due for these endpoints, and waits until nobody sends to them. */
async function rest(ids: readonly string[]): Promise<void> {
	await until("nobody to send to them", async () => {
		await makeDue(ids, HOUR_MS);
		const { rows } = await database.db.query(
			"select from webhook_endpoint where endpoint_id = any($1) and sender is not null",
			[ids],
		);
		return rows.length === 0;
	});
}

/** Makes all deliveries of these endpoints due, and waits until each endpoint keeps a post waiting. */
async function hang(ids: readonly string[], dead: Receiver): Promise<void> {
	const { length } = dead.arrived;
	await makeDue(ids, 0);
	await until("a post to each", () => new Set(dead.arrived.slice(length).map(({ path }) => path)).size === ids.length);
}

const median = (values: readonly number[]): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
