import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { ErrorCode } from "../../glossary.ts";
import { newNonce } from "../../ground/lib/ids.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { isUnauthenticated } from "../../partners/http/caller.ts";
import { HELP, requireOperatorGuides } from "../../partners/http/docs/operator-guides.ts";
import { showPage } from "../../partners/http/docs/show-page.ts";
import type { Site } from "../../partners/http/docs/site-files.ts";
import { errorBody, statusOf } from "../../partners/http/errors.ts";
import { wantsPage } from "../../partners/http/front-page.ts";
import type { HttpServer } from "../../partners/http/mount.ts";
import type { AuthenticateSession } from "../../partners/people/authenticate-session.ts";

/** The built console, which is part of the repository. */
const BUILT = path.resolve(import.meta.dirname, "../../../../console/dist");
/** Stands for the nonce in the built page (console/vite.config.ts). */
const NONCE = "CSP-NONCE";
/**
 * The place in the page that says whether the browser sent a session's cookie: only then does the console ask who has
 * signed in.
 */
const COOKIE_SENT = "COOKIE-SENT";
/** The place that says whether people may sign in at a provider. */
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
const JSON_TYPE = "application/json; charset=utf-8";
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

interface ConsolePages {
	/** Whether people may sign in at a provider. */
	readonly hasProvider: boolean;
	readonly authenticateSession: AuthenticateSession;
	readonly isSecondFactorRequired: boolean;
}

/**
 * Serves the console at /admin, and the operators' guides within it. Its files are read once, at the start: a service
 * without them does not start. @throws OperatorError
 */
export function routes(server: HttpServer, pages: ConsolePages): void {
	const index = path.join(BUILT, "index.html");
	if (!existsSync(index)) {
		throw new OperatorError(`The files of the console are missing: ${BUILT}. They are part of every release.`);
	}
	const page = readFileSync(index, "utf8").replace(HAS_PROVIDER, pages.hasProvider ? "yes" : "no");
	const folder = path.join(BUILT, "assets");
	const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]));
	const sections = SECTIONS.flatMap((section) => [`/admin/${section}`, `/admin/${section}/*`]);
	server.pages(["/admin", "/admin/", ...sections], async (request, response) => sendPage(page, request, response));
	server.pages(["/admin/assets/*"], async (request, response) => sendFile(files, server, request, response));
	addHelp(server, pages, page);
}

/** Serves the guides to people who have signed in. Anybody else sees the console's sign-in, and then the guide. */
function addHelp(server: HttpServer, pages: ConsolePages, page: string): void {
	requireOperatorGuides();
	let opened: Promise<Site> | null = null;
	const open = async (): Promise<Site> =>
		await (await import("../../partners/http/docs/operator-site.ts")).openOperatorSite();
	server.pages([HELP, `${HELP}/*`], async (request, response) => {
		if (!(await isSignedIn(pages, request))) return sendSignIn(page, server, request, response);
		opened ??= open().catch((error: unknown) => {
			opened = null; // the next reader tries again
			throw error;
		});
		await showPage(await opened, { root: HELP, shared: false, help: server.help }, request, response);
	});
}

/** Whether a request comes with the session of a person who may use the console. */
async function isSignedIn(
	{ authenticateSession, isSecondFactorRequired }: ConsolePages,
	request: IncomingMessage,
): Promise<boolean> {
	const judged = await authenticateSession(request, () => ""); // the address is only needed in the log of writes
	if (judged === null || isUnauthenticated(judged)) return false;
	return !isSecondFactorRequired || judged.caller.session?.hasFactor === true;
}

function sendSignIn(page: string, server: HttpServer, request: IncomingMessage, response: ServerResponse): void {
	if (wantsPage(request)) sendPage(page, request, response, statusOf("unauthorized"));
	else sendError(server, response, "unauthorized", "Sign in to the console first.");
}

function sendError({ help }: HttpServer, response: ServerResponse, code: ErrorCode, message: string): void {
	response.writeHead(statusOf(code), { "Content-Type": JSON_TYPE, "Cache-Control": "no-store", Link: help.of(code) });
	response.end(errorBody(code, message));
}

function sendPage(page: string, { headers }: IncomingMessage, response: ServerResponse, status = 200): void {
	const nonce = newNonce();
	const hasCookie = /(^|; )(__Host-)?holdfast=[^;]/.test(headers.cookie ?? "");
	const body = Buffer.from(page.replaceAll(NONCE, nonce).replace(COOKIE_SENT, hasCookie ? "yes" : "no"));
	response.writeHead(status, {
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
	if (body === undefined)
		return sendError(server, response, "not_found", "The console has no such file: load the page again.");
	const type = TYPES[path.extname(name)] ?? "application/octet-stream";
	response.writeHead(200, { "Content-Type": type, "Content-Length": body.length, "Cache-Control": FOREVER });
	response.end(body);
}
