const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * The first and the last instant that the database supports in a year of four digits (there is no year 0), in epoch
 * milliseconds.
 */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Epoch milliseconds of an RFC 3339 time, or null if it is not one (or the day does not exist). */
export function parseInstant(text: string): number | null {
	const day = RFC3339.exec(text)?.[1];
	if (day === undefined || !isDay(day)) return null;
	const ms = Date.parse(text.toUpperCase());
	return ms >= FIRST && ms <= LAST ? ms : null; // an offset can lead outside the valid years
}

/** Whether the text is an existing day, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
	if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
	const ms = Date.parse(`${text}T00:00:00Z`);
	return ms >= FIRST && new Date(ms).toISOString().startsWith(text);
}
