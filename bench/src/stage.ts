/** The servers that stand on one world while it is measured. */
import path from "node:path";
import { type Cell, PRODUCTS_PAGE, type Spread, templatesOf } from "./cells.ts";
import { HOST, type Server, serviceOn, startBenchServer } from "./children.ts";
import type { CannedReplies } from "./server.ts";
import type { World } from "./world.ts";

/** Spread and hot have plain servers of their own, each with the pool that is best for it. */
export type ServerName = "service" | "gate" | "plain/spread" | "plain/hot";
export const serverOf = ({ target, spread }: Cell): ServerName =>
	target === "plain" ? `plain/${spread}` : target === "gate" ? "gate" : "service";

export interface Stage {
	readonly world: World;
	readonly servers: Readonly<Partial<Record<ServerName, Server>>>;
	/** Where the second page of products begins. */
	readonly productsCursor: string;
	stop(): Promise<void>;
}

export interface StageOptions {
	/** Is the gate alone wanted too? */
	readonly gate: boolean;
	/** Plain servers wanted, and the connections of their pools. */
	readonly plainPools: Readonly<Partial<Record<Spread, number>>>;
	/** Folder of the servers' logs. */
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
		const replies = await realReplies(servers.service.port, world);
		const nothing = { kind: "nothing", replies } as const;
		if (gate) servers.gate = await startBenchServer(world, nothing, path.join(logs, "gate.log"));
		for (const spread of ["spread", "hot"] as const) {
			const connections = plainPools[spread];
			if (connections === undefined) continue;
			const log = path.join(logs, `plain-${spread}.log`);
			servers[`plain/${spread}`] = await startBenchServer(world, { kind: "plain", connections }, log);
		}
		const { next_cursor: productsCursor } = replies.products as { next_cursor: string };
		return { world, servers, productsCursor, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** One real reply of each operation, so that the gate alone sends as many bytes as the service. */
async function realReplies(port: number, world: World): Promise<CannedReplies> {
	const ask = async (index: "reserve" | "check" | "inventory" | "products"): Promise<never> => {
		const { method, path, body } = templatesOf(index, "")[0]!;
		const fill = (text: string): string =>
			text.replaceAll("{sku}", "000001").replaceAll("{ref}", "the-first-reference");
		const response = await fetch(`http://${HOST}:${port}${fill(path)}`, {
			method,
			headers: { authorization: `Bearer ${world.tokens[0]}`, "content-type": "application/json" },
			...(body === undefined ? {} : { body: fill(body) }),
		});
		const reply = (await response.json()) as { data: never };
		if (!response.ok)
			throw new Error(`the service answered ${index} with ${response.status}: ${JSON.stringify(reply)}`);
		return reply.data;
	};
	const replies = {
		reserve: await ask("reserve"),
		check: await ask("check"),
		inventory: await ask("inventory"),
		products: await ask("products"),
	};
	const { items } = replies.products as { items: unknown[] };
	if (items.length !== PRODUCTS_PAGE) throw new Error(`a page of products has ${items.length} SKUs`);
	return replies;
}
