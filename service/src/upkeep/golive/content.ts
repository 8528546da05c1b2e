import type { FactRequest } from "./facts.ts";

/*
 * Reads what requests and replies contain. All of it may be missing: a body may have been cut off, or never been JSON.
 */

/** A member of JSON, by its path; undefined: there is no such member. */
export const memberAt = (json: unknown, ...path: readonly string[]): unknown =>
	path.reduce<unknown>(
		(value, name) =>
			typeof value === "object" && value !== null && Object.hasOwn(value, name)
				? (value as { readonly [member: string]: unknown })[name]
				: undefined,
		json,
	);

export function textAt(json: unknown, ...path: readonly string[]): string | null {
	const value = memberAt(json, ...path);
	return typeof value === "string" && value !== "" ? value : null;
}

export function numberAt(json: unknown, ...path: readonly string[]): number | null {
	const value = memberAt(json, ...path);
	return typeof value === "number" ? value : null;
}

export function listAt(json: unknown, ...path: readonly string[]): readonly unknown[] {
	const value = memberAt(json, ...path);
	return Array.isArray(value) ? value : [];
}

export function queryOf({ url }: FactRequest): URLSearchParams {
	const start = url.indexOf("?");
	return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}

/** Whether it was answered 2xx. */
export const isDone = ({ status }: { readonly status: number | null }): boolean =>
	status !== null && status >= 200 && status <= 299;

/** The operations that place an order from a hold. */
export const PLACES: ReadonlySet<string> = new Set(["placeOrder", "confirm"]);
/** The operations that change holds and orders. */
export const WRITES: ReadonlySet<string> = new Set([
	...PLACES,
	"reserve",
	"release",
	"consume",
	"reverseConsume",
	"cancelOrder",
	"combineShipments",
]);

/** Whether the partner sent it to follow its own run: no check counts such requests against it. */
export const isToRun = ({ url }: FactRequest): boolean => /^\/api\/v1\/sandbox\/(golive|shown)\b/.test(url);

/** The partner's own references in a request, without tokens of the service. */
export const referencesOf = ({ body, idempotencyKey }: FactRequest): string[] =>
	[textAt(body, "external_ref"), textAt(body, "external_order_id"), idempotencyKey].filter((one) => one !== null);

/** Everything that a request names: references, tokens and ids, in its path, query, headers and body. */
export const namesIn = (request: FactRequest): string[] => {
	const query = queryOf(request);
	const asked = [query.get("external_ref"), query.get("order_ref"), query.get("external_order_id")];
	return [...request.about, ...referencesOf(request), ...asked.filter((one) => one !== null)];
};

/** JSON with the members of each object in the order of their names, so that equal values are equal texts. */
export const canonical = (json: unknown): string =>
	JSON.stringify(json, (_name, value: unknown) =>
		typeof value === "object" && value !== null && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
			: value,
	) ?? "";

/** A text that is equal for equal requests: operation, address, Idempotency-Key and body. */
export const sameness = ({ operation, url, idempotencyKey, body }: FactRequest): string =>
	canonical([operation, url, idempotencyKey, body]);
