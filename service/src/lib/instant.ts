const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970 of an RFC 3339 time, or null when it is none (a day that does not exist is none). */
export function parseInstant(text: string): number | null {
	const day = RFC3339.exec(text)?.[1];
	if (day === undefined || !isDay(day)) return null;
	const ms = Date.parse(text.toUpperCase());
	return Number.isNaN(ms) ? null : ms;
}

/** Is it a day that exists, as YYYY-MM-DD? */
export function isDay(text: string): boolean {
	if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
	const ms = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
