import { expect } from "vitest";
import { GetGoLive } from "../../src/upkeep/golive/admin-contract.ts";
import { DrillGoLive, FinishGoLive, StartGoLive, WaiveGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import type { World } from "../contract/world.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";

/** A go-live of brand ACME that is finished, with a drill and waivers. Its rows never change again. */
export async function finishGoLive(world: World): Promise<void> {
	const socket = { socket: world.deps.config.adminSocket };
	const { pk } = await world.key({ brand: "SANDBOX" });
	const { golive_id: id } = (await operate(socket, StartGoLive, { body: { key: pk } })).json.data;
	const run = { params: { id: String(id) } };
	await operate(socket, DrillGoLive, { ...run, body: {} });
	for (const check of (await operate(socket, GetGoLive, run)).json.data.missing) {
		await operate(socket, WaiveGoLive, { ...run, body: { check, reason: "for this test" } });
	}
	const body = { name: "web", brand_code: "ACME", preset: "fulfilment" };
	const { status, json } = await operate(socket, FinishGoLive, { ...run, body });
	expect(status).toBe(201);
	keepSecretsOf(JSON.stringify(json));
}
