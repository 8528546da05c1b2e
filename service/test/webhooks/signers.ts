import { Webhook } from "standardwebhooks";
import { keepSecretsOf } from "../leaks/secrets.ts";

/**
 * What tests know of the secrets that sign now: of each URL, its endpoints, each with the secrets every one of which
 * accepts what comes.
 */
const signers = new Map<string, Map<string, readonly string[]>>();
/** The independent library, made once for each secret. */
const verifiers = new Map<string, Webhook>();

/** A post as it arrived, as far as its signature goes. */
export interface Signed {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/**
 * From now on whatever comes to `url` for this endpoint must be accepted by each of `secrets`. During a rotation these
 * are several.
 */
export function signedBy(endpointId: string, url: string, secrets: readonly string[]): void {
	for (const secret of secrets) keepSecretsOf(secret);
	const there = signers.get(url) ?? new Map<string, readonly string[]>();
	signers.set(url, there.set(endpointId, secrets));
}

/** The event, verified by the independent library. @throws when it refuses */
export function verifiedBy(secret: string, { body, headers }: Signed): unknown {
	const verifier = verifiers.get(secret) ?? new Webhook(secret);
	verifiers.set(secret, verifier);
	return verifier.verify(body, { ...headers });
}

/** Does the independent library accept it? */
export function isAccepted(secret: string, post: Signed): boolean {
	try {
		verifiedBy(secret, post);
		return true;
	} catch {
		return false;
	}
}

/** Why a post that came to `url` is not what an endpoint there signed; null: every secret of one of them accepts it. */
export function wrongWith(url: string, post: Signed): string | null {
	const endpoints = [...(signers.get(url)?.values() ?? [])];
	if (endpoints.some((secrets) => secrets.every((secret) => isAccepted(secret, post)))) return null;
	return endpoints.length === 0
		? "the test named no secret for this URL"
		: "no endpoint of this URL signs with all of its secrets so";
}
