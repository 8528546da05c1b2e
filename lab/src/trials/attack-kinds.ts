import { randomUUID } from "node:crypto";
import { freePort } from "../ground/ports.ts";
import type { ServiceNode } from "../ground/service-node.ts";
import { ask } from "./ask.ts";
import type { AttackJob } from "./attack-process.ts";

/** The attacked service and the keys for the attacks. */
export interface Field {
	readonly node: ServiceNode;
	readonly coaPort: number;
	/** A key of the partner that must not be affected. */
	readonly shop: string;
	/** A key with the usual rate limit: reads, and pushes mirrors. */
	readonly limited: string;
	/** A key of a partner that registers webhooks. */
	readonly hooks: string;
}

export interface Attack {
	readonly name: string;
	jobs(field: Field): Promise<readonly AttackJob[]>;
	/** What is done in addition to the jobs. */
	besides?(field: Field): Promise<unknown>;
}

const get = (at: string, token?: string): string =>
	`GET ${at} HTTP/1.1\r\nHost: x\r\n${token === undefined ? "" : `Authorization: Bearer ${token}\r\n`}\r\n`;
const STILL = { text: "", times: 1, reads: true, everyMs: 2_000, pour: null } as const;
const FLOOD = { ...STILL, from: ["127.0.0.2"], connections: 2_400, times: 10 } as const;
const MADE_UP = `/coa/file/${randomUUID()}/${"0".repeat(64)}`;
const FIVE = ["127.0.1.1", "127.0.1.2", "127.0.1.3", "127.0.1.4", "127.0.1.5"];
const ENDPOINTS = "/api/v1/webhook-endpoints";
const INTERIM = "HTTP/1.1 102 Processing\r\n\r\n";
/** Registrations of names whose servers do not answer, and posts to a receiver. */
const [NAMES, POSTS] = [40, 40];
const MIRROR_ITEMS = 5_000;

/** A mirror whose last item is invalid. */
function wrongMirror(): string {
	const items = Array.from({ length: MIRROR_ITEMS }, (_, n) => ({
		sku: `S${n}`,
		prepaid_units: n + 1 === MIRROR_ITEMS ? -1 : 1,
	}));
	return JSON.stringify({ brand_code: "B", sequence: 1, as_of: "2026-01-01T00:00:00Z", items });
}

let receiverPort = 0;

/** Each attack is limited in connections and time; all come from this machine. */
export const ATTACKS: readonly Attack[] = [
	{
		name: "made-up PDFs",
		jobs: async ({ coaPort }) => [{ ...FLOOD, port: coaPort, text: get(MADE_UP) }],
	},
	{
		name: "API dates without a key",
		jobs: async ({ node }) => [{ ...FLOOD, port: node.plan.port, text: get("/api/versions") }],
	},
	{
		name: "paths that do not exist, with made-up keys",
		jobs: async ({ node }) => [{ ...FLOOD, port: node.plan.port, text: get("/nowhere", "x") }],
	},
	{
		name: "documentation without a key",
		jobs: async ({ node }) => [{ ...FLOOD, port: node.plan.port, text: get("/docs") }],
	},
	{
		name: "made-up keys",
		jobs: async ({ node, limited, hooks }) => [
			{
				...FLOOD,
				port: node.plan.port,
				text: get("/api/v1/inventory?sku=A", `${limited.split(":")[0]}:${hooks.split(":")[1]}`),
			},
		],
	},
	{
		name: "connections of one key",
		jobs: async ({ node, limited }) => {
			const text = get("/api/v1/inventory?sku=A", limited);
			return FIVE.map((from) => ({
				...STILL,
				port: node.plan.port,
				from: [from],
				connections: 2_000,
				text,
				everyMs: 60_000,
			}));
		},
	},
	{
		name: "a key beyond its rate",
		jobs: async ({ node, limited }) => [
			{
				...STILL,
				port: node.plan.port,
				from: FIVE,
				connections: 30,
				text: get("/api/v1/inventory?sku=A", limited),
				times: 600,
			},
		],
	},
	{
		name: "silent connections from the probe's address",
		jobs: async ({ node }) => [
			{ ...STILL, port: node.plan.port, from: ["127.0.0.9"], connections: 2_600, everyMs: 1_000 },
		],
	},
	{
		name: "replies that nobody reads",
		jobs: async ({ node }) => [
			{
				...STILL,
				port: node.plan.port,
				from: ["127.0.0.2"],
				connections: 150,
				text: get("/docs/json"),
				times: 100,
				reads: false,
			},
		],
	},
	{
		name: "mirrors whose last item is wrong",
		jobs: async () => [],
		besides: async ({ node, limited }) => {
			const body: unknown = JSON.parse(wrongMirror());
			await Promise.all(
				Array.from({ length: 60 }, () => ask(node.direct, limited, "POST", "/api/v1/reserve-cache", body)),
			);
		},
	},
	{
		name: "interim answers of a receiver",
		jobs: async ({ node }) => {
			receiverPort = await freePort();
			return [
				{ ...STILL, port: node.plan.port, from: [], connections: 0, pour: { port: receiverPort, text: INTERIM } },
			];
		},
		besides: async ({ node, hooks }) => {
			const url = `http://127.0.0.1:${receiverPort}/`;
			const { reply } = await ask(node.direct, hooks, "POST", ENDPOINTS, { url });
			const id = (reply as { data?: { endpoint_id?: string } } | null)?.data?.endpoint_id ?? "none";
			await Promise.all(
				Array.from({ length: POSTS }, () => ask(node.direct, hooks, "POST", `${ENDPOINTS}/${id}/test`, {})),
			);
		},
	},
	{
		name: "names whose name server is silent",
		jobs: async () => [],
		besides: async ({ node, hooks }) => {
			const register = (): Promise<unknown> =>
				ask(node.direct, hooks, "POST", ENDPOINTS, { url: `https://${randomUUID()}.example/hook` });
			await Promise.all(Array.from({ length: NAMES }, register));
		},
	},
];
