const KILOBYTE = 1_000;
const MEGABYTE = 1_000_000;

/** A number of bytes as people say it: `340 kB`, `2.1 MB`. */
export function sizeText(bytes: number): string {
	const [unit, size] = bytes < MEGABYTE ? (["kilobyte", KILOBYTE] as const) : (["megabyte", MEGABYTE] as const);
	return (bytes / size).toLocaleString(undefined, { style: "unit", unit, maximumSignificantDigits: 3 });
}
