import { toRfc3339 } from "../../../service/src/ground/lib/clock.ts";
import { digestOf } from "../../../service/src/inventory/certificates/digest.ts";
import type { CoaLinks } from "../../../service/src/inventory/certificates/record.ts";
import type { CachedKey } from "../../../service/src/partners/keys/key-cache.ts";
import { envelopeOf, type PartnerEvent } from "../../../service/src/partners/webhooks/event.ts";
import type { StoredCertificate } from "./rows.ts";

/** Hexadecimal digits of an event's id. */
const ID_DIGITS = 32;

/**
 * The event of a retired certificate; null: the key's partner is not told. The rule of the service's statement
 * `tellRetired`: a partner is notified if one of its keys that is not revoked, suspended or not, may read the feed.
 */
export function retiredEvent(
	one: StoredCertificate,
	{ caller: { partnerId, environment, scopes }, revokeAt }: CachedKey,
	links: Pick<CoaLinks, "verifyUrl">,
	now: number,
): PartnerEvent | null {
	const isRevoked = revokeAt !== null && revokeAt <= now;
	if (one.status !== "retired" || one.environment !== environment || isRevoked) return null;
	if (!scopes.has("atp.products")) return null;
	const type = "certificate.retired";
	const facts = {
		product: { slug: one.slug, name: one.productName },
		batch_number: one.batchNumber,
		verify_url: links.verifyUrl(one.batchNumber),
	};
	const name = Buffer.from([one.certificateId, one.version, partnerId].join(" "));
	return {
		eventId: `evt_${digestOf(name).slice(0, ID_DIGITS)}`,
		type,
		partnerId,
		environment,
		orderId: null,
		body: envelopeOf(type, environment, facts, toRfc3339(now)),
	};
}
