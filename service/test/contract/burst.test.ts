import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../house.ts";

/** Bodies sent at the same time: as many as a key may send in a minute. */
const BURST = 60;
const ALMOST_1_MIB = 1024 * 1024 - 200;
/**
 * Maximum cost of a refused body, as a multiple of discarding its bytes unread: usually it is two to six times.
 * Examining everything in the body, which this test must detect, costs two hundred times.
 */
const AT_MOST_TIMES = 20;

let house: House;
let sender: string;
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const filled = (start: string, unit: string, end: string): string =>
	start + unit.repeat(Math.floor((ALMOST_1_MIB - start.length - end.length) / unit.length)) + end;

const REFUSED = {
	items: filled('{"items":[', '{"sku":"A","qty":1},', "{}]}"),
	ones: filled('{"items":[', "1,", "1]}"),
	"unknown fields": `{${Array.from({ length: 70_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
	"one huge text": filled('{"items":[{"qty":0,"sku":"', "x", '"}]}'),
	"one huge text of escapes": filled('{"items":[{"qty":0,"sku":"', "\\u00e9", '"}]}'),
	"escaped names": filled('{"items":[{"\\u0071ty":0,"sku":"', '\\"', '"}]}'),
	"nested deeply": filled('{"items":', "[", ""),
	spaces: filled('{"items":[', " ", "1]}"),
} as const;

/** A garbage collection may fall into one burst; costly refusals show in every burst. */
const TRIES = 3;

beforeAll(async () => {
	// a process of its own, so that the cost of sending does not count as the service's work
	house = await openHouse({ processes: true });
	sender = (await house.mint()).token;
	await burst(Buffer.from(REFUSED.items), "application/json"); // compiles schemas on first use
});
afterAll(async () => {
	agent.destroy();
	await house.close();
});

function send(body: Buffer, type: string): Promise<number> {
	return new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${sender}`, "content-type": type, "content-length": body.length };
		const sent = request(`${house.api}/api/v1/reserve`, { agent, method: "POST", headers }, (response) => {
			response.resume();
			response.on("end", () => resolve(response.statusCode ?? 0));
		});
		sent.on("error", reject);
		sent.end(body);
	});
}

/** The answers, and the milliseconds of the service's processor time, on all its threads. */
async function burst(body: Buffer, type: string): Promise<{ statuses: ReadonlySet<number>; work: number }> {
	const before = await workMs();
	const statuses = await Promise.all(Array.from({ length: BURST }, () => send(body, type)));
	return { statuses: new Set(statuses), work: (await workMs()) - before };
}

async function workMs(): Promise<number> {
	const text = await (await fetch(`${house.metrics}/metrics`)).text();
	return 1_000 * Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

describe(`${BURST} bodies of just under 1 MiB at once from one key are refused for little more work than leaving them unread`, () => {
	it.for(Object.entries(REFUSED))("%s", async ([, text]) => {
		const body = Buffer.from(text);
		let [work, most] = [Number.POSITIVE_INFINITY, 0];
		for (let n = 0; n < TRIES && work >= most; n++) {
			const unread = await burst(body, "text/plain");
			const read = await burst(body, "application/json");
			expect(unread.statuses).toEqual(new Set([400]));
			for (const status of read.statuses) expect([400, 429]).toContain(status);
			work = Math.min(work, read.work);
			most = Math.max(most, AT_MOST_TIMES * unread.work);
		}
		expect(work).toBeLessThan(most);
	});
});
