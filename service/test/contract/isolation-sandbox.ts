import { expect } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newRequestId } from "../../src/ground/lib/ids.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { RestockSandbox } from "../../src/upkeep/sandbox/contract.ts";
import { ListSandboxRequests } from "../../src/upkeep/traffic/contract.ts";
import { until } from "../processes/child.ts";
import { told } from "./told.ts";
import { unique, type World } from "./world.ts";

interface Asked {
	readonly theirs: unknown;
	readonly nobodys: unknown;
	readonly named: readonly [theirs: string, nobodys: string];
}

interface Means {
	readonly same: (operation: Operation, key: string, asked: Asked) => Promise<void>;
	readonly ownersHold: (state: "active") => Promise<unknown>;
}

/** How another caller asks for what the owner did, for isolation.test.ts. */
export const sandboxCases = (
	of: () => { readonly world: World; readonly owner: string },
	{ same, ownersHold }: Means,
) => ({
	[ListSandboxRequests.id]: async (_stranger: string, key: string) => {
		const { world, owner } = of();
		const made = await world.send(Reserve, owner, { items: [{ sku: "LIVE", qty: 1 }], external_ref: unique("cart") });
		const [theirs, nobodys] = [must(made.header("x-request-id"), "a request id"), newRequestId()];
		await until("the owner's request to be logged", async () => {
			const { rows } = await world.db.query("select from request_log where strpos(requests, $1) > 0", [theirs]);
			return rows.length > 0;
		});
		const named = [theirs, nobodys] as const;
		await same(ListSandboxRequests, key, { theirs: { request_id: theirs }, nobodys: { request_id: nobodys }, named });
		expect((await world.send(ListSandboxRequests, key, { limit: 500 })).text).not.toContain(theirs);
	},
	// names nothing: whatever the owner has, the answer is the same once there is nothing to restock
	[RestockSandbox.id]: async (_stranger: string, key: string) => {
		const { world } = of();
		const before = await world.send(RestockSandbox, key, undefined);
		await ownersHold("active");
		const after = await world.send(RestockSandbox, key, undefined);
		expect(after.status).toBe(before.status);
		expect(told(await world.send(RestockSandbox, key, undefined))).toEqual(told(after));
	},
});
