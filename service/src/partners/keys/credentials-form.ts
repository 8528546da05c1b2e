/**
 * The problem with the form of an Authorization header, as the beginning of a sentence, or null if the form is correct.
 * The form is documented, and therefore not secret. Nothing is revealed about credentials of the correct form.
 */
export function wrongForm(authorization: string | undefined): string | null {
	if (authorization === undefined || authorization === "") return "There is no header Authorization";
	const [scheme = "", ...rest] = authorization.split(" ");
	if (scheme.toLowerCase() !== "bearer") return "The header Authorization does not begin with Bearer";
	const token = rest.join(" ").trim();
	if (/\s/.test(token)) return "There is a space in the key";
	if (token.startsWith("sk_") && token.includes(":pk_")) return "The halves of the key are the wrong way round";
	const [pk = "", sk] = token.split(":");
	if (sk === undefined && /^[ps]k_/.test(pk)) return "Only one half of the key was sent";
	return null;
}
