import { inflateSync } from "node:zlib";

/*
 * Extracts the text from a PDF written by pdfkit: compressed streams, and glyphs as hexadecimal numbers that the
 * ToUnicode table of their font translates. It supports no other PDFs.
 */

/** The texts of each page, in the order in which they were drawn. */
export function readPdf(bytes: Buffer): { readonly pages: readonly (readonly string[])[] } {
	const objects = new Map<number, string>();
	const text = bytes.toString("latin1");
	for (const [, id, body = ""] of text.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g))
		objects.set(Number(id), body);
	const bodyOf = (id: string | undefined): string => objects.get(Number(id)) ?? "";
	const fonts = new Map<string, ReadonlyMap<string, string>>();
	for (const body of objects.values()) {
		for (const [, name = "", id] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
			const [, toUnicode] = /\/ToUnicode (\d+) 0 R/.exec(bodyOf(id)) ?? [];
			if (toUnicode !== undefined) fonts.set(name, readTable(streamOf(bodyOf(toUnicode))));
		}
	}
	const kids = [...objects.values()].find((body) => /\/Type \/Pages/.test(body));
	const [, list = ""] = /\/Kids \[([^\]]*)\]/.exec(kids ?? "") ?? [];
	const pages = [...list.matchAll(/(\d+) 0 R/g)].map(([, id]) => {
		const [, contents] = /\/Contents (\d+) 0 R/.exec(bodyOf(id)) ?? [];
		return readTexts(streamOf(bodyOf(contents)), fonts);
	});
	return { pages };
}

function streamOf(body: string): string {
	const [, raw = ""] = /stream\n([\s\S]*)\nendstream/.exec(body) ?? [];
	const bytes = Buffer.from(raw, "latin1");
	return (/\/FlateDecode/.test(body) ? inflateSync(bytes) : bytes).toString("latin1");
}

/** Characters by glyph, from `beginbfrange` with a list of them. */
function readTable(table: string): ReadonlyMap<string, string> {
	const glyphs = new Map<string, string>();
	for (const [, first = "", list = ""] of table.matchAll(/<(\w+)> <\w+> \[([^\]]*)\]/g)) {
		for (const [index, [, hex = ""]] of [...list.matchAll(/<([^>]*)>/g)].entries()) {
			const units = (hex.replace(/\s/g, "").match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16));
			glyphs.set((Number.parseInt(first, 16) + index).toString(16).padStart(4, "0"), String.fromCharCode(...units));
		}
	}
	return glyphs;
}

function readTexts(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
	const texts: string[] = [];
	for (const [, block = ""] of content.matchAll(/BT\n([\s\S]*?)\nET/g)) {
		const [, font = ""] = /\/(F\d+) /.exec(block) ?? [];
		const table = fonts.get(font);
		if (table === undefined) throw new Error(`no table of characters for font ${font}`);
		const shown = [...block.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts = ""]) =>
			[...parts.matchAll(/<(\w*)>/g)]
				.flatMap(([, hex = ""]) => hex.match(/.{4}/g) ?? [])
				.map((glyph) => table.get(glyph.toLowerCase()) ?? "?")
				.join(""),
		);
		texts.push(shown.join(""));
	}
	return texts;
}
