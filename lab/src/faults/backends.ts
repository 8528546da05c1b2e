import type { Process } from "../ground/processes.ts";
import type { FaultContext } from "../ground/types.ts";
import { pickNode } from "./inject.ts";

/** The engine's pool, whose backends write; the others only read or do housekeeping. */
const ENGINE = /engine/;
/** The probability that a fault which may hit any backend picks one of the engine's. */
const ENGINE_SHARE = 0.75;

export interface Backend {
	readonly process: Process;
	readonly node: string;
	/** The name of the pool, from the service's application_name. */
	readonly pool: string;
}

/** A random backend of a random node, verified to be a child of our postmaster; null: there is none. */
export async function pickBackend(context: FaultContext, engineShare = ENGINE_SHARE): Promise<Backend | null> {
	const { chance, ground } = context;
	const node = pickNode(context);
	const found = await ground.works.backendsOf(node);
	const engines = found.filter(({ pool }) => ENGINE.test(pool));
	const from = engines.length > 0 && chance.happens(engineShare) ? engines : found;
	if (from.length === 0) return null;
	const { pid, pool } = chance.pick(from);
	const process = ground.works.server.backend(pid);
	return process === null ? null : { process, node: node.name, pool };
}
