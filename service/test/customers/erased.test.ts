import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_BRAND, SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { GetOperatorOrder, ListOrders } from "../../src/inventory/orders/admin-contract.ts";
import { PackOrder } from "../../src/inventory/shipping/papers-admin-contract.ts";
import { ShipBox, VoidBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { EraseCustomers, ListErasures } from "../../src/upkeep/customers/admin-contract.ts";
import { CUSTOMER_TASKS } from "../../src/upkeep/customers/tasks.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { newPartner } from "../doors.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";
import { signedBy } from "../webhooks/signers.ts";
import { customerOf, newWord } from "./marked-customer.ts";
import { columnsWith, copiesWith } from "./search-database.ts";

/*
 * Customers whose every text is unique, so that a search of the database for it finds whatever is kept of them. Their
 * orders are live and of the sandbox, which logs bodies; the receivers of their events answer with the customer's name.
 */

const CUSTOMERS = sizeOr(1_000, 20);
/** Number of orders that are under way at once. */
const AT_ONCE = 8;
const never = new AbortController().signal;

/**
 * Where the database has customers' data as long as it is kept. A new place must be erased too: docs/decisions/0100.
 */
const PLACES = [
	"event.body",
	"label_push.detail",
	"orders.cancel_reason",
	"orders.customer",
	"orders.note",
	"request_log_sandbox.requests",
	"webhook_delivery.attempts",
];
/** Those that an order has only if it was cancelled, or refused by a label platform. */
const OF_CANCELS = ["event.body", "label_push.detail", "orders.cancel_reason"];

let house: House;
let receiver: Receiver;
/** The customer's name by the order's reference: what the receiver answers. */
const names = new Map<string, string>();

interface Partner {
	readonly token: string;
	readonly sku: string;
	readonly name: string;
	readonly environment: "live" | "sandbox";
}
let live: Partner;
let sandbox: Partner;

beforeAll(
	async () => {
		receiver = await openReceiver((_request, response, { body }) => {
			const { data } = JSON.parse(body) as { data: { ref: string } };
			response.writeHead(200).end(`thank you, ${names.get(data.ref) ?? "nobody"}`);
		});
		house = await openHouse({ nodes: 2, env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" } });
		await house.stock({ ONE: 10 * CUSTOMERS + 100 });
		live = await openPartner("live");
		sandbox = await openPartner("sandbox");
	},
	sizeOr(600_000, 120_000),
);
afterAll(async () => {
	await receiver.close();
	await house.close();
});

const SANDBOX_KEY = { environment: "sandbox", brandCode: SANDBOX_BRAND, sharedPool: false } as const;

async function openPartner(environment: "live" | "sandbox"): Promise<Partner> {
	const bound = environment === "sandbox" ? SANDBOX_KEY : {};
	const name = newPartner();
	const { token } = await house.mint({
		partner: name,
		scopes: SCOPES,
		requestsPerMinute: 6_000, // as many as a fast machine makes
		...bound,
	});
	const body = { url: receiver.url, event_types: ["order.shipped", "order.cancelled", "order.held"] };
	const { json } = await house.call(token, "/api/v1/webhook-endpoints", { body });
	signedBy(json.data.endpoint_id, receiver.url, [json.data.secret]);
	return { name, token, environment, sku: environment === "sandbox" ? "SBX-PLENTY" : "ONE" };
}

interface Placed {
	readonly partner: Partner;
	readonly mark: string;
	readonly ref: string;
	readonly token: string;
	readonly orderId: string;
	/** Otherwise it was cancelled, or is open. */
	isShipped?: true;
}

/** Places an order, and reads it in every way: what is answered may be kept. */
async function place(partner: Partner, mark: string, ref = `cart-${newWord()}`): Promise<Placed> {
	const { token, sku } = partner;
	names.set(ref, `Ada ${mark}`);
	const held = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku, qty: 1 }] } });
	const reservation_token = held.json.data.reservation_token as string;
	const headers = { "Idempotency-Key": ref };
	const order = (country?: string) => ({ reservation_token, customer: customerOf(mark, country), note: `For ${mark}` });
	const refused = await house.call(token, "/api/v1/orders", { body: order("XX"), headers, node: 1 });
	expect([refused.status, refused.json.error.code]).toEqual([422, "invalid_customer"]);
	const made = await house.call(token, "/api/v1/orders", { body: order(), headers });
	expect(made.status).toBe(201);
	const reads = [`orders/${ref}`, "orders?limit=5", ...(partner === sandbox ? ["shipments?limit=5"] : [])];
	for (const at of reads) expect((await house.call(token, `/api/v1/${at}`, { node: 1 })).status).toBe(200);
	return { partner, mark, ref, token: reservation_token, orderId: made.json.data.order_id };
}

/** Ships an order; the operator's papers have the address too. */
async function ship({ partner, ref, orderId }: Placed): Promise<void> {
	if (partner.environment === "sandbox") {
		const { status } = await house.call(partner.token, "/api/v1/sandbox/advance", {
			body: { order_ref: ref, to: "shipped" },
		});
		expect(status).toBe(200);
		return;
	}
	expect((await operate(house, PackOrder, { params: { id: orderId }, body: { paper: "LETTER" } })).status).toBe(200);
	const body = { carrier: "ups", tracking_number: `1Z${ref}` };
	expect((await operate(house, ShipBox, { params: { id: orderId }, body })).status).toBe(200);
}

async function cancel({ partner, ref, mark }: Placed): Promise<void> {
	const body = { reason: `${mark} changed her mind` };
	const { status } = await house.call(partner.token, `/api/v1/orders/${ref}/cancel`, { body, method: "POST" });
	expect(status).toBe(200);
}

/** Orders of customers, every fourth one cancelled and the others shipped, half of each environment. */
async function trade(markOf: (n: number) => string, count: number): Promise<Placed[]> {
	const all: Placed[] = [];
	let next = 0;
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			for (let n = next++; n < count; n = next++) {
				const placed = await place(n % 2 === 0 ? live : sandbox, markOf(n));
				if (n % 4 < 2) placed.isShipped = true;
				await (n % 4 < 2 ? ship : cancel)(placed);
				all.push(placed);
			}
		}),
	);
	return all;
}

/** Waits until nothing is to be sent and the log has every request. */
async function settle(): Promise<void> {
	await until("all deliveries", async () => {
		const { rows } = await house.db.query("select from webhook_delivery where status = 'pending' limit 1");
		return rows.length === 0;
	});
	await until("the log", () => house.nodes.every(({ deps }) => deps?.requestLog.counts().waiting === 0));
}

/** As if the orders had ended this many days ago. */
const letDaysPass = (orders: readonly Placed[], days: number) =>
	house.db.query(
		`update orders set shipped_at = shipped_at - make_interval(days => $2), cancelled_at = cancelled_at - make_interval(days => $2)
		  where order_id = any($1::uuid[])`,
		[orders.map(({ orderId }) => orderId), days],
	);
/** As if the minutes had passed after which the log is looked through once more. */
const letLogSettle = () =>
	house.db.query("update customer_erasure set log_due_at = now() - interval '1 second' where log_due_at is not null");

/** One run of the task, on as many nodes at once. */
const runTask = (nodes = 1, customerDataDays = 400) =>
	Promise.all(
		Array.from({ length: nodes }, () =>
			must(CUSTOMER_TASKS[0], "the task").run({ db: house.db, config: { customerDataDays } }, never),
		),
	);

/** Waits until the log was looked through for every order: the nodes' own tasks may have taken some of them. */
const searched = () =>
	until("the end of the search", async () => {
		const { rows } = await house.db.query("select from customer_erasure limit 1");
		return rows.length === 0;
	});

/** Reads a key's list of orders to its end; then what has changed since. */
async function following({ token }: Partner): Promise<() => Promise<string[]>> {
	let cursor = "";
	const rest = async (): Promise<string[]> => {
		const ids: string[] = [];
		for (;;) {
			const { json } = await house.call(token, `/api/v1/orders?limit=200${cursor}`);
			ids.push(...json.data.items.map(({ order_id }: { order_id: string }) => order_id));
			if (json.data.next_cursor !== null) cursor = `&cursor=${encodeURIComponent(json.data.next_cursor)}`;
			if (!json.data.has_more) return ids;
		}
	};
	await rest();
	return rest;
}

const search = async (text: string) => ({
	columns: await columnsWith(house.db, text),
	copies: await copiesWith(house.url, text),
});
const NOWHERE = { columns: [], copies: [] };
const isInOrder = async () => expect(await verify(house.db)).toMatchObject({ ok: true, differences: [] });
const ERASED = {
	name: "",
	ship_to: { line1: "", city: "", postal_code: "", country: "US" },
};

describe("When the days are over", () => {
	it(
		"a search of the whole database finds nothing of the customers any more, and everything else is as it was",
		async () => {
			const word = newWord();
			const orders = await trade((n) => `${word}n${n}`, CUSTOMERS);
			const young = newWord();
			const kept = [await place(live, young), await place(sandbox, young)];
			await ship(must(kept[1], "an order"));
			await settle();
			// what a label platform says when it does not accept an address
			const refused = "insert into label_push (order_id, state, detail) values ($1, 'address_refused', $2)";
			await house.db.query(refused, [must(orders[0], "an order").orderId, `There is no ${word} Street`]);
			await house.db.query("analyze");
			expect(await columnsWith(house.db, word)).toEqual(PLACES);
			const followed = await following(live);
			await letDaysPass(orders, 401);
			await isInOrder();

			await runTask(2);
			await letLogSettle();
			await runTask(2);
			await searched();
			await house.db.query("analyze");
			expect(await search(word)).toEqual(NOWHERE);
			expect(await columnsWith(house.db, young)).toEqual(PLACES.filter((place) => !OF_CANCELS.includes(place)));
			await isInOrder();

			for (const { partner, ref, token, orderId, mark } of [
				must(orders[0], "an order"),
				must(orders.at(-1), "an order"),
			]) {
				const read = await house.call(partner.token, `/api/v1/orders/${ref}`);
				expect(read.json.data).toMatchObject({
					order_id: orderId,
					customer: ERASED,
					note: null,
					customer_erased_at: read.json.data.updated_at,
				});
				expect(read.json.data.customer).toEqual(ERASED);
				const again = await house.call(partner.token, "/api/v1/orders", {
					body: { reservation_token: token, customer: customerOf(mark) },
					headers: { "Idempotency-Key": ref },
				});
				expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
				expect(again.json.data).toEqual(read.json.data);
				const shown = await operate(house, GetOperatorOrder, { params: { id: orderId } });
				expect(shown.json.data).toMatchObject({ customer: ERASED, cancel_reason: null });
			}
			// whoever follows the list sees the change of each order once
			const mine = orders.filter(({ partner }) => partner === live).map(({ orderId }) => orderId);
			expect((await followed()).toSorted()).toEqual(mine.toSorted());
			const shipped = must(
				orders.find(({ partner, isShipped }) => isShipped && partner === sandbox),
				"a shipped order",
			);
			const boxes = await house.call(sandbox.token, `/api/v1/shipments?order_ref=${shipped.ref}`);
			expect(boxes.json.data.items[0].ship_to).toEqual({ city: "", state: null, postal_code: "", country: "US" });
		},
		sizeOr(3_000_000, 120_000),
	);

	it("not before, and never of orders that are still to be shipped, and with 0 days never", async () => {
		const word = newWord();
		const [shipped, open] = [await place(live, word), await place(live, word)];
		await ship(shipped);
		await letDaysPass([shipped], 399);
		await house.db.query("update orders set placed_at = placed_at - interval '900 days' where order_id = $1", [
			open.orderId,
		]);
		await runTask();
		await letDaysPass([shipped], 2);
		await runTask(1, 0);
		const names = async () =>
			(
				await house.db.query<{ name: string }>(
					"select customer ->> 'name' as name from orders where order_id = any($1::uuid[]) order by order_id",
					[[shipped.orderId, open.orderId]],
				)
			).rows.map(({ name }) => name);
		expect(await names()).toEqual([`Ada ${word}`, `Ada ${word}`]);
		await runTask();
		expect(await names()).toEqual(["", `Ada ${word}`]);
	});
});

const erase = (body: object) => operate(house, EraseCustomers, { body });
const audited = async () =>
	(
		await house.db.query(
			"select operation, about, body, status, code from audit_log where operation = 'erase_customers' order by seq",
		)
	).rows;

describe("On demand", () => {
	it("one order is erased everywhere, once, and what was not shipped yet is refused", async () => {
		const mark = newWord();
		const order = await place(sandbox, mark);
		const early = await erase({ order: order.ref });
		expect([early.status, early.json.error.code]).toEqual([409, "not_possible_now"]);
		expect(early.json.error.message).toContain("ship or cancel it first");
		await ship(order);
		await settle();
		const rows = await audited();
		const dry = await erase({ order: order.ref, dry_run: true });
		expect([dry.status, dry.json.data]).toEqual([200, { erased: 1, already: 0, open: [], unknown: 0, dry_run: true }]);
		expect((await columnsWith(house.db, mark)).length).toBeGreaterThan(0);
		expect((await erase({ order: order.ref })).json.data).toEqual({ erased: 1, already: 0, open: [], unknown: 0 });
		expect(await columnsWith(house.db, mark)).toEqual([]);
		expect((await erase({ order: order.orderId })).json.data).toEqual({ erased: 0, already: 1, open: [], unknown: 0 });
		expect((await audited()).slice(rows.length)).toEqual([
			{ operation: "erase_customers", about: order.orderId, body: { order: order.ref }, status: 202, code: null },
		]);
		const list = await operate(house, ListErasures);
		expect(list.json.data.items).toMatchObject([{ order_id: order.orderId }]);
		const gone = await operate(house, VoidBox, { params: { id: order.orderId }, body: { reason: "it came back" } });
		expect([gone.status, gone.json.error.code]).toEqual([409, "not_possible_now"]);
		await isInOrder();
	});

	it("every order of an address is erased, or none, and the address is written down nowhere", async () => {
		const mark = newWord();
		const orders = [await place(live, mark), await place(sandbox, mark), await place(sandbox, mark)];
		const [shipped, cancelled, open] = orders as [Placed, Placed, Placed];
		await ship(shipped);
		await cancel(cancelled);
		// a customer whose order was never placed
		const body = { reservation_token: shipped.token, customer: customerOf(mark), note: "tried" };
		const strange = await house.call(sandbox.token, "/api/v1/orders", {
			body,
			headers: { "Idempotency-Key": newWord() },
		});
		expect(strange.status).toBe(404);
		const second = await house.mint({ partner: sandbox.name, scopes: SCOPES, ...SANDBOX_KEY });
		const forbidden = await house.call(second.token, "/api/v1/orders", {
			body: { ...body, reservation_token: cancelled.token },
			headers: { "Idempotency-Key": newWord() },
		});
		expect(forbidden.status).toBe(403);
		await settle();
		const customer_email = ` ${mark.toUpperCase()}@Example.com`;
		const early = await erase({ customer_email });
		expect([early.status, early.json.error.code]).toEqual([409, "not_possible_now"]);
		expect(early.json.error.message).toContain(open.ref);
		await cancel(open);
		await settle();
		const nobody = await erase({ customer_email: `x${mark}@example.com` });
		expect([nobody.status, nobody.json.error.code]).toEqual([404, "not_found"]);
		const erased = await erase({ customer_email });
		expect(erased.json.data).toEqual({ erased: 3, already: 0, open: [], unknown: 0 });
		for (const text of [mark, mark.toUpperCase()]) expect(await columnsWith(house.db, text)).toEqual([]);
		expect((await audited()).at(-1)).toMatchObject({ about: "an e-mail address", body: { customer_email: "***" } });
		const found = await operate(house, ListOrders, { query: `?q=${mark}` });
		expect(found.json.data.items).toEqual([]);
		await isInOrder();
	});

	it("a list erases again what a restored backup brought back, and names what it leaves", async () => {
		const mark = newWord();
		const [shipped, open] = [await place(live, mark), await place(live, mark)];
		await ship(shipped);
		const order_ids = [shipped.orderId.toUpperCase(), open.orderId, "0199f0a0-3333-7000-8000-00000000dead"];
		const told = { erased: 1, already: 0, open: [open.orderId], unknown: 1 };
		expect((await erase({ order_ids, dry_run: true })).json.data).toEqual({ ...told, dry_run: true });
		expect((await erase({ order_ids })).json.data).toEqual(told);
		expect((await erase({ order_ids })).json.data).toEqual({ ...told, erased: 0, already: 1 });
	});

	it.for([[{}], [{ order: "a", customer_email: "b" }], [{ customer_email: "a", order_ids: [] }]])(
		"%j is refused: exactly one thing is named",
		async ([body]) => {
			expect((await erase(must(body, "a body"))).status).toBe(400);
		},
	);
});
