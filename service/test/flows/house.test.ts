import { afterEach, describe, expect, test } from "vitest";
import { type House, openHouse } from "../house.ts";
import { killAll } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";

/** The tasks: every node runs them, and its metrics name them. */
const TASKS = ["poll_keys", "share_budgets", "sweep_holds", "restock_sandbox", "forget_old_evidence"];

let house: House | undefined;
afterEach(async () => {
	await house?.close();
	house = undefined;
	await killAll();
});

describe.each([
	["in this process", false] as const,
	...sizeOr([["as processes of their own", true] as const], []), // tests of races have two processes every day
])("two services on one database, %s", (_how, processes) => {
	test("a partner's hold made through one is seen, consumed and given back through the other", async () => {
		house = await openHouse({ nodes: 2, processes });
		await house.stock({ TEA: 10 });
		const { token } = await house.mint({
			scopes: ["atp.check", "atp.reserve", "atp.release", "atp.consume", "atp.inventory", "atp.products"],
		});
		const held = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty: 4 }] } });
		expect([held.status, held.text]).toEqual([201, expect.stringContaining("reservation_token")]);
		const counted = await house.call(token, "/api/v1/inventory?sku=TEA", { node: 1 });
		expect(counted.json.data.totals).toEqual({ on_hand: 10, reserved: 4, atp: 6 });
		const { reservation_token } = held.json.data;
		const consumed = await house.call(token, "/api/v1/consume", {
			node: 1,
			body: { reservation_token, external_ref: "ORDER-1" },
		});
		expect(consumed.json.data).toEqual({ consumed_units: 4, external_ref: "ORDER-1", idempotent: false });
		const reversed = await house.call(token, "/api/v1/consume/reverse", { body: { external_ref: "ORDER-1" } });
		expect(reversed.json.data).toEqual({ returned_units: 4, idempotent: false });
		for (const node of house.nodes) {
			expect((await fetch(`${node.api}/readyz`)).status).toBe(200);
			expect((await fetch(`${node.coa}/livez`)).status).toBe(200);
			const metrics = async () => await (await fetch(`${node.metrics}/metrics`)).text();
			expect(await metrics()).toContain("holdfast_http_requests_total");
			for (const task of TASKS) {
				const runs = new RegExp(`^holdfast_task_runs_total\\{task="${task}",outcome="done"\\} [1-9]`, "m");
				await expect.poll(metrics).toMatch(runs);
			}
		}
	});
});
