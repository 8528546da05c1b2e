/**
 * A server with the service's own gate (keys, rate limit, API date, scope, schemas, log line, metrics) and something
 * else behind it, chosen by a message of its parent: `nothing` answers at once with an earlier answer of the service,
 * which shows the limit of the gate alone; `plain` reserves with one transaction per request.
 */
import { keyedSurface, partnerDocument } from "../../service/src/assembly/keyed-surfaces.ts";
import { createLog } from "../../service/src/ground/lib/log.ts";
import { runTasks } from "../../service/src/ground/lib/run-tasks.ts";
import { openDatabase } from "../../service/src/ground/pg/connect.ts";
import { CoaFeed } from "../../service/src/inventory/certificates/contract.ts";
import { Reserve } from "../../service/src/inventory/holds/contract.ts";
import { PlaceOrder } from "../../service/src/inventory/orders/contract.ts";
import { Check, Inventory, Products, Summary } from "../../service/src/inventory/stock/contract.ts";
import { createMetrics } from "../../service/src/partners/http/metrics.ts";
import { type Gate, mount } from "../../service/src/partners/http/mount.ts";
import { createHttpServer } from "../../service/src/partners/http/server.ts";
import { createAuthenticate } from "../../service/src/partners/keys/authenticate.ts";
import { createKeyCache } from "../../service/src/partners/keys/key-cache.ts";
import { parseKeyRing } from "../../service/src/partners/keys/key-ring.ts";
import { LOOK_AT_KEYS } from "../../service/src/partners/keys/tasks.ts";
import { placePlainly } from "./plain-place.ts";
import { reservePlainly } from "./plain-reserve.ts";

/** `data` of one real reply for each operation. */
export interface CannedReplies {
	readonly reserve: never;
	readonly check: never;
	readonly inventory: never;
	readonly products: never;
	readonly summary: never;
	/** Null: the world has no holds to place. */
	readonly place: never | null;
	/** Null: the world has no certificates. */
	readonly coa: never | null;
}

export interface ServerJob {
	readonly databaseUrl: string;
	readonly secretKeys: string;
	readonly behind: { kind: "nothing"; replies: CannedReplies } | { kind: "plain"; connections: number };
}

export type ServerMessage = { kind: "listening"; port: number } | { kind: "failed"; why: string };

const HOST = "127.0.0.1";

async function serve(job: ServerJob): Promise<number> {
	const keys = createKeyCache(openDatabase(job.databaseUrl, { max: 1, name: "bench keys" }));
	await keys.refresh();
	const log = createLog("info");
	const metrics = createMetrics();
	runTasks([LOOK_AT_KEYS], { keys }, { log, counterOf: metrics.task });
	const authenticate = createAuthenticate(keys, parseKeyRing(job.secretKeys));
	const server = createHttpServer({ log, metrics });
	const gate = server.gate(keyedSurface(partnerDocument(), authenticate));
	if (job.behind.kind === "nothing") mountNothing(gate, job.behind.replies);
	else mountPlain(gate, job.databaseUrl, job.behind.connections);
	return await server.listen(0, HOST);
}

function mountNothing(gate: Gate, { reserve, check, inventory, products, summary, place, coa }: CannedReplies): void {
	if (coa !== null) mount(gate, CoaFeed, () => ({ status: 200, data: coa }));
	if (place !== null) mount(gate, PlaceOrder, () => ({ status: 201, data: place }));
	mount(gate, Reserve, () => ({ status: 201, data: reserve }));
	mount(gate, Check, () => ({ status: 200, data: check }));
	mount(gate, Inventory, () => ({ status: 200, data: inventory }));
	mount(gate, Products, () => ({ status: 200, data: products }));
	mount(gate, Summary, () => ({ status: 200, data: summary }));
}

function mountPlain(gate: Gate, databaseUrl: string, connections: number): void {
	const db = openDatabase(databaseUrl, { max: connections, name: "bench plain" });
	mount(gate, Reserve, async ({ caller, body, requestId }) => {
		const data = await reservePlainly(db, caller, requestId, body);
		return { status: 201, data };
	});
	mount(gate, PlaceOrder, async (request) => ({ status: 201, data: await placePlainly(db, request) }));
}

const tell = (message: ServerMessage): void => void process.send?.(message);

process.on("message", (job: ServerJob) => {
	serve(job).then(
		(port) => tell({ kind: "listening", port }),
		(error: unknown) => tell({ kind: "failed", why: String(error) }),
	);
});
process.on("disconnect", () => process.exit());
