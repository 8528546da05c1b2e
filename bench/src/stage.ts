/** The servers that run on one world during a measurement. */
import path from "node:path";
import {
	type Asked,
	type Cell,
	type Cursors,
	NO_CURSORS,
	PRODUCTS_PAGE,
	SHIPMENTS_PAGE,
	type Spread,
	templatesOf,
} from "./cells.ts";
import { HOST, type Server, serviceOn, startBenchServer } from "./children.ts";
import { cursorAt } from "./cursor-at.ts";
import { CUSTOMER } from "./order-sql.ts";
import type { CannedReplies } from "./server.ts";
import type { World } from "./world.ts";

/** Spread and hot have plain servers of their own, each with the best pool size for it. */
export type ServerName = "service" | "gate" | "plain/spread" | "plain/hot";
export const serverOf = ({ target, spread }: Cell): ServerName =>
	target === "plain" ? `plain/${spread}` : target === "gate" ? "gate" : "service";

export interface Stage {
	readonly world: World;
	readonly servers: Readonly<Partial<Record<ServerName, Server>>>;
	readonly cursors: Cursors;
	stop(): Promise<void>;
}

export interface StageOptions {
	/** Whether to start the gate alone. */
	readonly gate: boolean;
	/** Plain servers to start, with the sizes of their pools. */
	readonly plainPools: Readonly<Partial<Record<Spread, number>>>;
	/** Folder for the servers' logs. */
	readonly logs: string;
	readonly nodeOptions?: string[];
}

export async function setStage(world: World, { gate, plainPools, logs, nodeOptions }: StageOptions): Promise<Stage> {
	const servers: Partial<Record<ServerName, Server>> = {};
	const stop = async (): Promise<void> => {
		for (const server of Object.values(servers)) await server.stop();
	};
	try {
		servers.service = await serviceOn(world, path.join(logs, "service.log"), nodeOptions);
		const { replies, cursors } = await realReplies(servers.service.port, world);
		const nothing = { kind: "nothing", replies } as const;
		if (gate) servers.gate = await startBenchServer(world, nothing, path.join(logs, "gate.log"));
		for (const spread of ["spread", "hot"] as const) {
			const connections = plainPools[spread];
			if (connections === undefined) continue;
			const log = path.join(logs, `plain-${spread}.log`);
			servers[`plain/${spread}`] = await startBenchServer(world, { kind: "plain", connections }, log);
		}
		return { world, servers, cursors, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/**
 * One real reply of each operation, so that the gate alone sends as many bytes as the service; and the cursors of
 * further pages.
 */
async function realReplies(port: number, world: World): Promise<{ replies: CannedReplies; cursors: Cursors }> {
	const ask = async (asked: Asked): Promise<never> => {
		const { method, path: at, body } = templatesOf({ asked, target: "service" }, NO_CURSORS)[0]!;
		const fill = (text: string): string =>
			text.replaceAll("{sku}", "000001").replaceAll("{ref}", "the-first-reference");
		return await send(port, world, method, fill(at), body === undefined ? undefined : fill(body));
	};
	const reserve = await ask("reserve");
	const replies: CannedReplies = {
		reserve,
		check: await ask("check"),
		inventory: await ask("inventory"),
		products: await ask("products"),
		summary: await ask("summary"),
		place: world.pastOrders > 0 ? await placeOf(port, world, reserve) : null,
		coa: null,
	};
	const products = pageOf(replies.products, PRODUCTS_PAGE);
	const summary = pageOf(replies.summary, PRODUCTS_PAGE);
	if (world.pastOrders === 0) return { replies, cursors: { products, summary, shipments: "" } };
	// past orders are numbered from 1: half of them are before the middle
	pageOf(await ask("shipments"), SHIPMENTS_PAGE);
	const shipments = await cursorAt(world, Math.floor(world.pastOrders / 2), [
		undefined,
		undefined,
		undefined,
		undefined,
	]);
	return { replies, cursors: { products, summary, shipments } };
}

/** The cursor of a page, which must be full. */
function pageOf(page: unknown, size: number): string {
	const { items, next_cursor } = page as { items: unknown[]; next_cursor: string };
	if (items.length !== size) throw new Error(`a page has ${items.length} items, not ${size}`);
	return next_cursor;
}

/** Places an order from the hold that was just made. */
async function placeOf(
	port: number,
	world: World,
	{ reservation_token }: { reservation_token: string },
): Promise<never> {
	const body = JSON.stringify({ reservation_token, customer: JSON.parse(CUSTOMER()) as unknown });
	return await send(port, world, "POST", "/api/v1/orders", body);
}

async function send(port: number, world: World, method: string, at: string, body: string | undefined): Promise<never> {
	const response = await fetch(`http://${HOST}:${port}${at}`, {
		method,
		headers: {
			authorization: `Bearer ${world.tokens[0]}`,
			"content-type": "application/json",
			"idempotency-key": "the-first-order",
		},
		...(body === undefined ? {} : { body }),
	});
	const reply = (await response.json()) as { data: never };
	if (!response.ok)
		throw new Error(`the service answered ${method} ${at} with ${response.status}: ${JSON.stringify(reply)}`);
	return reply.data;
}
