import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { CreateWebhookEndpoint } from "../../src/partners/webhooks/contract.ts";
import { PostShown, ReadGoLive, StartDrill } from "../../src/upkeep/golive/contract.ts";
import { DrillGoLive, StartGoLive, StopGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { openPretendedShop, type PretendedShop } from "../golive/pretended-shop.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { openSandboxWorld } from "./sandbox-world.ts";
import type { World } from "./world.ts";

let world: World;
let shop: PretendedShop;

beforeAll(async () => {
	shop = await openPretendedShop();
	world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
	expect((await operate(socket(), RestockOperatorSandbox, {})).status).toBe(200); // with sample certificates
});
afterAll(async () => {
	await world.stop();
	await shop.close();
});

const socket = () => ({ socket: world.deps.config.adminSocket });
/** A sandbox key with a running run. */
async function running() {
	const { token, pk } = await world.key({ brand: "SANDBOX" });
	const { status, json } = await operate(socket(), StartGoLive, { body: { key: pk } });
	expect(status).toBe(201);
	return { token, id: must<string>(json.data.golive_id, "the run") };
}
const read = (token: string) => world.call(ReadGoLive, token, undefined);
const post = (token: string, shown_qty: number | null) =>
	world.call(PostShown, token, { items: [{ sku: "SBX-LOW", shown_qty }] });

/** Makes a step that is due later due now. */
const dueNow = (id: string, step: "repeat" | "retirement") =>
	until(`the step ${step} to be planned`, async () => {
		const { rowCount } = await world.db.query(
			`update golive_run set ${step}_due_at = now() where golive_id = $1 and ${step}_due_at is not null`,
			[id],
		);
		return rowCount === 1;
	});

describe("A partner follows the go-live of its sandbox key", () => {
	it("and reads every check that concerns it, with what to do", async () => {
		const { token } = await running();
		const { data } = await read(token);
		expect(data).toMatchObject({ state: "running", passed: false, last_look: null });
		expect(data.checks.map(({ check }) => check)).toContain("mirror_equal");
		for (const { verdict, cure } of data.checks) if (verdict !== "passed") expect(cure).toMatch(/\w/);
	});

	it("and an empty address of a certificate is none, as in the document of a status address", async () => {
		const { token } = await running();
		const items = [{ sku: "SBX-LOW", shown_qty: 3, coa_url: "" }];
		expect((await world.call(PostShown, token, { items })).data).toMatchObject({ kept: true });
		const look = (await read(token)).data.last_look;
		expect(look?.items[0]).toMatchObject({ sku: "SBX-LOW", coa_url: null });
	});

	it("and tells it what its site shows: one in a quarter of a minute is kept, beside the counts", async () => {
		const { token } = await running();
		expect((await post(token, 3)).data).toMatchObject({ kept: true, at: expect.any(String) });
		expect((await post(token, 2)).data).toEqual({ kept: false, at: null });
		const { data } = await read(token);
		expect(data.last_look).toMatchObject({
			source: "posted",
			items: [{ sku: "SBX-LOW", shown_qty: 3, hidden: false, coa_url: null, atp_qty: 3 }],
		});
		expect(data.last_look?.items[0]?.documents).toHaveLength(1);
		expect(data.skus).toEqual(["SBX-LOW"]);
	});

	it("and starts a drill, in which only the word on what it shows is answered", async () => {
		const { token } = await running();
		const { data } = await world.call(StartDrill, token, {});
		expect(Date.parse(must(data.drill_until, "an end"))).toBeGreaterThan(Date.now() + 590_000);
		await until("the drill", async () => (await read(token)).verdict === "401 unauthorized");
		expect((await world.call(StartDrill, token, {})).verdict).toBe("401 unauthorized");
		expect((await post(token, null)).data.kept).toBe(true);
	});

	it("and has messages sent, of which its receiver refuses the wrong ones", async () => {
		const { token, id } = await running();
		expect((await world.call(StartDrill, token, { what: "messages" })).verdict).toBe("400 invalid_input");
		const endpoint = await world.call(CreateWebhookEndpoint, token, { url: shop.hookUrl });
		keepSecretsOf(endpoint.text);
		shop.secret = endpoint.data.secret;
		const { data } = await world.call(StartDrill, token, { what: "messages" });
		expect(data.messages_pending).toBe(true);
		expect((await world.call(StartDrill, token, { what: "messages" })).verdict).toBe("409 wrong_state");
		const probes = async () => {
			const { rows } = await world.db.query<{ kind: string; status: number }>(
				"select kind, status from golive_probe where golive_id = $1 order by kind",
				[id],
			);
			return Object.fromEntries(rows.map(({ kind, status }) => [kind, status]));
		};
		await until("four messages", async () => Object.keys(await probes()).length === 4);
		expect(await probes()).toEqual({ bad_signature: 401, double_signature: 200, good: 200, old_timestamp: 400 });
		await dueNow(id, "repeat");
		await until("the repeat", async () => (await probes()).repeated_id === 200);
		const ids = shop.messages.map((one) => one.id);
		expect(new Set(ids).size).toBe(ids.length - 1);
	});

	it("and a certificate is retired for it, whose tombstone the feed has", async () => {
		const { token, id } = await running();
		await post(token, 3);
		await operate(socket(), DrillGoLive, { params: { id }, body: { what: "retirement" } });
		const retirement = async () =>
			(await world.db.query("select batch_number, retired_at from golive_retirement where golive_id = $1", [id]))
				.rows[0];
		const published = await until("the certificate", retirement);
		// every partner sees it in the feed: it counts neither runs nor certificates
		const opaque = expect.stringMatching(/^GOLIVE-[0-9a-f]{8}-[0-9a-f]{4}$/);
		expect(published).toMatchObject({ batch_number: opaque, retired_at: null });
		await dueNow(id, "retirement");
		await until("the retirement", async () => (await retirement())?.retired_at !== null);
		const { rows } = await world.db.query("select status, product_slug from certificate where batch_number = $1", [
			published.batch_number,
		]);
		expect(rows).toEqual([{ status: "retired", product_slug: "sbx-low" }]);
	});

	it("and no certificate of a run stays published when the run ends before it was retired", async () => {
		const { token, id } = await running();
		await post(token, 3);
		const asked = { params: { id } };
		await operate(socket(), DrillGoLive, { ...asked, body: { what: "retirement" } });
		const certificate = async () => {
			const { rows } = await world.db.query<{ status: string; retired: boolean }>(
				`select c.status, r.retired_at is not null as retired from golive_retirement r
				   join certificate c on c.product_slug = r.slug and c.batch_number = r.batch_number where r.golive_id = $1`,
				[id],
			);
			return rows;
		};
		await until("the certificate", async () => (await certificate()).length === 1);
		expect(await certificate()).toEqual([{ status: "current", retired: false }]);
		await operate(socket(), StopGoLive, { ...asked, body: { what: "run" } });
		expect(await certificate()).toEqual([{ status: "retired", retired: true }]);
	});
});

describe("A key without a run, or a live one", () => {
	it("finds nothing there", async () => {
		const [none, live] = [await world.key({ brand: "SANDBOX" }), await world.key()];
		for (const [{ token }, verdict] of [
			[none, "404 not_found"],
			[live, "403 forbidden"],
		] as const) {
			expect((await read(token)).verdict).toBe(verdict);
			expect((await world.call(StartDrill, token, {})).verdict).toBe(verdict);
			expect((await post(token, 3)).verdict).toBe(verdict);
		}
	});

	it("reads its last run, which it can no longer change", async () => {
		const { token, id } = await running();
		await world.db.query(
			"update golive_run set state = 'stopped', ended_at = now(), ended_by = 'operator:test' where golive_id = $1",
			[id],
		);
		expect((await read(token)).data.state).toBe("stopped");
		expect((await world.call(StartDrill, token, {})).verdict).toBe("404 not_found");
		expect((await post(token, 3)).verdict).toBe("404 not_found");
	});
});
