import Type from "typebox";
import { keyedSurface, partnerDocument } from "../src/assembly/keyed-surfaces.ts";
import { type Log, silentLog } from "../src/ground/lib/log.ts";
import { isRefusal, refuse } from "../src/ground/lib/refusal.ts";
import type { Database } from "../src/ground/pg/connect.ts";
import { transaction } from "../src/ground/pg/transaction.ts";
import { type ApiDates, createApiDates } from "../src/partners/http/api-date.ts";
import { createMetrics } from "../src/partners/http/metrics.ts";
import { type Gate, type HttpServer, mount } from "../src/partners/http/mount.ts";
import { operation } from "../src/partners/http/operation.ts";
import { createHttpServer, type ServerOptions } from "../src/partners/http/server.ts";
import { GivenId, Text } from "../src/partners/http/text.ts";
import { createAuthenticate } from "../src/partners/keys/authenticate.ts";
import { createKeyCache, type KeyCache } from "../src/partners/keys/key-cache.ts";
import { type KeyRing, newKeyRingEntry, parseKeyRing } from "../src/partners/keys/key-ring.ts";
import type { MintRequest } from "../src/partners/keys/key-rules.ts";
import { type MintedKey, mintKey, type OpenSandbox } from "../src/partners/keys/mint-key.ts";
import type { KeyPatience } from "../src/partners/keys/refresh-keys.ts";
import { revokeKey } from "../src/partners/keys/suspend-key.ts";
import { LOOK_AT_KEYS } from "../src/partners/keys/tasks.ts";
import { routes as versionRoutes } from "../src/partners/versions/routes.ts";
import { keepSecretsOf } from "./leaks/secrets.ts";
import { runTask } from "./run-task.ts";

/** Two small operations that only tests have: they do almost nothing, so that the gate's behaviour can be observed. */
export const Echo = operation({
	id: "echo",
	method: "POST",
	path: "/api/v1/echo",
	scope: "atp.reserve",
	summary: "Echo",
	description: "Answers what it was given.",
	body: Type.Object(
		{
			items: Type.Array(
				Type.Object(
					{ sku: Text({ min: 1, max: 20 }), qty: Type.Integer({ minimum: 1, maximum: 10_000 }) },
					{ additionalProperties: false },
				),
				{ minItems: 1, maxItems: 100 },
			),
			external_ref: Type.Optional(Text({ min: 1, max: 200 })),
			token: Type.Optional(GivenId()),
			weight: Type.Optional(Type.Number()),
			mode: Type.Optional(Type.Union([Type.Literal("a"), Type.Literal("b")])),
		},
		{ additionalProperties: false },
	),
	replies: {
		201: Type.Object({ skus: Type.Array(Type.String()), pk: Type.String() }, { additionalProperties: false }),
	},
	replyHeaders: { "Idempotent-Replayed": "`true` on a replay" },
	examples: {
		request: { items: [{ sku: "A", qty: 1 }] },
		replies: { 201: { skus: ["A"], pk: "pk_hf_live_x" } },
		errors: { no_inventory: "Not enough.", retry: "Again." },
	},
});

export const Look = operation({
	id: "look",
	method: "GET",
	path: "/api/v1/look",
	scope: "atp.inventory",
	summary: "Look",
	description: "Answers what it was asked.",
	conditional: true,
	query: Type.Object(
		{
			sku: Text({ min: 1 }),
			limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
			product: Type.Optional(Type.Array(Text({ min: 1 }))),
		},
		{ additionalProperties: false },
	),
	replies: {
		200: Type.Object({
			sku: Type.String(),
			limit: Type.Optional(Type.Integer()),
			product: Type.Optional(Type.Array(Type.String())),
			as_of: Type.String(),
		}),
	},
	examples: { replies: { 200: { sku: "A", as_of: "2026-09-06T00:00:00.000Z" } } },
});

export interface Doors {
	readonly db: Database;
	readonly ring: KeyRing;
	readonly cache: KeyCache;
	readonly server: HttpServer;
	readonly gate: Gate;
	readonly port: number;
	readonly origin: string;
	mint(request?: Partial<MintRequest>): Promise<MintedKey>;
	close(): Promise<void>;
}

interface DoorOptions extends Pick<ServerOptions, "addresses" | "connections" | "bodies" | "forms" | "streamStallMs"> {
	readonly log?: Log;
	readonly dates?: ApiDates;
	readonly ring?: KeyRing;
	/** Mounts further operations on the gate of the partner API, or pages on its server. */
	readonly extend?: (gate: Gate, server: HttpServer) => void;
	readonly patience?: KeyPatience;
}

let partners = 0;
let looks = 0;

/** Loaded for sandbox keys alone: most tests need no engine. */
const openSandbox: OpenSandbox = async (...asked) => (await import("./open-sandbox.ts")).openSandbox(...asked);

/** A gate with real keys on a real database, and the operations above behind it. */
export async function openDoors(
	db: Database,
	{
		log = silentLog(),
		dates = createApiDates(),
		ring = parseKeyRing(newKeyRingEntry()),
		extend = () => undefined,
		patience,
		...options
	}: DoorOptions = {},
): Promise<Doors> {
	const cache = createKeyCache(db);
	await cache.refresh();
	const looking = runTask(LOOK_AT_KEYS, { keys: cache });
	const authenticate = createAuthenticate(cache, ring, patience);
	const server = createHttpServer({ log, metrics: createMetrics(), dates, ...options });
	const gate = server.gate(keyedSurface(partnerDocument(dates), authenticate));
	versionRoutes(gate);
	extend(gate, server);
	mount(gate, Echo, async ({ body, caller, standing }) => {
		const [first] = body.items;
		// checked again when its turn comes, as in the engine
		if (first?.sku === "ENDED") {
			await transaction(db, (tx) => revokeKey(tx, caller.pk));
			return (await standing.confirm()) ? refuse("retry", "It goes on.") : refuse("unauthorized", "Its key has ended.");
		}
		if (first?.sku === "OUT") return refuse("no_inventory", "Not enough.");
		if (first?.sku === "RETRY") return refuse("retry", "Again.");
		if (first?.sku === "BUG") throw new Error("bug: asked for");
		return { status: 201, data: { skus: body.items.map(({ sku }) => sku), pk: caller.pk } };
	});
	mount(gate, Look, async ({ query }) => {
		const as_of = new Date(Date.UTC(2026, 0, 1) + ++looks).toISOString();
		return { status: 200, data: { ...query, as_of } };
	});
	const port = await server.listen(0, "127.0.0.1");
	return {
		db,
		ring,
		cache,
		server,
		gate,
		port,
		origin: `http://127.0.0.1:${port}`,
		mint: (request) => mint(db, ring, request),
		close: async () => {
			await server.close(1_000);
			await looking.stop();
		},
	};
}

/** A live, unbound key with every scope and a rate limit that no test reaches, unless the request says otherwise. */
export async function mint(db: Database, ring: KeyRing, request: Partial<MintRequest> = {}): Promise<MintedKey> {
	const minting = { ring, openSandbox };
	const minted = await transaction(db, (tx) =>
		mintKey(tx, minting, {
			name: `key ${++partners}`,
			partner: newPartner(),
			environment: "live",
			brandCode: null,
			sharedPool: true,
			scopes: ["atp.reserve", "atp.inventory"],
			requestsPerMinute: 1_000_000,
			...request,
		}),
	);
	if (isRefusal(minted)) throw new Error(minted.message);
	keepSecretsOf(minted.token);
	return minted;
}

/** The name of a partner that no test has used; its first key creates it. */
export const newPartner = (): string => `Partner ${++partners}`;
