import { PASSKEY_ALGORITHMS } from "./limits.ts";
import type { RelyingParty } from "./relying-party.ts";

/** A new passkey as a browser hands it over; all of it base64url. */
export interface NewPasskeyWish {
	readonly credentialId: string;
	readonly clientData: string;
	readonly attestation: string;
}

/** The answer to a challenge as a browser hands it over; all of it base64url. */
export interface PasskeyAnswer {
	readonly credentialId: string;
	readonly clientData: string;
	readonly authenticatorData: string;
	readonly signature: string;
}

/** What is kept of a passkey to check its answers. */
export interface PasskeyKey {
	/** base64url, as browsers write it. */
	readonly credentialId: string;
	readonly publicKey: Buffer;
	/** How often it was used, according to the device; 0: the device does not count uses. */
	readonly counter: number;
}

/**
 * Checks a new passkey. Null: it does not answer the challenge, was not made on our pages, or did not verify its user.
 */
export async function acceptPasskey(
	{ id, origin }: RelyingParty,
	expectedChallenge: string,
	{ credentialId, clientData, attestation }: NewPasskeyWish,
): Promise<PasskeyKey | null> {
	const { verifyRegistrationResponse } = await loadLibrary();
	const checked = await verifyRegistrationResponse({
		response: {
			...envelope(credentialId),
			response: { clientDataJSON: clientData, attestationObject: attestation },
		},
		expectedChallenge,
		expectedOrigin: origin,
		expectedRPID: id,
		requireUserVerification: true,
		supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
	}).catch(nothingAccepted);
	if (checked?.registrationInfo === undefined) return null;
	const { credential } = checked.registrationInfo;
	return {
		credentialId: credential.id,
		publicKey: Buffer.from(credential.publicKey),
		counter: credential.counter,
	};
}

/** Checks an answer. Returns the device's new count; null: it is not the answer of this passkey. */
export async function acceptPasskeyAnswer(
	{ id, origin }: RelyingParty,
	expectedChallenge: string,
	{ credentialId, publicKey, counter }: PasskeyKey,
	{ clientData, authenticatorData, signature }: PasskeyAnswer,
): Promise<number | null> {
	const { verifyAuthenticationResponse } = await loadLibrary();
	const checked = await verifyAuthenticationResponse({
		response: {
			...envelope(credentialId),
			response: { clientDataJSON: clientData, authenticatorData, signature },
		},
		expectedChallenge,
		expectedOrigin: origin,
		expectedRPID: id,
		credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
		requireUserVerification: true,
	}).catch(nothingAccepted);
	return checked?.verified === true ? checked.authenticationInfo.newCounter : null;
}

/** It is slow to load, and many services have no passkeys. */
const loadLibrary = () => import("@simplewebauthn/server");

const envelope = (id: string) => ({ id, rawId: id, type: "public-key", clientExtensionResults: {} }) as const;

/** The library reads only what a browser sent, so any Error that it throws means that something in that was wrong. */
const nothingAccepted = (): null => null;

/** The challenge that a browser says it answered; empty: it names none. */
export function challengeOf(clientData: string): string {
	try {
		const { challenge } = JSON.parse(Buffer.from(clientData, "base64url").toString()) as { challenge?: unknown };
		return typeof challenge === "string" ? challenge : "";
	} catch {
		return "";
	}
}
