import type { Gate } from "./mount.ts";

/** Null: ready. Else why not, in a few words that give nothing away. */
export type Readiness = () => Promise<string | null>;

/**
 * `/livez`: the process answers. `/readyz`: it can serve, that is: it is not going down and the database answers; 503 if not.
 * Neither needs a key.
 */
export function addHealth(gate: Gate, readiness: Readiness): void {
	gate.serve("/livez", async () => ({ status: 200, body: { data: { status: "ok" } } }));
	gate.serve("/readyz", async () => {
		const obstacle = await readiness().catch(() => "the check itself failed");
		return obstacle === null
			? { status: 200, body: { data: { status: "ready" } } }
			: { status: 503, body: { error: { code: "internal_error", message: `Not ready: ${obstacle}.` } } };
	});
}
