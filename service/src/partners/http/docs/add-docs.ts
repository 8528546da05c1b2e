import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { errorBody, statusOf } from "../errors.ts";
import { contentEtag, matches } from "../etag.ts";
import { wantsPage } from "../front-page.ts";
import type { HelpLinks } from "../help-links.ts";
import type { Gate, HttpServer } from "../mount.ts";
import { openApi } from "../openapi/document.ts";
import { isEverywhere, reachedAt } from "../reached-at.ts";
import { PREFIX } from "./address.ts";
import { requireDocuments } from "./guides.ts";
import type { Site } from "./site.ts";

/** Everything is loaded from this service, and pages contain no inline scripts or styles. */
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/**
 * Serves the pages for partners at `/docs`: the guides, a page for each error code, the changelog, and the reference of
 * a gate's operations, which is also available as a document at `/docs/json`. They are loaded and rendered on first
 * request, so they cost nothing at start. `coa`: the public address of the COA feed. `isCoa`: these operations are the
 * feed's.
 */
export function addDocs<Who>(
	server: HttpServer,
	{ surface, operations, dates }: Gate<Who>,
	{ coa = () => "", isCoa = false }: { readonly coa?: () => string; readonly isCoa?: boolean } = {},
): void {
	requireDocuments();
	let opened: Promise<Site> | null = null;
	const open = async (): Promise<Site> => {
		// in steps, between which waiting requests are served
		const { openSite } = await import("./site.ts");
		await setImmediate();
		const document = openApi(surface, operations, dates.current);
		await setImmediate();
		const origin = server.help.address();
		return await openSite({ title: surface.title, document, origin, coa: coa(), at: isCoa ? coa() : origin });
	};
	const places = (): readonly Place[] => [
		{ url: server.help.address(), beside: isCoa },
		{ url: coa(), beside: !isCoa },
	];
	server.pages([PREFIX, `${PREFIX}/*`], async (request, response) => {
		opened ??= open().catch((error: unknown) => {
			opened = null; // the next reader tries again
			throw error;
		});
		const site = reachedBy(request, await opened, places());
		await show(site, server.help, request, response);
	});
}

/** An address of the service. `beside`: at another port than these pages. */
interface Place {
	readonly url: string;
	readonly beside: boolean;
}

/** The site with the address that the request came to, where the service knows no public one. */
function reachedBy({ headers }: IncomingMessage, site: Site, places: readonly Place[]): Site {
	const unknown = places.filter(({ url }) => isEverywhere(url));
	if (unknown.length === 0) return site;
	return {
		...site,
		async find(address) {
			const file = await site.find(address);
			if (file === null || !unknown.some(({ url }) => file.body.includes(url))) return file;
			const text = unknown.reduce(
				(before, { url, beside }) => before.replaceAll(url, reachedAt(url, headers.host ?? null, { beside })),
				file.body.toString(),
			);
			const body = Buffer.from(text);
			return { ...file, body, etag: contentEtag(body) };
		},
	};
}

async function show(site: Site, help: HelpLinks, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const address = (request.url ?? "").split("?", 1)[0] ?? "";
	const file = await site.find(address);
	if (file !== null) {
		response.setHeader("ETag", file.etag);
		response.setHeader("Cache-Control", "public, no-cache");
		response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
		response.setHeader("Referrer-Policy", "same-origin");
		if (matches(request.headers["if-none-match"], file.etag)) response.writeHead(304).end();
		else response.writeHead(200, { "Content-Type": file.type, "Content-Length": file.body.length }).end(file.body);
		return;
	}
	const plain = address.slice(0, -1);
	if (address.endsWith("/") && site.addresses.includes(plain)) {
		// relative, because a proxy may serve everything below a path of its own
		response.writeHead(308, { Location: `../${path.posix.basename(plain)}`, "Cache-Control": "no-store" }).end();
		return;
	}
	const code = "not_found";
	if (wantsPage(request)) {
		const page = site.nothing(address);
		response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
		response.writeHead(statusOf(code), { "Content-Type": page.type, "Cache-Control": "no-store", Link: help.of(code) });
		response.end(request.method === "HEAD" ? undefined : page.body);
		return;
	}
	response.writeHead(statusOf(code), {
		"Content-Type": "application/json; charset=utf-8",
		"Cache-Control": "no-store",
		Link: help.of(code),
	});
	response.end(errorBody(code, `There is nothing at this path of the documentation: ${PREFIX} lists what there is.`));
}
