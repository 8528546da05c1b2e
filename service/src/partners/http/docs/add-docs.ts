import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { contentEtag } from "../etag.ts";
import type { Gate, HttpServer } from "../mount.ts";
import { openApi } from "../openapi/document.ts";
import { isEverywhere, reachedAt } from "../reached-at.ts";
import { PREFIX } from "./address.ts";
import { requireDocuments } from "./guides.ts";
import { showPage } from "./show-page.ts";
import type { Site } from "./site-files.ts";

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
		await showPage(site, { root: PREFIX, shared: true, help: server.help }, request, response);
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
