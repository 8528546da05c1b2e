/** Replaces a secret. */
const MASKED = "***";
/**
 * The secret half of a key or of an operator's token, and the secret of a webhook endpoint. No word boundary before it:
 * it may follow a percent-encoded colon.
 */
const SECRETS = /(sk_hf_(?:live|sandbox)_|os_hf_|whsec_)[0-9A-Za-z+/=_-]+/g;
/** Members of JSON objects whose values are secrets. */
const SECRET_MEMBERS = /("(?:secret|token|password)"\s*:\s*)"(?:[^"\\]|\\.)*"?/g;
/** The password in an address. */
const PASSWORD = /(:\/\/[^/?#@\s":]*):[^/?#@\s"]*@/g;

/** A text without the secrets in it: those of our forms, the values of secret members, the passwords of addresses. */
export const withoutSecrets = (text: string): string =>
	text.length >= SHORTEST && MAY_HOLD_ONE.test(text)
		? text.replace(SECRETS, `$1${MASKED}`).replace(SECRET_MEMBERS, `$1"${MASKED}"`).replace(PASSWORD, `$1:${MASKED}@`)
		: text;

/** Length of the shortest text that has one of these: an address with a password. */
const SHORTEST = 10;
/** Most texts contain nothing like a secret, and need no further check. */
const MAY_HOLD_ONE = /_hf_|whsec_|secret|token|password|:\/\//;
