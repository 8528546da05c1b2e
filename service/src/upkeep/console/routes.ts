import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { newNonce } from "../../ground/lib/ids.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { errorBody, statusOf } from "../../partners/http/errors.ts";
import type { HttpServer } from "../../partners/http/mount.ts";

/** The built console, which is part of the repository. */
const BUILT = path.resolve(import.meta.dirname, "../../../../console/dist");
/** The built page has this in each place of a nonce (console/vite.config.ts). */
const NONCE = "CSP-NONCE";
/** The page says here whether the browser sent the cookie of a session: only then does the console ask who it is. */
const COOKIE_SENT = "COOKIE-SENT";
/** And here whether people may sign in at a provider. */
const HAS_PROVIDER = "HAS-PROVIDER";
/** Addresses of the console's own pages, below /admin. */
const SECTIONS = [
	"set-up",
	"sign-in",
	"search",
	"orders",
	"holds",
	"warehouse",
	"boxes",
	"stock",
	"recalls",
	"ledger",
	"counts",
	"catalogue",
	"import",
	"certificates",
	"demand",
	"exceptions",
	"stores",
	"api-keys",
	"webhooks",
	"requests",
	"golives",
	"runs",
	"health",
	"people",
	"tokens",
	"audit",
	"account",
];
const TYPES: { readonly [ending: string]: string } = {
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
};
/** Built files carry a digest of their content in their names. */
const FOREVER = "public, max-age=31536000, immutable";

/** Only scripts and styles of this very page run, nothing comes from elsewhere, and no other page may frame it. */
const policyOf = (nonce: string): string =>
	[
		"default-src 'none'",
		`script-src 'nonce-${nonce}' 'strict-dynamic'`,
		`style-src 'nonce-${nonce}' 'self'`,
		"img-src 'self' data:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
	].join("; ");

/**
 * Serves the console at /admin. Its files are read once, at the start: a service without them does not start.
 * @throws OperatorError
 */
export function routes(server: HttpServer, { hasProvider }: { readonly hasProvider: boolean }): void {
	const index = path.join(BUILT, "index.html");
	if (!existsSync(index)) {
		throw new OperatorError(`The files of the console are missing: ${BUILT}. They are part of every release.`);
	}
	const page = readFileSync(index, "utf8").replace(HAS_PROVIDER, hasProvider ? "yes" : "no");
	const folder = path.join(BUILT, "assets");
	const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]));
	const sections = SECTIONS.flatMap((section) => [`/admin/${section}`, `/admin/${section}/*`]);
	server.pages(["/admin", "/admin/", ...sections], async (request, response) => sendPage(page, request, response));
	server.pages(["/admin/assets/*"], async (request, response) => sendFile(files, server, request, response));
}

function sendPage(page: string, { headers }: IncomingMessage, response: ServerResponse): void {
	const nonce = newNonce();
	const hasCookie = /(^|; )(__Host-)?holdfast=[^;]/.test(headers.cookie ?? "");
	const body = Buffer.from(page.replaceAll(NONCE, nonce).replace(COOKIE_SENT, hasCookie ? "yes" : "no"));
	response.writeHead(200, {
		"Content-Type": "text/html; charset=utf-8",
		"Content-Length": body.length,
		"Cache-Control": "no-store",
		"Content-Security-Policy": policyOf(nonce),
		"Cross-Origin-Opener-Policy": "same-origin",
		"Referrer-Policy": "same-origin",
	});
	response.end(body);
}

function sendFile(
	files: ReadonlyMap<string, Buffer>,
	server: HttpServer,
	request: IncomingMessage,
	response: ServerResponse,
): void {
	const name = (request.url ?? "").split("?", 1)[0]?.slice("/admin/assets/".length) ?? "";
	const body = files.get(name);
	if (body === undefined) {
		const type = "application/json; charset=utf-8";
		const headers = { "Content-Type": type, "Cache-Control": "no-store", Link: server.help.of("not_found") };
		response.writeHead(statusOf("not_found"), headers);
		response.end(errorBody("not_found", "The console has no such file: load the page again."));
		return;
	}
	const type = TYPES[path.extname(name)] ?? "application/octet-stream";
	response.writeHead(200, { "Content-Type": type, "Content-Length": body.length, "Cache-Control": FOREVER });
	response.end(body);
}
