import { join } from "node:path";
import { newId } from "../../src/ground/lib/ids.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { Database } from "../../src/ground/pg/connect.ts";
import { newKeyRingEntry, parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { allowedNetworks } from "../../src/partners/webhooks/address-rules.ts";
import { createEndpoint, type EndpointWithSecret } from "../../src/partners/webhooks/create-endpoint.ts";
import { createLookUp } from "../../src/partners/webhooks/look-up.ts";
import { createUrlRules } from "../../src/partners/webhooks/refuse-url.ts";
import { keepSecretsOfSettings } from "../leaks/secrets.ts";
import { type Child, start, until } from "../processes/child.ts";
import type { SendEventsSettings } from "../processes/send-events.ts";
import { signedBy } from "./signers.ts";

const SCRIPT = join(import.meta.dirname, "../processes/send-events.ts");

/** A partner with an endpoint, and processes that send. */
export interface PostOffice {
	readonly ring: string;
	/** An endpoint of a new partner. */
	endpoint(url: string): Promise<EndpointWithSecret & { readonly partnerId: string }>;
	/** Starts a process that sends; resolves when it is ready. */
	sender(): Promise<Child>;
}

export function openPostOffice(db: Database, url: string, withinMs: number): PostOffice {
	const ring = newKeyRingEntry();
	keepSecretsOfSettings({ HOLDFAST_SECRET_KEYS: ring });
	const urls = createUrlRules({ allowed: allowedNetworks(["127.0.0.0/8"]), lookUp: createLookUp() });
	return {
		ring,
		async endpoint(address) {
			const partnerId = newId();
			await db.query("insert into partner (partner_id, name) values ($1::uuid, $1::text)", [partnerId]);
			const made = await createEndpoint(
				{ db, ring: parseKeyRing(ring), urls },
				{ partnerId, environment: "live" },
				{ url: address },
			);
			if (isRefusal(made)) throw new Error(made.message);
			signedBy(made.endpoint.endpointId, address, [made.secret]);
			return { ...made, partnerId };
		},
		async sender() {
			const settings: SendEventsSettings = { url, ring, withinMs };
			const child = start(process.execPath, [SCRIPT, JSON.stringify(settings)]);
			await until("the sender to send", () => {
				if (child.process.exitCode !== null) throw new Error(`it ended: ${child.errors.join("\n")}`);
				return child.lines.includes("sending");
			});
			return child;
		},
	};
}

/** One delivery as stored. */
export interface DeliveryNow {
	readonly eventId: string;
	readonly status: string;
	readonly failures: number;
	readonly attempts: { readonly at: string; readonly duration_ms: number; readonly status: number | null }[];
	/** Milliseconds from now; null: there is no next attempt. */
	readonly dueInMs: number | null;
}

export async function deliveriesOf(db: Database, endpointId: string): Promise<DeliveryNow[]> {
	const { rows } = await db.query<DeliveryNow>(
		`select event_id as "eventId", status, failures, attempts,
		        (extract(epoch from next_attempt_at - clock_timestamp()) * 1000)::float8 as "dueInMs"
		   from webhook_delivery where endpoint_id = $1 order by seq`,
		[endpointId],
	);
	return rows;
}

export async function statusOf(db: Database, endpointId: string): Promise<string> {
	const { rows } = await db.query<{ status: string }>(
		"select coalesce(inactive_reason, status) as status from webhook_endpoint where endpoint_id = $1",
		[endpointId],
	);
	return rows[0]?.status ?? "none";
}
