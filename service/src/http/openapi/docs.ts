import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { ErrorCode } from "../../glossary.ts";
import { errorBody, failedMessage, statusOf } from "../errors.ts";
import type { HelpLinks } from "../help-links.ts";
import type { Gate, HttpServer } from "../mount.ts";
import { openApi } from "./document.ts";
import { errorPageAt, showErrorPage } from "./error-page.ts";
import type { JsonObject } from "./schemas.ts";

/** Where the API can be read and tried; every asset comes from here, nothing from elsewhere. */
const PREFIX = "/docs";
// Swagger UI sets style attributes from its script; everything else is as strict as it goes.
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Shows the operations mounted on a gate at `/docs`, as a document at `/docs/json`, and a page for each error code. Loaded when first asked for: it costs a start nothing. */
export function addDocs<Who>(server: HttpServer, { surface, operations, dates }: Gate<Who>): void {
	let loaded: Promise<Serve> | null = null;
	server.pages(PREFIX, (request, response) => {
		const code = errorPageAt(request.url ?? "");
		if (code !== null) return showErrorPage(code, response);
		loaded ??= load(openApi(surface, operations, dates.current), surface.title, server.help);
		return loaded.then((serve) => serve(request, response));
	});
}

type Answer = (reply: FastifyReply, code: ErrorCode, message: string) => FastifyReply;

const answerWith =
	(help: HelpLinks): Answer =>
	(reply, code, message) =>
		reply
			.code(statusOf(code))
			.headers({
				"Content-Type": "application/json; charset=utf-8",
				"Cache-Control": "no-store",
				Link: help.of(code),
			})
			.send(errorBody(code, message));

async function load(document: JsonObject, title: string, help: HelpLinks): Promise<Serve> {
	const answer = answerWith(help);
	const [{ default: fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
		import("fastify"),
		import("@fastify/swagger"),
		import("@fastify/swagger-ui"),
	]);
	const app = fastify({ logger: false, exposeHeadRoutes: false });
	await app.register(swagger, { mode: "static", specification: { document: document as never } });
	await app.register(swaggerUi, {
		routePrefix: PREFIX,
		staticCSP: CONTENT_SECURITY_POLICY,
		theme: { title },
		uiConfig: { deepLinking: true, validatorUrl: null, layout: "BaseLayout" }, // no bar of the renderer's own
	});
	// what fails below /docs is answered in the envelope, like everything else; the headers of every reply are set already
	app.setNotFoundHandler((_request, reply) =>
		answer(reply, "not_found", "There is nothing at this path of the documentation."),
	);
	app.setErrorHandler(({ statusCode = 500 }: { statusCode?: number }, _request, reply) =>
		statusCode < 500
			? answer(reply, "bad_request", "The address is not a valid path.")
			: answer(reply, "internal_error", failedMessage("GET")),
	);
	await app.ready();
	return (request, response) => app.routing(request, response);
}
