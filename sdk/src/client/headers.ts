import type { RateLimit } from "./types.ts";

/** `RateLimit-Policy: "key";q=60;w=60` and `RateLimit: "key";r=41;t=17` (guide: rate limits); null: not sent. */
export function rateLimitOf(headers: Headers): RateLimit | null {
	const [limit, windowS] = numbersOf(headers.get("ratelimit-policy"), "q", "w");
	const [left, resetS] = numbersOf(headers.get("ratelimit"), "r", "t");
	if (limit === undefined || windowS === undefined || left === undefined || resetS === undefined) return null;
	return { limit, windowMs: windowS * 1000, left, resetMs: resetS * 1000 };
}

function numbersOf(text: string | null, ...names: readonly string[]): (number | undefined)[] {
	const own = text?.split(",").find((policy) => policy.trim().startsWith('"key"'));
	return names.map((name) => {
		const digits = new RegExp(`;\\s*${name}=(\\d+)`).exec(own ?? "")?.[1];
		return digits === undefined ? undefined : Number(digits);
	});
}

/** Milliseconds that `Retry-After` asks for; null: it was not sent. */
export function retryAfterMsOf(headers: Headers): number | null {
	const text = headers.get("retry-after") ?? "";
	return /^\d+$/.test(text) ? Number(text) * 1000 : null;
}

/** The address of the page that explains an error. */
export function helpOf(headers: Headers): string | null {
	return /<([^>]*)>\s*;\s*rel="?help"?/.exec(headers.get("link") ?? "")?.[1] ?? null;
}

/** The code of the error that a page explains; null: not one of the service's pages. */
export function codeOfPage(help: string | null): string | null {
	return /\/docs\/errors\/(\w+)$/.exec(help ?? "")?.[1] ?? null;
}

/** The words of `Partner-Warning`. */
export function warningsOf(headers: Headers): string[] {
	const words = (headers.get("partner-warning") ?? "").split(",").map((word) => word.trim());
	return words.filter((word) => word !== "");
}
