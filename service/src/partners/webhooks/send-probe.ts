import type { KeyObject } from "node:crypto";
import type { Query } from "../../ground/pg/connect.ts";
import type { EndpointOwner } from "./endpoint.ts";
import type { Poster } from "./post.ts";
import { newWebhookSecret, type SealedSecret, signingKeyOf } from "./secret.ts";
import { type AddressedEndpoint, readNow, selectProbedEndpoint, signingSecrets } from "./send-sql.ts";
import { signedHeaders } from "./sign.ts";

/** The age of an old timestamp, in seconds: a receiver accepts five minutes (contract, section 6). */
const OLD_SECONDS = 360;
const MS_PER_SECOND = 1_000;

/** How a probe is signed. `double`: first with an unrelated secret, then with the endpoint's. */
export type ProbeSigned = "well" | "badly" | "double" | "long_ago";

export interface ProbeMessage {
	readonly eventId: string;
	readonly body: string;
	readonly signed: ProbeSigned;
}

export interface SentProbe {
	/** When it was sent, in epoch milliseconds by the database's clock. */
	readonly at: number;
	/** The status of the answer; null: there was none, and `error` says why. */
	readonly status: number | null;
	readonly error: string | null;
}

export interface ProbeDeps {
	readonly db: Query;
	readonly poster: Poster;
	readonly open: (secrets: readonly SealedSecret[]) => readonly string[];
}

/** The newest active endpoint of an owner, to which probes are sent; null: it has none. */
export const findProbedEndpoint = (db: Query, owner: EndpointOwner) => selectProbedEndpoint(db, owner);

/**
 * Sends one message to an endpoint, besides its deliveries: it is not repeated, and its answer does not affect the
 * endpoint.
 */
export async function sendProbe(
	{ db, poster, open }: ProbeDeps,
	endpoint: AddressedEndpoint,
	{ eventId, body, signed }: ProbeMessage,
	stopping: AbortSignal,
): Promise<SentProbe> {
	const at = await readNow(db);
	const own = open(await signingSecrets(db, endpoint.endpointId)).map(signingKeyOf);
	if (own.length === 0) return { at, status: null, error: "no secret of the endpoint can be opened" };
	const timestamp = Math.floor(at / MS_PER_SECOND) - (signed === "long_ago" ? OLD_SECONDS : 0);
	const headers = signedHeaders({ eventId, timestamp, body }, keysFor(signed, own));
	const posted = await poster.post({ owner: endpoint.partnerId, url: endpoint.url, headers, body }, stopping);
	return {
		at,
		status: posted.outcome.kind === "answered" ? posted.outcome.status : null,
		error: posted.error,
	};
}

function keysFor(signed: ProbeSigned, own: readonly KeyObject[]): readonly KeyObject[] {
	if (signed === "well" || signed === "long_ago") return own;
	const stranger = signingKeyOf(newWebhookSecret());
	return signed === "badly" ? [stranger] : [stranger, ...own];
}
