const KIB = 1024;

/** Formats a size for people. */
export function bytesInWords(bytes: number): string {
	const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
	let [size, unit] = [bytes, 0];
	for (; size >= KIB && unit < units.length - 1; unit++) size /= KIB;
	return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
