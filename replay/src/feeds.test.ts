import { createServer, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { WEB } from "./channels.ts";
import { missedBy, Reader, type Reading } from "./feeds.ts";
import { Client } from "./http.ts";
import { Tally } from "./tally.ts";

const READING: Reading = { list: "shipments", channel: WEB, brand: "WEB", limit: 2 };

let server: Server;
let client: Client;
let asked: string[];

type Page = { items: { shipment_id: string; version: number }[]; next_cursor: string; has_more: boolean };

/** A list that answers the first request with the first of these, and so on; null: it closes the connection. */
async function readFrom(pages: (Page | null)[], rough = false): Promise<{ reader: Reader; tally: Tally }> {
	asked = [];
	server = createServer((request, response) => {
		const page = pages[asked.push(request.url as string) - 1];
		if (!page) return void response.destroy();
		const text = JSON.stringify({ data: page });
		response.writeHead(200, { "content-length": Buffer.byteLength(text) }).end(text);
	});
	await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
	client = new Client(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
	const tally = new Tally();
	return { reader: new Reader(READING, client, "pk:sk", tally, rough), tally };
}

afterEach(() => {
	client.close();
	server.close();
});

const page = (next_cursor: string, has_more: boolean, ...rows: [id: string, version: number][]): Page => ({
	items: rows.map(([shipment_id, version]) => ({ shipment_id, version })),
	next_cursor,
	has_more,
});

test("a reader goes on from its last cursor, asks a page without an answer again, and reads to the end after it is told to stop", async () => {
	const { reader, tally } = await readFrom([
		page("c1", true, ["a", 1], ["b", 1]),
		null,
		page("c2", false, ["a", 2]),
		page("c3", false, ["c", 1]),
	]);
	let over = false;
	const following = reader.follow(() => over);
	await expect.poll(() => reader.pages).toBe(2);
	over = true;
	await following;
	expect(asked.slice(0, 3)).toEqual([
		"/api/v1/shipments?limit=2",
		"/api/v1/shipments?limit=2&cursor=c1",
		"/api/v1/shipments?limit=2&cursor=c1",
	]);
	expect([...reader.rows.values()].map(({ version }) => version)).toEqual([2, 1, 1]);
	expect([reader.received, tally.lost, tally.faultCount]).toEqual([4, 1, 0]);
	const table = ["a", "b", "c"].map((id) => ({ id, version: id === "a" ? 2 : 1, brand_code: "WEB" }));
	expect(missedBy(reader, table)).toEqual([]);
});

test("a row that goes back to an older version is a fault", async () => {
	const { reader, tally } = await readFrom([page("c1", false, ["a", 2], ["a", 1])]);
	await reader.follow(() => true);
	expect(tally.faultCount).toBe(1);
});

test("rows that are missing, old, or nobody's are told; those of other brands are not looked for", () => {
	const rows = new Map([
		["a", { shipment_id: "a", version: 1 }],
		["z", { shipment_id: "z", version: 1 }],
	]);
	const table = [
		{ id: "a", version: 2, brand_code: "WEB" },
		{ id: "b", version: 1, brand_code: "WEB" },
		{ id: "c", version: 1, brand_code: "NORTH" },
	];
	expect(missedBy({ reading: READING, rows }, table)).toEqual([
		"shipments, web, 2 a page: a was reported in another state than it has",
		"shipments, web, 2 a page: b was reported in another state than it has",
		"shipments, web, 2 a page: z is not in the tables",
	]);
});
