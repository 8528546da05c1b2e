/** Milliseconds for which the browser may still read a file that it was handed. */
const KEPT_MS = 60_000;

/** Hands a file to the browser, which saves or opens it as its person has chosen. */
export function saveFile(file: Blob, name: string): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(file);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
