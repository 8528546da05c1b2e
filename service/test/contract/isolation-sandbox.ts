import { expect } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId, newRequestId } from "../../src/ground/lib/ids.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { PostShown, ReadGoLive, StartDrill } from "../../src/upkeep/golive/contract.ts";
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

/** A running go-live of another sandbox key. */
async function goLiveOfAnother(world: World): Promise<string> {
	const { keyId } = await world.key({ brand: "SANDBOX" });
	const goLiveId = newId();
	await world.db.query(
		`insert into golive_run (golive_id, number, key_id, state, started_by)
		 select $1::uuid, coalesce(max(number), 0) + 1, $2::uuid, 'running', 'operator:test' from golive_run`,
		[goLiveId, keyId],
	);
	return goLiveId;
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
	// these name nothing: a caller has its own run or none, whatever runs others have
	[ReadGoLive.id]: async (_stranger: string, key: string) => {
		const { world } = of();
		const before = told(await world.send(ReadGoLive, key, undefined));
		await goLiveOfAnother(world);
		expect(told(await world.send(ReadGoLive, key, undefined))).toEqual(before);
	},
	[StartDrill.id]: async (_stranger: string, key: string) => {
		const { world } = of();
		const before = told(await world.send(StartDrill, key, {}));
		const goLiveId = await goLiveOfAnother(world);
		expect(told(await world.send(StartDrill, key, {}))).toEqual(before);
		const { rows } = await world.db.query("select from golive_drill where golive_id = $1", [goLiveId]);
		expect(rows).toEqual([]);
	},
	[PostShown.id]: async (_stranger: string, key: string) => {
		const { world } = of();
		const body = { items: [{ sku: "SBX-MINE", shown_qty: 1 }] };
		const before = told(await world.send(PostShown, key, body));
		const goLiveId = await goLiveOfAnother(world);
		expect(told(await world.send(PostShown, key, body))).toEqual(before);
		const { rows } = await world.db.query("select from golive_look where golive_id = $1", [goLiveId]);
		expect(rows).toEqual([]);
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
