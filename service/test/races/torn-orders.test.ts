import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { checkReply } from "../check-reply.ts";
import { type Client, createClient } from "../contract/client.ts";
import { Wire, type WireReply } from "../contract/hostile/wire.ts";
import { CUSTOMER } from "../contract/order-world.ts";
import { createRandom } from "../contract/random.ts";
import { type House, openHouse } from "../house.ts";
import { audit } from "../model/audit.ts";
import { killAll } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";

/*
 * Clients whose connections break: a request is cut at any byte, including the last, and sent again until it is
 * answered.
 */

const ORDERS = sizeOr(10_000, 200);
const CLIENTS = 64;
const KITS = 2;
/** Number of attempts. */
const TRIES = 3;
/** Number of attempts that are cut; the first of an order always is. */
const CUT_OF_TRIES = 2;
const SKU = "TORN";

let house: House;
let ports: number[];
let client: Client;
let token: string;

beforeAll(async () => {
	house = await openHouse({ nodes: 2, processes: true });
	ports = house.nodes.map(({ api }) => Number(new URL(api).port));
	client = createClient(must(ports[0], "a node"));
	({ token } = await house.mint({ scopes: ["atp.reserve", "atp.orders"] }));
	await house.stock({ [SKU]: ORDERS * KITS + 1 });
});
afterAll(async () => {
	client.close();
	await house.close();
	await killAll();
});

/** A request as bytes. */
function placeBytes(reservation_token: string, key: string): Buffer {
	const body = JSON.stringify({
		reservation_token,
		customer: CUSTOMER,
		external_order_id: key,
		note: "Vorsicht, Glas! ✓",
	});
	const head = [
		`POST ${PlaceOrder.path} HTTP/1.1`,
		"Host: x",
		`Authorization: Bearer ${token}`,
		"Content-Type: application/json",
		`Idempotency-Key: ${key}`,
		`Content-Length: ${Buffer.byteLength(body)}`,
	];
	return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Sends the first bytes of a request and closes the connection, as a killed client does. */
const cut = (port: number, bytes: Buffer, reset: boolean): Promise<void> =>
	new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => {
			socket.write(bytes, () => (reset ? socket.resetAndDestroy() : socket.destroy()));
		});
		socket.on("error", () => undefined); // the other side may close the connection first
		socket.on("close", () => resolve());
	});

const checked = (reply: WireReply): WireReply => {
	const { status, headers, text } = reply;
	checkReply({ method: "POST", path: PlaceOrder.path, status, headers, body: JSON.parse(text) as unknown });
	return reply;
};

interface Placed {
	readonly key: string;
	readonly bytes: Buffer;
	readonly text: string;
	/** Whether the first answer was a replay of an order that an earlier, unanswered attempt had placed. */
	readonly unheard: boolean;
	readonly cuts: number;
}

/** Places one order over connections that break. */
async function placeTorn(n: number, reservationToken: string): Promise<Placed> {
	const random = createRandom(n + 1);
	const key = `cart-${n}`;
	const bytes = placeBytes(reservationToken, key);
	for (let cuts = 0; ; ) {
		const port = must(ports[random.below(ports.length)], "a node");
		if (cuts > 0 && random.below(TRIES) >= CUT_OF_TRIES) {
			const wire = new Wire(port);
			const reply = checked(await wire.ask(bytes, "POST"));
			wire.close();
			if (reply.status === 409 && reply.text.includes("hold_race")) continue;
			expect([200, 201], `${reply.text}\n${failuresOf(house)}`).toContain(reply.status);
			expect(reply.headers["idempotent-replayed"]).toBe(reply.status === 200 ? "true" : undefined);
			return { key, bytes, text: reply.text, unheard: reply.status === 200, cuts };
		}
		cuts++;
		// half of the cuts lose the answer only
		await cut(port, bytes.subarray(0, random.once(2) ? bytes.length : random.below(bytes.length)), random.once(2));
	}
}

/** The level `error`, as pino writes it. */
const ERROR_LINE = '"level":50';
/** The nodes' log lines about requests that failed because of the service. */
const failuresOf = ({ nodes }: House): string =>
	nodes
		.flatMap(({ child }) => child?.lines ?? [])
		.filter((line) => line.includes(ERROR_LINE))
		.join("\n");

/** Does a piece of work for each number, with limited concurrency. */
async function withClients<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
	const done: T[] = [];
	let next = 0;
	await Promise.all(
		Array.from({ length: CLIENTS }, async () => {
			for (let n = next++; n < count; n = next++) done[n] = await work(n);
		}),
	);
	return done;
}

describe("orders over connections that break", () => {
	it("are placed exactly once each, and every repeat answers the same bytes", async () => {
		const tokens = await withClients(ORDERS, async () => {
			const { data } = await client.call(Reserve, token, { items: [{ sku: SKU, qty: KITS }], ttl_minutes: 600 });
			return data.reservation_token;
		});
		const placed = await withClients(ORDERS, (n) => placeTorn(n, must(tokens[n], "a hold")));
		await withClients(ORDERS, async (n) => {
			const { bytes, text } = must(placed[n], "an order");
			const wire = new Wire(must(ports[n % ports.length], "a node"));
			const again = checked(await wire.ask(bytes, "POST"));
			wire.close();
			expect([again.status, again.text]).toEqual([200, text]);
		});
		const { rows } = await house.db.query(
			`select (select count(*)::int from orders) as orders, (select count(distinct ref)::int from orders) as refs,
			        (select count(*)::int from shipment) as boxes, (select count(*)::int from event) as events,
			        (select sum(allocated)::int from lot) as allocated, (select sum(available)::int from lot join formula using (formula_id) where code = 'F-${SKU}') as available`,
		);
		const units = { allocated: ORDERS * KITS, available: 1 };
		expect(rows).toEqual([{ orders: ORDERS, refs: ORDERS, boxes: ORDERS, events: 0, ...units }]);
		expect(await audit(house.db)).toEqual([]);
		// the test proves nothing unless some answers were lost after their orders had been placed
		expect(placed.filter(({ unheard }) => unheard).length).toBeGreaterThan(ORDERS / 20);
	}, 1_800_000);
});
