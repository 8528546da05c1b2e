import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { ReserveCache } from "../../src/inventory/prepaid/contract.ts";
import { revokeKey } from "../../src/partners/keys/suspend-key.ts";
import {
	ChangeWebhookEndpoint,
	CreateWebhookEndpoint,
	DeleteWebhookEndpoint,
	RecoverWebhookEvents,
	ResendWebhookDelivery,
	RotateWebhookSecret,
	TestWebhookEndpoint,
} from "../../src/partners/webhooks/contract.ts";
import { RestockSandbox } from "../../src/upkeep/sandbox/contract.ts";
import { until } from "../processes/child.ts";
import { ok, openReceiver, type Receiver } from "../webhooks/receiver.ts";
import { signedBy } from "../webhooks/signers.ts";
import { openSandboxWorld } from "./sandbox-world.ts";
import { unique, type World } from "./world.ts";

/*
 * A revocation takes effect within a second (settlements, section 3), also for a request that has been admitted and
 * waits. Here it waits for a row that the test has locked; a slow name server, or a connection, would delay it too.
 */

let world: World;
let receiver: Receiver;
let brands = 0;

beforeAll(async () => {
	world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
	receiver = await openReceiver(ok);
});
afterAll(async () => {
	await world.stop();
	await receiver.close();
});

interface Scene {
	/** The key that is revoked, and its partner. */
	readonly key: string;
	readonly pk: string;
	readonly partnerId: string;
	readonly brand: string;
	/** An endpoint of the partner, with a delivery. */
	readonly endpointId: string;
	readonly deliveryId: string;
}

/** The rows that must stay as they are, as text. */
const kept = async ({ partnerId }: Scene): Promise<string> => {
	const { rows } = await world.db.query<{ kept: string }>(
		`select concat_ws(E'\n',
		   (select jsonb_agg(to_jsonb(w) - 'sender' - 'sending_until' order by endpoint_id) from webhook_endpoint w where partner_id = $1),
		   (select jsonb_agg(secret_id order by secret_id) from webhook_secret join webhook_endpoint using (endpoint_id)
		     where partner_id = $1),
		   (select count(*) from event where partner_id = $1),
		   (select jsonb_agg(d.status order by d.seq) from webhook_delivery d join webhook_endpoint using (endpoint_id)
		     where partner_id = $1),
		   (select jsonb_agg(m order by pool_id) from prepaid_mirror m),
		   (select jsonb_agg(s order by pool_id) from sandbox_restock s),
		   (select count(*) from unit_move)) as kept`,
		[partnerId],
	);
	return must(rows[0], "the rows").kept;
};

const push = (key: string, brand_code: string, sequence: number) =>
	world.call(ReserveCache, key, { brand_code, sequence, as_of: "2026-09-06T12:00:00Z", items: [] });

async function setScene(isSandbox: boolean): Promise<Scene> {
	const partner = world.partner();
	const brand = isSandbox ? "SANDBOX" : `B${++brands}`;
	if (!isSandbox) await world.has({ brands: [{ code: brand, name: brand }] });
	const { token, pk, keyId } = await world.key({ partner, brand });
	const { rows } = await world.db.query<{ id: string }>("select partner_id as id from api_key where key_id = $1", [
		keyId,
	]);
	const made = await world.call(CreateWebhookEndpoint, token, { url: receiver.url });
	const { endpoint_id: endpointId, secret } = made.data;
	signedBy(endpointId, receiver.url, [secret]);
	const at = { params: { endpoint_id: endpointId } };
	await world.call(TestWebhookEndpoint, token, undefined, at);
	const delivery = await until("the test to be delivered", async () => {
		const sent = await world.db.query<{ id: string }>(
			"select delivery_id as id from webhook_delivery where endpoint_id = $1 and status = 'delivered'",
			[endpointId],
		);
		return sent.rows[0] ?? null;
	});
	expect((await push(token, brand, 1)).status).toBe(200);
	// so that there is something to restock
	if (isSandbox) await world.call(Reserve, token, { items: [{ sku: "SBX-PLENTY", qty: 1 }] });
	return { key: token, pk, partnerId: must(rows[0], "its partner").id, brand, endpointId, deliveryId: delivery.id };
}

interface Asked {
	readonly what: string;
	readonly isSandbox?: true;
	/** The rows that the request waits for. */
	readonly locks: (scene: Scene) => readonly [text: string, values: readonly unknown[]];
	readonly send: (scene: Scene) => Promise<{ readonly status: number; readonly verdict: string }>;
}

const endpoint = ({ endpointId }: Scene) =>
	["select from webhook_endpoint where endpoint_id = $1 for update", [endpointId]] as const;
const at = ({ endpointId: endpoint_id }: Scene) => ({ params: { endpoint_id } });

const ASKED: readonly Asked[] = [
	{
		what: "registers an endpoint",
		locks: ({ partnerId }) => ["select from partner where partner_id = $1 for update", [partnerId]],
		send: ({ key }) => world.call(CreateWebhookEndpoint, key, { url: `${receiver.url}?${unique("x")}` }),
	},
	{
		what: "changes an endpoint",
		locks: endpoint,
		send: (scene) => world.call(ChangeWebhookEndpoint, scene.key, { url: `${receiver.url}?x` }, at(scene)),
	},
	{
		what: "rotates a secret",
		locks: endpoint,
		send: (scene) => world.call(RotateWebhookSecret, scene.key, {}, at(scene)),
	},
	{
		what: "deletes an endpoint",
		locks: endpoint,
		send: (scene) => world.call(DeleteWebhookEndpoint, scene.key, undefined, at(scene)),
	},
	{
		what: "tests an endpoint",
		locks: endpoint,
		send: (scene) => world.call(TestWebhookEndpoint, scene.key, undefined, at(scene)),
	},
	{
		what: "recovers events",
		locks: endpoint,
		send: (scene) => world.call(RecoverWebhookEvents, scene.key, { since: "2026-01-01T00:00:00Z" }, at(scene)),
	},
	{
		what: "sends a delivery again",
		locks: endpoint,
		send: (scene) =>
			world.call(ResendWebhookDelivery, scene.key, undefined, {
				params: { endpoint_id: scene.endpointId, delivery_id: scene.deliveryId },
			}),
	},
	{
		what: "pushes the mirror of prepaid units",
		locks: ({ brand }) => [
			"select from prepaid_mirror join pool using (pool_id) where brand_code = $1 for update of prepaid_mirror",
			[brand],
		],
		send: ({ key, brand }) => push(key, brand, 2),
	},
	{
		what: "restocks the sandbox",
		isSandbox: true,
		locks: ({ partnerId }) => [
			"select from lot join pool using (pool_id) where partner_id = $1 for update of lot",
			[partnerId],
		],
		send: ({ key }) => world.call(RestockSandbox, key, undefined),
	},
];

describe("A request whose key is revoked while it waits", () => {
	it.each(ASKED)("$what: 401, and nothing is done", async ({ isSandbox = false, locks, send }) => {
		const scene = await setScene(isSandbox);
		let answered: ReturnType<typeof send> | undefined;
		let before = "";
		await transaction(world.db, async (tx) => {
			const [text, values] = locks(scene);
			expect((await tx.query(text, [...values])).rowCount).toBeGreaterThan(0);
			answered = send(scene);
			await until("the request to wait", async () => {
				const { rows } = await world.db.query(
					"select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
				);
				return rows[0] ?? null;
			});
			before = await kept(scene);
			await transaction(world.db, (other) => revokeKey(other, scene.pk));
			await world.deps.keys.refresh();
		});
		expect((await must(answered, "the request")).verdict).toBe("401 unauthorized");
		expect(await kept(scene)).toBe(before);
	});
});
