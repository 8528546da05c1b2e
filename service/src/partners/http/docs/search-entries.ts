import { setImmediate } from "node:timers/promises";
import { PREFIX } from "./address.ts";
import { type Guide, renderGuide } from "./guides.ts";
import type { Section } from "./markdown.ts";
import { addressOfOperation, type ReferenceDocument } from "./reference-document.ts";
import { TASKS } from "./search-tasks.ts";

/** A search entry: a section of a page, its address below /docs, and its text. */
export interface SearchEntry {
	readonly to: string;
	readonly heading: string;
	readonly page: string;
	readonly text: string;
	/** What readers who look for this section may ask, in words that it may lack. */
	readonly asked: string;
	/** Guides answer questions; the reference and error codes are looked up; the changelog is history. */
	readonly kind: "guide" | "error" | "operation" | "change";
}

/** An entry for each section of the guides, of the error codes and of the changelog, and for each operation. */
export async function searchEntries(
	guides: readonly Guide[],
	{ operations }: ReferenceDocument,
): Promise<SearchEntry[]> {
	const entries: SearchEntry[] = [];
	for (const guide of guides) {
		const { sections } = renderGuide(guides, guide, { origin: "", coa: "" });
		for (const entry of entriesOfGuide(guide, sections, PREFIX))
			entries.push({ ...entry, asked: TASKS[entry.to] ?? "" });
		await setImmediate(); // give waiting requests priority over readers
	}
	for (const one of operations) {
		const { method, path, summary, description, parameters } = one;
		const text = [description, ...parameters.map(({ name }) => name)].join(" ");
		const to = addressOfOperation(one).slice(PREFIX.length);
		const page = `${method} ${path}`;
		entries.push({ to, heading: summary, page, text, asked: TASKS[to] ?? "", kind: "operation" });
	}
	return entries;
}

/** An entry for each section of a guide; `root`: the address of the first page. */
export function entriesOfGuide(guide: Guide, sections: readonly Section[], root: string): SearchEntry[] {
	const to = guide.address.slice(root.length);
	return sections.map(({ heading, text }) => ({
		to: heading.level === 1 ? to : `${to}#${heading.anchor}`,
		heading: heading.text,
		page: guide.title,
		text,
		asked: "",
		kind: kindOf(guide),
	}));
}

function kindOf({ file }: Guide): SearchEntry["kind"] {
	if (file.startsWith("docs/errors/")) return "error";
	return file === "CHANGELOG.md" ? "change" : "guide";
}
