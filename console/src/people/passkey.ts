import { call, type DataOf } from "../api/call.ts";

/** Whether this browser knows passkeys. */
export const knowsPasskeys = (): boolean => typeof PublicKeyCredential === "function";

/** The device was not asked, or its user did not agree. */
export class PasskeyNotGiven extends Error {}

/** Asks the device for a passkey and signs in with it. @throws CallError, PasskeyNotGiven */
export async function signInByPasskey(): Promise<void> {
	const { challenge, rp_id, timeout_seconds } = await call("begin_passkey_sign_in");
	const given = await navigator.credentials
		.get({
			publicKey: {
				challenge: toBytes(challenge),
				rpId: rp_id,
				timeout: timeout_seconds * 1_000,
				userVerification: "required",
			},
		})
		.catch(notGiven);
	if (!(given instanceof PublicKeyCredential)) throw new PasskeyNotGiven();
	const { clientDataJSON, authenticatorData, signature } = given.response as AuthenticatorAssertionResponse;
	await call("sign_in_by_passkey", {
		body: {
			credential_id: given.id,
			client_data: toText(clientDataJSON),
			authenticator_data: toText(authenticatorData),
			signature: toText(signature),
		},
	});
}

/** Asks the device for a new passkey and adds it to one's account. @throws CallError, PasskeyNotGiven */
export async function addPasskey(name: string): Promise<DataOf<"add_passkey">> {
	const offer = await call("begin_passkey");
	const made = await navigator.credentials.create({ publicKey: creationOf(offer) }).catch(notGiven);
	if (!(made instanceof PublicKeyCredential)) throw new PasskeyNotGiven();
	const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse;
	const body = {
		name,
		credential_id: made.id,
		client_data: toText(clientDataJSON),
		attestation: toText(attestationObject),
	};
	return await call("add_passkey", { body });
}

const creationOf = (offer: DataOf<"begin_passkey">): PublicKeyCredentialCreationOptions => ({
	challenge: toBytes(offer.challenge),
	rp: { id: offer.rp_id, name: "Holdfast" },
	user: { id: toBytes(offer.user_id), name: offer.user_name, displayName: offer.user_name },
	pubKeyCredParams: offer.algorithms.map((alg) => ({ type: "public-key", alg })),
	excludeCredentials: offer.known.map((id) => ({ type: "public-key", id: toBytes(id) })),
	authenticatorSelection: { residentKey: "required", userVerification: "required" },
	attestation: "none",
	timeout: offer.timeout_seconds * 1_000,
});

/** Browsers refuse with a DOMException, whose text says little: nobody agreed, or the address is another site's. */
function notGiven(error: unknown): never {
	if (error instanceof DOMException) throw new PasskeyNotGiven(error.message);
	throw error;
}

const toBytes = (base64Url: string): Uint8Array<ArrayBuffer> =>
	Uint8Array.from(atob(base64Url.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

const toText = (bytes: ArrayBuffer): string =>
	btoa(String.fromCharCode(...new Uint8Array(bytes)))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replaceAll("=", "");
