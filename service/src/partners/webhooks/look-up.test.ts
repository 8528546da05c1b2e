import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { size } from "../../../test/sizes.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { createLookUp } from "./look-up.ts";
import { createPoster } from "./post.ts";

const [A, AAAA] = [1, 28];
const servers: (() => void)[] = [];
afterEach(() => {
	for (const close of servers.splice(0)) close();
});

/** Answers by record type: addresses as bytes; null: silence; absent: no such record. */
type Zone = (name: string, type: number) => readonly (readonly number[])[] | null;

/** A name server on this machine. `asked`: the queried names, in order. */
async function openServer(zone: Zone): Promise<{ readonly address: string; readonly asked: string[] }> {
	const socket = createSocket("udp4");
	const asked: string[] = [];
	socket.on("message", (query, from) => {
		const { name, end } = nameIn(query);
		const type = query.readUInt16BE(end);
		asked.push(name);
		const found = zone(name, type);
		if (found === null) return;
		const head = Buffer.from(query.subarray(0, 12));
		head.writeUInt16BE(0x8180, 2);
		head.writeUInt16BE(found.length, 6);
		head.writeUInt16BE(0, 10); // no additional records, whatever the query had
		const records = found.map((address) =>
			Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, address.length, ...address]),
		);
		socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...records]), from.port, from.address);
	});
	socket.bind(0, "127.0.0.1");
	await once(socket, "listening");
	servers.push(() => socket.close());
	return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
}

function nameIn(query: Buffer): { name: string; end: number } {
	const labels: string[] = [];
	let at = 12;
	for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
		labels.push(query.toString("latin1", at + 1, at + 1 + length));
		at += 1 + length;
	}
	return { name: labels.join("."), end: at + 1 };
}

describe("Names of receivers", () => {
	it("are asked of the name servers, in both families, which take turns", async () => {
		const both: Zone = (_, type) =>
			type === A
				? [
						[192, 0, 2, 1],
						[192, 0, 2, 2],
					]
				: [Array(15).fill(0).concat(9)];
		const server = await openServer(both);
		expect(await createLookUp([server.address])("a.example")).toEqual(["192.0.2.1", "::9", "192.0.2.2"]);
	});

	it("are known with the addresses of one family, if the name server is silent about the other", async () => {
		const half: Zone = (_, type) => (type === A ? [[192, 0, 2, 1]] : null);
		const { address } = await openServer(half);
		const silent = await openServer(() => null);
		const [known, late] = [
			createLookUp([address])("half.example").then(monotonicMs),
			createLookUp([silent.address])("silent.example").catch(monotonicMs),
		];
		expect(await known).toBeLessThan((await late) as number);
		expect(await createLookUp([address])("half.example")).toEqual(["192.0.2.1"]);
	});

	it.each([
		["a name that nobody has", () => [], "ENOTFOUND"],
		["a silent name server", () => null, "EAI_AGAIN"],
	] as [string, Zone, string][])(
		"%s: in words of its own, in bounded time",
		async (_, zone, code) => {
			const { address } = await openServer(zone);
			await expect(createLookUp([address])("none.example")).rejects.toMatchObject({ code });
		},
		15_000,
	);

	it("that lead inside and names that nobody has are told apart by no word of an attempt", async () => {
		const { address } = await openServer((name, type) => (name === "db.example" && type === A ? [[10, 0, 0, 7]] : []));
		const poster = createPoster({ allowed: [], lookUp: createLookUp([address]) });
		const stopping = new AbortController().signal;
		try {
			for (const host of ["db.example", "none.example"]) {
				const at = { owner: host, url: `https://${host}/hook` };
				const posted = await poster.post({ ...at, headers: {}, body: "{}" }, stopping);
				expect(posted).toMatchObject({ error: "the host has no public address", excerpt: null });
				expect(await poster.read(at, stopping)).toEqual({ status: null, error: posted.error });
			}
		} finally {
			await poster.close();
		}
	});

	it("are asked for once by everybody who asks at the same time", async () => {
		const server = await openServer((_, type) => (type === AAAA ? [] : [[192, 0, 2, 1]]));
		const lookUp = createLookUp([server.address]);
		await Promise.all(Array.from({ length: 50 }, (_, n) => lookUp(n % 2 === 0 ? "one.example" : "ONE.example")));
		expect(server.asked).toHaveLength(2);
	});

	it("localhost is this machine, and no name server is asked for it", async () => {
		const server = await openServer(() => []);
		for (const name of ["localhost", "LOCALHOST.", "app.localhost"]) {
			expect(await createLookUp([server.address])(name)).toEqual(["127.0.0.1", "::1"]);
		}
		expect(server.asked).toEqual([]);
	});

	it("however many are silent, the system's own look-ups do not wait for them", async () => {
		const server = await openServer(() => null);
		const lookUp = createLookUp([server.address]);
		let over = 0;
		const silent = Array.from({ length: size(400) }, (_, n) =>
			lookUp(`n${n}.example`).catch(() => {
				over++;
			}),
		);
		for (let n = 0; n < 8; n++) await lookup("127.0.0.1.", { all: true }).catch(() => undefined);
		await Promise.all(Array.from({ length: 8 }, () => lookup("localhost", { all: true })));
		expect(over).toBe(0);
		await Promise.all(silent);
	}, 20_000);
});
