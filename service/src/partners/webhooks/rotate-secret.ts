import { newId } from "../../ground/lib/ids.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import type { EndpointWithSecret } from "./create-endpoint.ts";
import type { EndpointOwner } from "./endpoint.ts";
import { endSecrets, insertSecret, selectEndpoint, updateEndpoint } from "./endpoint-sql.ts";
import { DEFAULT_SECRET_OVERLAP_HOURS, MAX_SECRETS } from "./limits.ts";
import { newWebhookSecret, sealSecret } from "./secret.ts";

/**
 * Gives an endpoint a new secret; older secrets also sign until the overlap ends (settlements, section 9). `owner`
 * null: any owner.
 */
export async function rotateSecret(
	tx: Query,
	ring: KeyRing,
	owner: EndpointOwner | null,
	endpointId: string,
	overlapHours: number = DEFAULT_SECRET_OVERLAP_HOURS,
): Promise<EndpointWithSecret | Refusal<"not_found">> {
	const before = await selectEndpoint(tx, owner, endpointId, true);
	if (before === null) return NO_ENDPOINT;
	const secret = newWebhookSecret();
	await endSecrets(tx, endpointId, overlapHours, MAX_SECRETS - 1);
	await insertSecret(tx, endpointId, sealSecret(ring, newId(), secret));
	return { endpoint: await updateEndpoint(tx, before), secret };
}
