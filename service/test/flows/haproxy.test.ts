import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../lab/src/ground/ports.ts";
import { toConfig } from "../../src/config.ts";
import { SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { FAILURES_PER_MINUTE } from "../../src/partners/http/limits.ts";
import { type House, openHouse } from "../house.ts";
import { type Child, start, until } from "../processes/child.ts";

/*
 * deploy/haproxy as it is, executed by Debian's HAProxy in front of three nodes. Only addresses and paths are replaced,
 * and checks of nodes come more often.
 */

/** `.ci/run` installs it. */
const HAPROXY = "/usr/sbin/haproxy";
const FOLDER = join(import.meta.dirname, "../../../deploy/haproxy");
const NODES = ["node1", "node2", "node3"];
/** Number of keys: so many that each node gets some of them. */
const KEYS = 24;
const REPEATS = 3;

let folder: string;
let house: House;
let keys: Key[];

interface Key {
	readonly pk: string;
	readonly token: string;
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-haproxy-"));
	house = await openHouse({
		nodes: NODES.length,
		env: { HOLDFAST_TRUSTED_PROXIES: "127.0.0.1", HOLDFAST_STOP_DELAY_SECONDS: "3" },
	});
	await house.stock({ ONE: 1_000 });
	keys = await Promise.all(Array.from({ length: KEYS }, () => house.mint({ scopes: SCOPES })));
});
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true });
});

interface Proxy {
	readonly api: string;
	readonly coa: string;
	/** The node to which a request went, as the log has it. */
	nodeOf(reply: Response): Promise<string>;
	readonly child: Child;
	stop(): Promise<void>;
}

const hostOf = (url: string): string => new URL(url).host;

/** HAProxy with the repository's file, and these brands by the public halves of keys. */
async function openProxy(brands: Readonly<Record<string, string>> = {}): Promise<Proxy> {
	const map = join(folder, "brands.map");
	const lines = Object.entries(brands).map(([pk, brand]) => `${pk} ${brand}\n`);
	await writeFile(map, (await readFile(join(FOLDER, "brands.map"), "utf8")) + lines.join(""));
	const [api, coa] = [await freePort(), await freePort()];
	let config = await readFile(join(FOLDER, "haproxy.cfg"), "utf8");
	const replace = (written: string, used: string): void => {
		expect(config).toContain(written);
		config = config.replaceAll(written, used);
	};
	replace("/etc/haproxy/brands.map", map);
	replace("/run/haproxy/admin.sock", join(folder, "admin.sock"));
	replace("bind 127.0.0.1:8080", `bind 127.0.0.1:${api}`);
	replace("bind 127.0.0.1:8081", `bind 127.0.0.1:${coa}`);
	replace("check inter 1s", "check inter 200ms");
	const ports = toConfig({});
	for (const [n, node] of house.nodes.entries()) {
		replace(`server node${n + 1} 10.0.0.1${n + 1}:${ports.port}`, `server node${n + 1} ${hostOf(node.api)}`);
		replace(`server node${n + 1} 10.0.0.1${n + 1}:${ports.coaPort}`, `server node${n + 1} ${hostOf(node.coa)}`);
	}
	const file = join(folder, "haproxy.cfg");
	await writeFile(file, config);
	const child = start(HAPROXY, ["-db", "-f", file]);
	const at = `http://127.0.0.1:${api}`;
	await until(`HAProxy (${child.errors.join("\n")})`, async () => {
		if (child.process.exitCode !== null) throw new Error(`it ended: ${child.errors.join("\n")}`);
		return await fetch(`${at}/livez`).then(
			({ status }) => status === 200,
			() => false,
		);
	});
	return {
		api: at,
		coa: `http://127.0.0.1:${coa}`,
		nodeOf: async (reply) => {
			const id = must(reply.headers.get("x-request-id"), "the id of a request");
			const line = await until("a line of the log", () => child.lines.find((one) => one.includes(id)));
			return must(line.split(" ")[1], "the node");
		},
		child,
		stop: () => child.kill(),
	};
}

const read = (at: string, authorization: string): Promise<Response> =>
	fetch(`${at}/api/v1/inventory?sku=ONE`, { headers: { authorization } });

/** The status of a request with a wrong token from one address of this machine, which claims to be from another. */
async function statusFrom(localAddress: string, api: string, claimed: string): Promise<number> {
	const { hostname: host, port } = new URL(api);
	const headers = { authorization: "Bearer nobody", "x-forwarded-for": claimed };
	const sent = request({ host, port, localAddress, path: "/api/v1/inventory?sku=ONE", headers, agent: false }).end();
	const [reply] = (await once(sent, "response")) as [IncomingMessage];
	reply.resume();
	return must(reply.statusCode, "a status");
}

/** The node of each key, which must be the same for all requests of it. */
async function nodesOf(proxy: Proxy, some: readonly Key[]): Promise<string[]> {
	const found: string[] = [];
	for (const { token } of some) {
		const its = new Set<string>();
		for (let n = 0; n < REPEATS; n++) {
			const reply = await read(proxy.api, `Bearer ${token}`);
			expect(reply.status).toBe(200);
			its.add(await proxy.nodeOf(reply));
		}
		expect([...its]).toHaveLength(1);
		found.push(...its);
	}
	return found;
}

async function through(brands: Readonly<Record<string, string>>, work: (proxy: Proxy) => Promise<void>): Promise<void> {
	const proxy = await openProxy(brands);
	try {
		await work(proxy);
	} finally {
		await proxy.stop();
	}
}

describe("Behind deploy/haproxy", () => {
	it("all requests of a key go to one node, those of different keys to all nodes, and those without a key in turn", async () => {
		await through({}, async (proxy) => {
			const nodes = await nodesOf(proxy, keys);
			expect([...new Set(nodes)].toSorted()).toEqual(NODES);
			const [{ pk, token }, node] = [must(keys[0], "a key"), nodes[0]];
			const reserved = await fetch(`${proxy.api}/api/v1/reserve`, {
				method: "POST",
				headers: { authorization: `bearer  ${token} `, "content-type": "application/json" },
				body: JSON.stringify({ items: [{ sku: "ONE", qty: 1 }] }),
			});
			expect([reserved.status, await proxy.nodeOf(reserved)]).toEqual([201, node]);
			const secondSecret = await read(proxy.api, `Bearer ${pk}:sk_other`);
			expect([secondSecret.status, await proxy.nodeOf(secondSecret)]).toEqual([401, node]);
			const certificates = await fetch(`${proxy.coa}/api/partner/v1/coa`, {
				headers: { authorization: `Bearer ${token}` },
			});
			expect([certificates.status, await proxy.nodeOf(certificates)]).toEqual([200, node]);
			const turns: string[] = [];
			for (let n = 0; n < NODES.length; n++) turns.push(await proxy.nodeOf(await fetch(`${proxy.api}/api/versions`)));
			expect(turns.toSorted()).toEqual(NODES);
		});
	});

	it("all keys of a brand in brands.map go to one node, and no other key changes its own", async () => {
		let alone: string[] = [];
		await through({}, async (proxy) => void (alone = await nodesOf(proxy, keys)));
		const apart = keys.findIndex((_key, n) => alone[n] !== alone[0]);
		const [first, second] = [must(keys[0], "a key"), must(keys[apart], "a key of another node")];
		await through({ [first.pk]: "ACME", [second.pk]: "ACME" }, async (proxy) => {
			const together = await nodesOf(proxy, keys);
			expect(together[0]).toBe(together[apart]);
			const others = (nodes: readonly string[]) => nodes.filter((_node, n) => n !== 0 && n !== apart);
			expect(others(together)).toEqual(others(alone));
		});
	});

	it("a client is known by its own address, whatever it says of itself", async () => {
		await through({}, async (proxy) => {
			const statuses: number[] = [];
			for (let n = 0; n <= FAILURES_PER_MINUTE; n++)
				statuses.push(await statusFrom("127.0.0.2", proxy.api, `203.0.113.${n}`));
			expect(statuses).toEqual([...Array.from({ length: FAILURES_PER_MINUTE }, () => 401), 429]);
			expect(await statusFrom("127.0.0.3", proxy.api, "127.0.0.2")).toBe(401);
		});
	});

	/** Makes the database take no writes, or take them again, on new connections, which all nodes need then. */
	const takeWrites = async (does: boolean): Promise<void> => {
		await house.db.onOne(async (client) => {
			await client.query("set default_transaction_read_only = off");
			const { rows } = await client.query<{ name: string }>("select current_database() as name");
			await client.query(
				`alter database "${rows[0]?.name}" set default_transaction_read_only = ${does ? "off" : "on"}`,
			);
			await client.query(
				"select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
			);
			await client.query("reset default_transaction_read_only");
		});
	};

	it("when no node is ready, a node refuses what it cannot do as the contract says, and answers reads", async () => {
		await through({}, async (proxy) => {
			const { token } = must(keys[0], "a key");
			const reserve = async (): Promise<Response> => {
				const reply = await fetch(`${proxy.api}/api/v1/reserve`, {
					method: "POST",
					headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
					body: JSON.stringify({ items: [{ sku: "ONE", qty: 1 }] }),
				});
				expect([200, 201, 429, 500]).toContain(reply.status); // 500 only in the first seconds
				return reply;
			};
			const without = (backend: string) =>
				until(`${backend} without a node`, () =>
					proxy.child.lines.find((line) => line.includes(`backend ${backend} has no`)),
				);
			await takeWrites(false);
			try {
				await Promise.all(["nodes", "coa-nodes"].map(without));
				const refused = await until("a refusal", async () => {
					const reply = await reserve();
					return reply.status === 429 ? reply : undefined;
				});
				expect(await refused.json()).toMatchObject({ error: { code: "rate_limited" } });
				expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
				expect((await read(proxy.api, `Bearer ${token}`)).status).toBe(200);
				const certificates = await fetch(`${proxy.coa}/api/partner/v1/coa`, {
					headers: { authorization: `Bearer ${token}` },
				});
				expect(certificates.status).toBe(200);
			} finally {
				await takeWrites(true);
			}
			await until("a reserve", async () => (await reserve()).status === 201);
			for (const { api } of house.nodes)
				await until("the node to be ready", async () => (await fetch(`${api}/readyz`)).status === 200);
		});
	});

	it("a node that stops fails no request, moves its own keys, and leaves the others where they are", async () => {
		await through({}, async (proxy) => {
			const before = await nodesOf(proxy, keys);
			const leaving = must(before[0], "a node");
			const stopped = must(house.nodes[NODES.indexOf(leaving)], "a node").stop();
			await until(`requests that no longer go to ${leaving}`, async () => {
				const nodes: string[] = [];
				for (const { token } of keys) {
					const reply = await read(proxy.api, `Bearer ${token}`);
					expect(reply.status).toBe(200);
					nodes.push(await proxy.nodeOf(reply));
				}
				return !nodes.includes(leaving);
			});
			await stopped;
			const after = await nodesOf(proxy, keys);
			for (const [n, node] of before.entries()) {
				if (node === leaving) expect(NODES.filter((one) => one !== leaving)).toContain(after[n]);
				else expect(after[n]).toBe(node);
			}
		});
	});
});
