import Type from "typebox";
import { ReplyObject } from "../http/text.ts";

/** Maximum length of each text of a passkey from a browser, in characters: several times what devices make. */
const MAX_PASSKEY_TEXT = 16_384;
/** Maximum length of a passkey's id, in characters: 1,023 bytes (WebAuthn, section 4). */
const MAX_CREDENTIAL_ID = 1_364;

const BASE64URL = "^[A-Za-z0-9_-]+$";
const Base64Url = (maxLength: number, description: string) =>
	Type.String({ pattern: BASE64URL, minLength: 1, maxLength, description: `${description} base64url.` });

export const CREDENTIAL_ID = Base64Url(MAX_CREDENTIAL_ID, "The passkey's id, as the browser names it;");
export const CLIENT_DATA = Base64Url(MAX_PASSKEY_TEXT, "`clientDataJSON` of the browser's reply;");
export const ATTESTATION = Base64Url(MAX_PASSKEY_TEXT, "`attestationObject` of the browser's reply;");
export const AUTHENTICATOR_DATA = Base64Url(MAX_PASSKEY_TEXT, "`authenticatorData` of the browser's reply;");
export const SIGNATURE = Base64Url(MAX_PASSKEY_TEXT, "`signature` of the browser's reply;");

const CHALLENGE_FIELDS = {
	challenge: Type.String({ description: "What the passkey must sign: base64url." }),
	rp_id: Type.String({ description: "The host name that passkeys of this console belong to." }),
	timeout_seconds: Type.Integer({ description: "How long the challenge may be answered; it works once." }),
};
export const CHALLENGE_EXAMPLE = {
	challenge: "3mWjCkz5xH0b6r1V9sQeT2uYp8LgN4dA7fKoXiJwBvE",
	rp_id: "partners.example.com",
	timeout_seconds: 300,
} as const;

/** A challenge for signing in. */
export const PasskeyChallenge = ReplyObject("PasskeyChallenge", CHALLENGE_FIELDS);

/** A challenge for adding a passkey, with the other values that the browser needs. */
export const NewPasskeyChallenge = ReplyObject("NewPasskeyChallenge", {
	...CHALLENGE_FIELDS,
	user_id: Type.String({ description: "The person's id, for the device: base64url." }),
	user_name: Type.String({ description: "The person's name, for the device." }),
	algorithms: Type.Array(Type.Integer(), { description: "Accepted algorithms (COSE numbers), the preferred first." }),
	known: Type.Array(Type.String(), { description: "Ids of the person's passkeys, so that none is added twice." }),
});
