/** A path that is served, as it was mounted (`/api/v1/orders/:ref`), and what requests of it look like. */
export interface Mounted {
	readonly url: string;
	readonly pattern: RegExp;
}

/** What a caller of a path without anything is told. */
export const NOTHING_HERE = "There is nothing at this path. /docs lists what there is.";

/** What the paths of operations begin with. */
const API = "/api/v1";

/**
 * What to tell a caller of a path without anything: which one was probably meant, when it differs only by slashes, by
 * capitals, or by what operations begin with. `mounted`: what is served, with its paths as they were mounted. Nothing
 * else is suggested: what else is served here nobody needs to guess.
 */
export function nothingHere(asked: string, mounted: readonly Mounted[]): string {
	const plain = asked.replace(/\/{2,}/g, "/").replace(/\/$/, "");
	const guesses = [
		plain,
		plain.toLowerCase(),
		API + plain.toLowerCase(),
		plain.toLowerCase().replace(/^\/v\d+\//, `${API}/`),
	];
	const meant = mounted.find(({ url, pattern }) => url.startsWith("/api/") && guesses.some((one) => pattern.test(one)));
	if (meant === undefined) return NOTHING_HERE;
	return `There is nothing at this path: did you mean ${meant.url.replace(/:(\w+)/g, "{$1}")}? /docs lists what there is.`;
}
