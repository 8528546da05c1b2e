import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { CreateWebhookEndpoint, TestWebhookEndpoint } from "../../src/partners/webhooks/contract.ts";
import { ReadGoLive, StartDrill } from "../../src/upkeep/golive/contract.ts";
import { loadFacts } from "../../src/upkeep/golive/load-facts.ts";
import { StartGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { selectRun } from "../../src/upkeep/golive/sql.ts";
import { openPretendedShop, type PretendedShop } from "../golive/pretended-shop.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { openSandboxWorld, playerOf } from "./sandbox-world.ts";
import type { World } from "./world.ts";

let world: World;
let shop: PretendedShop;

beforeAll(async () => {
	shop = await openPretendedShop();
	world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
});
afterAll(async () => {
	await world.stop();
	await shop.close();
});

/** Makes the run's next look for such events due now. */
const lookNow = (id: string) =>
	world.db.query("update golive_run set unkind_due_at = now() where golive_id = $1 and unkind_due_at is not null", [
		id,
	]);

async function actOf(id: string, kind: string): Promise<string> {
	return await until(`the act ${kind}`, async () => {
		await lookNow(id);
		const run = must(await selectRun(world.db, { id, number: null }), "the run");
		const { unkind } = (await loadFacts(world.db, run)).facts;
		return unkind?.acts.find((act) => act.kind === kind)?.id;
	});
}

interface Delivery {
	readonly event: string;
	readonly status: string;
	readonly attempts: number;
	readonly due: number | null;
}
async function delivery(id: string): Promise<Delivery> {
	const { rows } = await world.db.query<Delivery>(
		`select event_id as event, status, jsonb_array_length(attempts) as attempts,
		        extract(epoch from next_attempt_at - clock_timestamp())::float8 as due
		   from webhook_delivery where delivery_id = $1`,
		[id],
	);
	return must(rows[0], "the delivery");
}
const received = (event: string): number => shop.messages.filter(({ id }) => id === event).length;

describe("In an unkind hour that its partner starts", () => {
	it("one event of its endpoint is late, and another one comes twice under its own id", async () => {
		const partner = world.partner();
		// a second key of the partner, to which the sandbox stays kind, places the orders
		const [{ token, pk }, kind] = [
			await world.key({ brand: "SANDBOX", partner }),
			await world.key({ brand: "SANDBOX", partner }),
		];
		const started = await operate({ socket: world.deps.config.adminSocket }, StartGoLive, { body: { key: pk } });
		const id = must<string>(started.json.data.golive_id, "the run");
		const endpoint = await world.call(CreateWebhookEndpoint, kind.token, { url: shop.hookUrl });
		keepSecretsOf(endpoint.text);
		const { endpoint_id, secret } = endpoint.data;
		shop.secret = secret;
		const { data } = await world.call(StartDrill, token, { what: "unkind" });
		expect(Date.parse(must(data.unkind_until, "an end"))).toBeGreaterThan(Date.now() + 3_500_000);
		expect((await world.call(StartDrill, token, { what: "unkind" })).verdict).toBe("409 wrong_state");
		const isWaiting = async (): Promise<boolean> =>
			(
				await world.db.query("select from webhook_endpoint where endpoint_id = $1 and late_until > now()", [
					endpoint_id,
				])
			).rows.length === 1;
		await until("new events to wait", isWaiting);
		// a message that tests the endpoint does not
		const test = (await world.call(TestWebhookEndpoint, kind.token, undefined, { params: { endpoint_id } })).data
			.event_id;
		await until("the message", () => received(test) === 1);

		const player = playerOf(world, kind.token);
		const ship = async (): Promise<void> => {
			await player.advance((await player.placed()).ref, "shipped");
		};
		await ship();
		const late = await actOf(id, "event_late");
		const waits = await delivery(late);
		expect(waits).toMatchObject({ status: "pending", attempts: 0 });
		expect(waits.due).toBeGreaterThan(120);
		expect(waits.due).toBeLessThanOrEqual(180);
		expect(await isWaiting()).toBe(false);

		await ship();
		const sent = await until("the other event", () => shop.messages[1]?.id);
		expect(sent).not.toBe(waits.event);
		// as if it had been delivered a minute ago
		await until("its delivery", async () => {
			const { rowCount } = await world.db.query(
				"update webhook_delivery set settled_at = settled_at - interval '1 minute' where event_id = $1 and status = 'delivered'",
				[sent],
			);
			return rowCount === 1;
		});
		const twice = await delivery(await actOf(id, "event_twice"));
		expect(twice.event).toBe(sent);
		await until("the event once more", () => received(sent) === 2);
		expect(shop.messages.every(({ status }) => status === 200)).toBe(true);

		await world.db.query("update webhook_delivery set next_attempt_at = now() where delivery_id = $1", [late]);
		await until("the late event", () => received(waits.event) === 1);
		// nothing is left to be done
		const due = async () =>
			(await world.db.query("select unkind_due_at as due from golive_run where golive_id = $1", [id])).rows;
		await until("the step to be over", async () => (await due())[0]?.due === null);
		expect(shop.messages).toHaveLength(4);
		expect((await world.call(ReadGoLive, token, undefined)).data.checks.map(({ check }) => check)).toContain("unkind");
	});

	it("no endpoint of another environment has events wait", async () => {
		await expect(
			world.db.query(
				`update webhook_endpoint set environment = 'live', late_until = now() where environment = 'sandbox'`,
			),
		).rejects.toThrow(/webhook_endpoint_late_is_of_the_sandbox/);
	});
});
