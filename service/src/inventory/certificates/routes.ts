import type { IncomingMessage } from "node:http";
import type { Cursors } from "../../ground/lib/cursor.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { CoaFeed, CoaFile, CoaLookup, CoaLot, CSV_TYPE, HTML_TYPE, PDF_TYPE } from "./contract.ts";
import type { FeedReader } from "./feed-reader.ts";
import type { FileStore } from "./file-store.ts";
import { createKeptFiles } from "./kept-files.ts";
import { findBatch, lookUpLot } from "./look-up-lot.ts";
import { openFile } from "./open-file.ts";
import { type Branding, createPages } from "./page.ts";
import { readFeed } from "./read-feed.ts";
import { type CoaLinks, csvOf, recordOf } from "./record.ts";

export interface CoaDeps {
	readonly readDb: Database;
	/** Serializes reads for callers without a key, with fair turns per address. */
	readonly keylessReads: Turns;
	readonly feed: FeedReader;
	readonly cursors: Cursors;
	readonly files: FileStore;
	readonly coaLinks: CoaLinks & { readonly feedUrl: (query: string) => string };
	readonly config: { readonly coa: Branding };
}

export function routes(gate: Gate, deps: CoaDeps): void {
	const { readDb, coaLinks } = deps;
	mount(gate, CoaFeed, async ({ caller, query }) => {
		const answer = await readFeed(deps, coaLinks, caller, query);
		if (isRefusal(answer)) return answer;
		const { page, hidesTombstones } = answer;
		const headers = {
			"X-Next-Cursor": page.next_cursor,
			...(page.has_more ? { Link: `<${coaLinks.feedUrl(nextQuery(query, page.next_cursor))}>; rel="next"` } : {}),
			...(hidesTombstones ? { "Partner-Warning": "tombstones_hidden" } : {}),
		};
		if (query.format === "csv") return { status: 200, type: CSV_TYPE, content: csvOf(page.items), headers };
		return { status: 200, data: page, headers };
	});
	mount(gate, CoaLot, async ({ caller, params }) => {
		const found = await findBatch(readDb, params.lot, caller.environment);
		if (isRefusal(found)) return found;
		return { status: 200, data: { items: found.map((certificate) => recordOf(certificate, coaLinks)) } };
	});
	mountLookup(gate, deps);
	mountFile(gate, deps);
}

type Query = { readonly [name: string]: string | number | readonly string[] | undefined };

function nextQuery(query: Query, cursor: string): string {
	const all: Query = { ...query, cursor };
	const given: [string, string][] = [];
	for (const [name, value] of Object.entries(all)) {
		if (typeof value === "string") given.push([name, value]);
		else if (typeof value === "number") given.push([name, String(value)]);
		else for (const one of value ?? []) given.push([name, one]);
	}
	return new URLSearchParams(given).toString();
}

const LOT_MISSING = refuse("invalid_input", "/lot: required: the lot number, as it is on the label.");

function mountLookup(gate: Gate, deps: CoaDeps): void {
	const pages = createPages(deps.config.coa);
	const html = (content: string) => ({ status: 200, type: HTML_TYPE, content, headers: pages.headers }) as const;
	mount(
		gate,
		CoaLookup,
		async ({ query: { lot }, headers, from }) => {
			const json = wantsJson(headers.Accept);
			if (lot === undefined) return json ? LOT_MISSING : html(pages.form());
			const found = await lookUpLot(deps, lot, from);
			if (isRefusal(found)) return found;
			return json ? { status: 200, data: found } : html(pages.found(found));
		},
		{
			errorPage: (request, code) =>
				wantsJson(request.headers.accept)
					? null
					: { type: HTML_TYPE, content: pages.refused(code, lotIn(request)), headers: pages.headers },
		},
	);
}

/** The lot number from a refused request, if it is fit to show. */
function lotIn({ url = "" }: IncomingMessage): string | null {
	const lot = URL.parse(url, "http://localhost")?.searchParams.get("lot") ?? "";
	return lot === "" || lot.length > 200 || !lot.isWellFormed() || lot.includes("\0") ? null : lot;
}

/** No script in a PDF may run, no request may leave it, and nothing may frame it. */
const FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

function mountFile(gate: Gate, deps: CoaDeps): void {
	const keptFiles = createKeptFiles(deps.files);
	mount(gate, CoaFile, async ({ params, query, headers, from }) => {
		const ifRange = headers["If-Range"];
		const sameFile = ifRange === undefined || ifRange === `"${params.digest}"`;
		const asked = { certificateId: params.certificate_id.toLowerCase(), digest: params.digest, from };
		const file = await openFile({ ...deps, keptFiles }, { ...asked, range: sameFile ? headers.Range : undefined });
		if (isRefusal(file)) return file;
		const { digest, size, range, content } = file;
		const length = range === null ? size : range.last - range.first + 1;
		const all = {
			"Accept-Ranges": "bytes",
			"Content-Disposition": `${query.disposition ?? "inline"}; filename="certificate-${digest.slice(0, 12)}.pdf"`,
			"Content-Security-Policy": FILE_POLICY,
			// the length of a buffer is set automatically
			...(Buffer.isBuffer(content) ? {} : { "Content-Length": String(length) }),
		};
		if (range === null) return { status: 200, type: PDF_TYPE, content, etag: digest, headers: all };
		const part = { "Content-Range": `bytes ${range.first}-${range.last}/${size}` };
		return { status: 206, type: PDF_TYPE, content, etag: digest, headers: { ...all, ...part } };
	});
}

/** Whether an Accept header names JSON explicitly; browsers and a bare `*` get the page. */
export function wantsJson(accept: string | undefined): boolean {
	if (accept === undefined) return false;
	return quality(accept, "application/json") > quality(accept, "text/html");
}

/** The quality of a type, from 0 to 1; only an entry with that exact name counts. */
function quality(accept: string, type: string): number {
	for (const one of accept.toLowerCase().split(",")) {
		const [name = "", ...parameters] = one.split(";").map((part) => part.trim());
		if (name !== type) continue;
		const q = parameters.find((parameter) => parameter.startsWith("q="));
		const value = q === undefined ? 1 : Number(q.slice(2));
		return value >= 0 && value <= 1 ? value : 1;
	}
	return 0;
}
