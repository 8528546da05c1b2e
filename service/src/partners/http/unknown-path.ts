/** A served path as it was mounted (`/api/v1/orders/:ref`), and the pattern of its requests. */
export interface Mounted {
	readonly url: string;
	readonly pattern: RegExp;
}

/** The message for an unknown path. */
export const NOTHING_HERE = "There is nothing at this path. /docs lists what there is.";

/** The prefix of all operations' paths. */
const API = "/api/v1";

/**
 * The message for an unknown path. It suggests a mounted path that differs only by slashes, capitals or the prefix of
 * operations. It suggests only operations: other paths should not be guessed.
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
