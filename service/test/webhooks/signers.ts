import { Webhook } from "standardwebhooks";
import { keepSecretsOf } from "../leaks/secrets.ts";

/**
 * The secrets that sign now, as registered by tests: for each URL its endpoints, each with the secrets that must all
 * accept its posts.
 */
const signers = new Map<string, Map<string, readonly string[]>>();
/** Instances of the independent library, one for each secret. */
const verifiers = new Map<string, Webhook>();

/** The parts of a post that concern its signature. */
export interface Signed {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/**
 * From now on each of `secrets` must accept every post to `url` for this endpoint. During a rotation there are several
 * secrets.
 */
export function signedBy(endpointId: string, url: string, secrets: readonly string[]): void {
	for (const secret of secrets) keepSecretsOf(secret);
	const there = signers.get(url) ?? new Map<string, readonly string[]>();
	signers.set(url, there.set(endpointId, secrets));
}

/** The event, verified by the independent library. @throws if it refuses */
export function verifiedBy(secret: string, { body, headers }: Signed): unknown {
	const verifier = verifiers.get(secret) ?? new Webhook(secret);
	verifiers.set(secret, verifier);
	return verifier.verify(body, { ...headers });
}

/** Whether the independent library accepts it. */
export function isAccepted(secret: string, post: Signed): boolean {
	try {
		verifiedBy(secret, post);
		return true;
	} catch {
		return false;
	}
}

/** Why a post to `url` has no valid signature; null: every secret of one of the endpoints at this URL accepts it. */
export function wrongWith(url: string, post: Signed): string | null {
	const endpoints = [...(signers.get(url)?.values() ?? [])];
	if (endpoints.some((secrets) => secrets.every((secret) => isAccepted(secret, post)))) return null;
	return endpoints.length === 0
		? "the test named no secret for this URL"
		: "no endpoint of this URL signs with all of its secrets so";
}
