import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { contentEtag } from "../etag.ts";
import { assetsOf } from "./layout.ts";

export interface SiteFile {
	readonly type: string;
	readonly body: Buffer;
	readonly etag: string;
}

/** Pages that belong together, with their files. */
export interface Site {
	/** All addresses, pages first. */
	readonly addresses: readonly string[];
	/** The file at an address, or null. Built on first request, and kept. */
	find(address: string): Promise<SiteFile | null>;
	/** The page for an unknown address. */
	nothing(address: string): SiteFile;
}

export type Make = () => SiteFile | Promise<SiteFile>;

export const HTML = "text/html; charset=utf-8";
export const JSON_TYPE = "application/json; charset=utf-8";
const ASSET_FILES: { readonly [name: string]: { readonly type: string; readonly file: string } } = {
	"style.css": { type: "text/css; charset=utf-8", file: ownAsset("style.css") },
	"rank.js": { type: "text/javascript; charset=utf-8", file: ownAsset("rank.js") },
	"samples.js": { type: "text/javascript; charset=utf-8", file: ownAsset("samples.js") },
	"search.js": { type: "text/javascript; charset=utf-8", file: ownAsset("search.js") },
	"try.js": { type: "text/javascript; charset=utf-8", file: ownAsset("try.js") },
	"minisearch.js": { type: "text/javascript; charset=utf-8", file: fileURLToPath(import.meta.resolve("minisearch")) },
};

function ownAsset(name: string): string {
	return fileURLToPath(new URL(`assets/${name}`, import.meta.url));
}

/** The scripts and styles of a site whose first page is at `root`. */
export const assetMakers = (root: string): [string, Make][] =>
	Object.entries(ASSET_FILES).map(([name, { type, file }]) => [
		`${assetsOf(root)}/${name}`,
		async () => sent(type, await readFile(file)),
	]);

export function sent(type: string, text: string | Buffer): SiteFile {
	const body = Buffer.from(text);
	return { type, body, etag: contentEtag(body) };
}

/** A site of these files, each by its address. */
export function siteOf(makers: ReadonlyMap<string, Make>, nothing: Site["nothing"]): Site {
	const made = new Map<string, Promise<SiteFile>>();
	return {
		addresses: [...makers.keys()],
		async find(address) {
			const make = makers.get(address);
			if (make === undefined) return null;
			const file = made.get(address) ?? Promise.resolve().then(make);
			made.set(address, file);
			file.catch(() => made.delete(address)); // the next request tries again
			return await file;
		},
		nothing,
	};
}
