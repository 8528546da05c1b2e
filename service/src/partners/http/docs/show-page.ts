import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { errorBody, statusOf } from "../errors.ts";
import { matches } from "../etag.ts";
import { wantsPage } from "../front-page.ts";
import type { HelpLinks } from "../help-links.ts";
import type { Site } from "./site-files.ts";

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

interface ShowOptions {
	/** The address of the first page. */
	readonly root: string;
	/** Whether caches that several people share may keep the pages. */
	readonly shared: boolean;
	readonly help: HelpLinks;
}

/** Answers a request for a page or a file of a site. */
export async function showPage(
	site: Site,
	{ root, shared, help }: ShowOptions,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const address = (request.url ?? "").split("?", 1)[0] ?? "";
	const file = await site.find(address);
	if (file !== null) {
		response.setHeader("ETag", file.etag);
		response.setHeader("Cache-Control", `${shared ? "public" : "private"}, no-cache`);
		response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
		response.setHeader("Referrer-Policy", "same-origin");
		if (matches(request.headers["if-none-match"], file.etag)) response.writeHead(304).end();
		else response.writeHead(200, { "Content-Type": file.type, "Content-Length": file.body.length }).end(file.body);
		return;
	}
	const plain = address.slice(0, -1);
	if (address.endsWith("/") && site.addresses.includes(plain)) {
		// relative, because a proxy may serve everything below another path
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
	response.end(errorBody(code, `There is nothing at this path of the documentation: ${root} lists what there is.`));
}
