/** Sections that can be imported from CSV; keys can be imported from JSON only. */
export const CSV_SECTIONS = [
	"brands",
	"formulas",
	"products",
	"skus",
	"lots",
	"demand",
	"buffers",
	"partners",
] as const;
type CsvSection = (typeof CSV_SECTIONS)[number];

/** A file to import, as it was when it was chosen. */
export interface ChosenFile {
	readonly id: number;
	readonly file: File;
	/** The section of a CSV file; null: not known yet. A JSON file, which names its sections itself, has `json`. */
	readonly section: CsvSection | "json" | null;
}

/** Keeps a file as it is now, so that what was previewed is imported, even if the file changes on the disk. */
export async function keep(file: File, id: number): Promise<ChosenFile> {
	const kept = new File([await file.arrayBuffer()], file.name, { type: file.type });
	return { id, file: kept, section: /\.json$/i.test(file.name) ? "json" : sectionOf(file.name) };
}

/** The one section that the name of a file contains, as in `skus (2).csv`. */
function sectionOf(name: string): CsvSection | null {
	const found = CSV_SECTIONS.filter((section) => name.toLowerCase().includes(section));
	return found.length === 1 ? (found[0] ?? null) : null;
}

export const asSection = (text: string): CsvSection | null => CSV_SECTIONS.find((one) => one === text) ?? null;

const sentName = ({ file, section }: ChosenFile): string => (section === "json" ? file.name : `${section}.csv`);

/** The files as the service takes them: it knows what a CSV file contains by its name. */
export const sentFiles = (chosen: readonly ChosenFile[]): readonly File[] =>
	chosen.map((one) => new File([one.file], sentName(one), { type: one.file.type }));

/** A place in a file that was sent, by the name of the file that was chosen. */
export function placeOf(at: string, chosen: readonly ChosenFile[]): string {
	const named = chosen.filter((one) => at === sentName(one) || at.startsWith(`${sentName(one)} `));
	const [only] = named;
	return only === undefined || named.length > 1 ? at : only.file.name + at.slice(sentName(only).length);
}
