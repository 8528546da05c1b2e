import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
import { Wire, type WireReply } from "./hostile/wire.ts";
import { openWorld, unique, type World } from "./world.ts";

/*
 * Requests that arrive in part, twice, or behind other bytes: nothing is done unless it was requested completely, and
 * nothing is done twice.
 */

let world: World;
let token: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	({ token } = await world.key({ brand: "ACME" }));
});
afterAll(() => world.stop());

const UNITS = 1_000;
const stock = async (): Promise<string> => (await world.stocked([{ brand: "ACME", units: UNITS }])).sku;
const heldOf = async (sku: string): Promise<number> =>
	(await world.call(Inventory, token, { sku })).data.totals.reserved;

interface Parts {
	/** Announced length of the body; absent: the real one. */
	readonly length?: number | string;
	readonly more?: string;
	readonly qty?: number;
}

/** A reserve of one unit, as bytes. */
function reserveBytes(sku: string, external_ref: string, { length, more = "", qty = 1 }: Parts = {}): string {
	const body = JSON.stringify({ items: [{ sku, qty }], external_ref });
	return `POST ${Reserve.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}Content-Length: ${length ?? Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Everything that is answered until the service closes the connection, or this number of replies. */
const rude = (bytes: string, count = Number.POSITIVE_INFINITY): Promise<WireReply[]> =>
	new Wire(world.port).askMany(Buffer.from(bytes), count);
const broken = (bytes: string): Promise<WireReply[]> => new Wire(world.port).breakOff(Buffer.from(bytes));
const codeOf = ({ status, text }: WireReply): string =>
	`${status} ${(JSON.parse(text) as { error?: { code: string } }).error?.code ?? ""}`.trim();

describe("A request that did not arrive whole is not carried out", () => {
	it("broken off at any byte", async () => {
		const sku = await stock();
		const bytes = reserveBytes(sku, unique("ref"));
		for (let at = 0; at < bytes.length; at += 7) {
			for (const reply of await broken(bytes.slice(0, at))) expect(codeOf(reply)).toBe("400 bad_request");
		}
		expect(await heldOf(sku)).toBe(0);
	});

	it("a body shorter than its length, though its JSON is complete", async () => {
		const sku = await stock();
		const body = JSON.stringify({ items: [{ sku, qty: 1 }], external_ref: "x" });
		for (const extra of [1, 10, 100_000]) {
			const replies = await broken(reserveBytes(sku, "x", { length: body.length + extra }));
			for (const reply of replies) expect(codeOf(reply)).toBe("400 bad_request");
		}
		expect(await heldOf(sku)).toBe(0);
	});

	it("a body longer than its length: the part is judged alone, the rest is no second request", async () => {
		const sku = await stock();
		const [first, ...rest] = await rude(reserveBytes(sku, "x", { length: 10 }));
		expect(first && codeOf(first)).toBe("400 bad_request");
		for (const reply of rest) expect(codeOf(reply)).toBe("400 bad_request");
		expect(await heldOf(sku)).toBe(0);
	});

	it("chunks that never end", async () => {
		const sku = await stock();
		const body = JSON.stringify({ items: [{ sku, qty: 1 }] });
		const head = reserveBytes(sku, "x")
			.split("\r\n\r\n")[0]
			?.replace(/Content-Length: \d+/, "Transfer-Encoding: chunked");
		const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
		for (const end of ["", "0", "0\r\n", "zz\r\n", "-1\r\n", "fffffffffffffffff\r\n"]) {
			for (const reply of await broken(`${head}\r\n\r\n${chunk}${end}`)) expect(codeOf(reply)).toBe("400 bad_request");
		}
		expect(await heldOf(sku)).toBe(0);
		const [whole] = await rude(`${head}\r\n\r\n${chunk}0\r\n\r\n`, 1);
		expect(whole?.status).toBe(201);
	});
});

describe("Two readings of one request are refused", () => {
	it.each([
		["a length and chunks", "Transfer-Encoding: chunked\r\n"],
		["two lengths", "Content-Length: 5\r\n"],
		["the same length twice", "Content-Length: LENGTH\r\n"],
		["chunked twice", "Transfer-Encoding: chunked, chunked\r\n"],
		["a coding nobody knows", "Transfer-Encoding: cow\r\n"],
		["a space before the colon", "Transfer-Encoding : chunked\r\n"],
		["a folded line", "X-Folded: a\r\n b\r\n"],
		["a bare line feed", "X-Bare: a\nTransfer-Encoding: chunked\r\n"],
		["NUL in a header", "X-Nul: a\u0000b\r\n"],
	])("%s", async (_what, more) => {
		const sku = await stock();
		const length = Buffer.byteLength(JSON.stringify({ items: [{ sku, qty: 1 }], external_ref: "x" }));
		const smuggled = reserveBytes(sku, "smuggled");
		const replies = await rude(
			`${reserveBytes(sku, "x", { more: more.replace("LENGTH", String(length)) })}${smuggled}`,
		);
		expect(replies.map(codeOf)).toEqual(["400 bad_request"]);
		expect(replies[0]?.headers.connection).toBe("close");
		expect(await heldOf(sku)).toBe(0);
	});
});

describe("Requests sent at once on one connection", () => {
	it("are answered in order, each once", async () => {
		const sku = await stock();
		const wanted = Array.from({ length: 40 }, (_, n) => n + 1);
		const read = `GET ${Inventory.path}?sku=${sku} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
		const sent = wanted.map((qty) => reserveBytes(sku, unique("pipe"), { qty }) + read).join("");
		const replies = await rude(sent, 2 * wanted.length);
		expect(replies.map(({ status }) => status)).toEqual(wanted.flatMap(() => [201, 200]));
		const granted = replies
			.filter((_, n) => n % 2 === 0)
			.map(({ text }) => JSON.parse(text).data.items[0].reserved_qty);
		expect(granted).toEqual(wanted);
		expect(await heldOf(sku)).toBe(wanted.reduce((sum, qty) => sum + qty, 0));
	});

	it("garbage ends the connection: what came before is answered, what comes behind it is not carried out", async () => {
		const sku = await stock();
		const before = [unique("before"), unique("before")];
		for (const garbage of [
			"\u0000\u0001\u0002\r\n\r\n",
			"GET\r\n\r\n",
			"\r\nHTTP/1.1 200 OK\r\n\r\n",
			"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
		]) {
			const sent =
				before.map((reference) => reserveBytes(sku, reference)).join("") +
				garbage +
				reserveBytes(sku, unique("behind"));
			const replies = await rude(sent);
			expect(replies.length).toBeGreaterThanOrEqual(1);
			const answered = replies.filter(({ status }) => status === 201);
			expect(replies.slice(answered.length).map(codeOf)).toEqual(
				replies.slice(answered.length).map(() => "400 bad_request"),
			);
		}
		expect(await heldOf(sku)).toBeLessThanOrEqual(before.length);
		expect(await world.audit()).toEqual([]);
	});

	it("a client that hangs up leaves whole holds or none", async () => {
		const sku = await stock();
		const references = Array.from({ length: 50 }, () => unique("gone"));
		for (const reference of references) {
			const wire = new Wire(world.port);
			void wire.ask(Buffer.from(reserveBytes(sku, reference)), "POST").catch(() => undefined);
			await new Promise((resolve) => setTimeout(resolve, 1));
			wire.close();
		}
		// the same references again: each finds or creates its hold, so there is exactly one for each
		for (const external_ref of references) {
			expect((await world.call(Reserve, token, { items: [{ sku, qty: 1 }], external_ref })).status).toBe(201);
		}
		expect(await heldOf(sku)).toBe(references.length);
		expect(await world.audit()).toEqual([]);
	});
});
