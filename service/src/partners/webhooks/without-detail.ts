/**
 * The body of an event without the words that people typed, in the same order of members; null if it has none. A
 * receiver that gets the event again finds `detail` null, as in an event without words.
 */
export function withoutDetail(body: string): string | null {
	const event = JSON.parse(body) as { readonly data?: { readonly detail?: string | null } };
	if (typeof event.data?.detail !== "string") return null;
	return JSON.stringify({ ...event, data: { ...event.data, detail: null } });
}
