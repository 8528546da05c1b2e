import type { ErrorCode } from "../../glossary.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import type { Within } from "../keys/carry-out-write.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import {
	lockUndelivered,
	queueAgain,
	type Resent,
	resendOne,
	selectEventEpoch,
	selectResendable,
} from "./delivery-sql.ts";
import type { EndpointOwner } from "./endpoint.ts";
import { selectEndpoint } from "./endpoint-sql.ts";
import { activeEndpoint, INACTIVE } from "./send-test.ts";

/** Maximum number of events that one transaction requeues: others' orders wait while the numbers are locked. */
const AT_ONCE = 1_000;

interface Recovery {
	/** Null for any. */
	readonly owner: EndpointOwner | null;
	readonly endpointId: string;
	readonly since: Date;
}

type Recovered = { readonly events: number } | Refusal<"invalid_input" | "not_found">;

/** Resends undelivered events since a time; returns their number. */
export function recover(tx: Query, owner: EndpointOwner | null, endpointId: string, since: Date): Promise<Recovered> {
	// nothing ends this transaction in between
	return recoverInParts((work) => work(tx), { owner, endpointId, since }) as Promise<Recovered>;
}

/**
 * The same in several transactions, which `within` runs one after the other. If a later one is refused, the earlier
 * ones stay: a repeat goes on with the rest.
 */
export async function recoverInParts(
	within: Within,
	{ owner, endpointId, since }: Recovery,
): Promise<Recovered | Refusal<"unauthorized" | "rate_limited">> {
	const inActive = <T>(work: (tx: Query) => Promise<T>) =>
		within(async (tx) => {
			const endpoint = await activeEndpoint(tx, owner, endpointId);
			return "refusal" in endpoint ? endpoint : await work(tx);
		});
	// the search comes first, without the lock
	const begun = await inActive(async (tx) => ({
		seen: await selectEventEpoch(tx),
		found: await lockUndelivered(tx, endpointId, { since }),
	}));
	if (isRefusal(begun)) return begun;
	const { seen, found } = begun;
	let events = 0;
	for (let from = 0; from < found.length; from += AT_ONCE) {
		const among = found.slice(from, from + AT_ONCE);
		const queued = await inActive(async (tx) =>
			queueAgain(tx, endpointId, await lockUndelivered(tx, endpointId, { since, among })),
		);
		if (isRefusal(queued)) return events === 0 ? queued : refusedInPart(queued);
		events += queued;
	}
	const late = await inActive(async (tx) => {
		await lockEpoch(tx, "event_epoch"); // events that were recorded while the endpoint was inactive are visible now
		return await queueAgain(tx, endpointId, await lockUndelivered(tx, endpointId, { since, above: seen }));
	});
	if (isRefusal(late)) return events === 0 ? late : refusedInPart(late);
	return { events: events + late };
}

/** A refusal after a part was done. */
const refusedInPart = <C extends ErrorCode>(refused: Refusal<C>): Refusal<C> =>
	refused.refusal === "rate_limited"
		? {
				...refused,
				message: "Others were in the way. Some events are sent again already: send the request again for the rest.",
			}
		: refused;

export const NO_DELIVERY = refuse("not_found", "There is no delivery with this id.");

/** Resends one delivery, whatever its status. Refuses `invalid_input` if its state does not allow that. */
export async function resend(tx: Query, deliveryId: string): Promise<Resent | Refusal<"invalid_input" | "not_found">> {
	const resent = await resendOne(tx, deliveryId);
	if (resent !== null) return resent;
	const delivery = await selectResendable(tx, deliveryId);
	if (delivery === null) return NO_DELIVERY;
	return delivery.pruned ? refuse("invalid_input", "The event of this delivery is no longer kept.") : INACTIVE;
}

/** The same for its partner: only a delivery of this endpoint, which must be the owner's. */
export async function resendTo(
	tx: Query,
	owner: EndpointOwner,
	endpointId: string,
	deliveryId: string,
): Promise<Resent | Refusal<"invalid_input" | "not_found">> {
	if ((await selectEndpoint(tx, owner, endpointId, true)) === null) return NO_ENDPOINT;
	const delivery = await selectResendable(tx, deliveryId);
	return delivery?.endpointId === endpointId ? await resend(tx, deliveryId) : NO_DELIVERY;
}
