const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The years that four digits name and the database knows: there is no year 0. Milliseconds since 1970. */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Milliseconds since 1970 of an RFC 3339 time, or null when it is none (a day that does not exist is none). */
export function parseInstant(text: string): number | null {
	const day = RFC3339.exec(text)?.[1];
	if (day === undefined || !isDay(day)) return null;
	const ms = Date.parse(text.toUpperCase());
	return ms >= FIRST && ms <= LAST ? ms : null; // an offset can lead out of the years that have a name
}

/** Is it a day that exists, as YYYY-MM-DD? */
export function isDay(text: string): boolean {
	if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
	const ms = Date.parse(`${text}T00:00:00Z`);
	return ms >= FIRST && new Date(ms).toISOString().startsWith(text);
}
