import { describe, expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { type Answer, data, refusal, startServer, type TestServer } from "./http-server-for-tests.ts";

const clientOf = (server: TestServer): Holdfast =>
	new Holdfast({ baseUrl: server.url, coaUrl: server.url, token: "pk_list:sk_list", requestsPerMinute: 1000 });

const AS_OF = "2026-09-06T12:00:00.000Z";
const pageOf = (skus: readonly string[], next_cursor: string, has_more: boolean): Answer =>
	data({
		items: skus.map((sku) => ({ sku, tracks_inventory: true, availability: { atp_qty: 3 } })),
		next_cursor,
		has_more,
		as_of: AS_OF,
	});
const cursorsOf = (server: TestServer): (string | null)[] =>
	server.arrived.map(({ url }) => new URL(url, server.url).searchParams.get("cursor"));

describe("A list", () => {
	it("gives every item of every page, with counts, and then where to go on", async () => {
		await using server = await startServer(
			pageOf(["A", "B"], "c1", true),
			pageOf([], "c2", true),
			pageOf(["C"], "c3", false),
		);
		const list = clientOf(server).products.list({ limit: 2 });
		expect(list.cursor).toBeNull();
		const items = await Array.fromAsync(list);
		expect(items.map(({ sku }) => sku)).toEqual(["A", "B", "C"]);
		expect(items[0]?.availability.atpQty).toEqual({ kind: "known", qty: 3 });
		expect(list.cursor).toBe("c3");
		expect(cursorsOf(server)).toEqual([null, "c1", "c2"]);
		expect(server.arrived.every(({ url }) => url.includes("limit=2"))).toBe(true);
	});

	it("gives pages, each with its cursor and time", async () => {
		await using server = await startServer(pageOf(["A"], "c1", true), pageOf(["B"], "c2", false));
		const pages = await Array.fromAsync(clientOf(server).products.list({ cursor: "c0" }).pages());
		expect(pages.map(({ items, ...page }) => [items.length, page])).toEqual([
			[1, { cursor: "c1", asOf: new Date(AS_OF) }],
			[1, { cursor: "c2", asOf: new Date(AS_OF) }],
		]);
		expect(cursorsOf(server)).toEqual(["c0", "c1"]);
	});

	it("reads no page before it is needed, and its cursor is that of the last page that was taken whole", async () => {
		await using server = await startServer(pageOf(["A", "B"], "c1", true), pageOf(["C", "D"], "c2", true));
		const list = clientOf(server).products.list({ cursor: "c0" });
		for await (const { sku } of list) {
			if (sku === "B") expect(list.cursor).toBe("c0");
			if (sku === "C") break;
		}
		expect(list.cursor).toBe("c1");
		expect(server.arrived).toHaveLength(2);
	});

	it("begins anew with each iteration", async () => {
		await using server = await startServer(pageOf(["A"], "c1", false));
		const list = clientOf(server).products.list();
		await Array.fromAsync(list);
		await Array.fromAsync(list);
		expect(cursorsOf(server)).toEqual([null, null]);
	});

	it("that fails keeps the cursor from which it can be continued", async () => {
		await using server = await startServer(pageOf(["A"], "c1", true), refusal(401, "unauthorized"));
		const list = clientOf(server).products.list();
		await expect(Array.fromAsync(list)).rejects.toMatchObject({ code: "unauthorized" });
		expect(list.cursor).toBe("c1");
	});

	it("without hasMore ends where there is no next cursor", async () => {
		await using server = await startServer(
			data({ items: [{ request_id: "r1" }], next_cursor: "c1" }),
			data({ items: [{ request_id: "r2" }], next_cursor: null }),
		);
		const requests = await Array.fromAsync(clientOf(server).sandbox.requests());
		expect(requests.map(({ requestId }) => requestId)).toEqual(["r1", "r2"]);
	});
});

describe("CSV", () => {
	const csv =
		(text: string, headers: Readonly<Record<string, string>>): Answer =>
		(response) =>
			response.writeHead(200, { "Content-Type": "text/csv", ...headers }).end(text);

	it("of all pages is one text with one header row", async () => {
		await using server = await startServer(
			csv("a,b\r\n1,2\r\n", { "X-Next-Cursor": "c1", Link: '<https://a.example/?cursor=c1>; rel="next"' }),
			csv("a,b\r\n", { "X-Next-Cursor": "c2", Link: '<https://a.example/?cursor=c2>; rel="next"' }),
			csv('a,b\r\n"3\r\n3",4\r\n', { "X-Next-Cursor": "c3" }),
		);
		const stream = clientOf(server).coa.csv({ status: "all" });
		expect(await new Response(stream).text()).toBe('a,b\r\n1,2\r\n"3\r\n3",4\r\n');
		expect(cursorsOf(server)).toEqual([null, "c1", "c2"]);
		expect(server.arrived.every(({ url }) => url.includes("status=all&format=csv"))).toBe(true);
	});

	it("fails as every read does", async () => {
		await using server = await startServer(refusal(403, "forbidden"));
		await expect(new Response(clientOf(server).coa.csv()).text()).rejects.toMatchObject({ code: "forbidden" });
	});

	it("of one page comes with its headers", async () => {
		await using server = await startServer(csv("a,b\r\n", { "X-Next-Cursor": "c1" }));
		const { data: bytes, headers } = await clientOf(server).raw.coa.csv();
		expect([new TextDecoder().decode(bytes), headers.get("x-next-cursor")]).toEqual(["a,b\r\n", "c1"]);
	});
});
