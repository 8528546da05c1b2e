import { Readable } from "node:stream";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { contentEtag, etagOf, matches, without } from "./etag.ts";
import type { AnyContentReply, AnyReply } from "./mount.ts";
import type { RequestContext } from "./request-context.ts";
import type { Route, RouteVersion } from "./route.ts";
import { unkindData } from "./unkind-reply.ts";

/** Sends the answer of an operation's use case: JSON in the envelope, or a text, bytes or a stream unchanged. */
export function reply(route: Route, version: RouteVersion, context: RequestContext, answer: AnyReply | Refusal): void {
	// every 401 is the same, whatever the use case says
	if (isRefusal(answer)) return context.refuse(answer.refusal === "unauthorized" ? route.unauthorized : answer);
	const { status, headers } = answer;
	const more: string[] = [];
	for (const name in headers) if (headers[name] !== undefined) more.push(name, headers[name]);
	if (answer.content !== undefined) return replyContent(route, context, answer, more);
	const data = unkindData(context, route.operation, version.shape.down(status, answer.data));
	const body = `{"data":${JSON.stringify(data)}}`;
	if (route.operation.conditional && status === 200) return replyConditionally(route, context, data, body, more);
	const { editTagWithout } = route.operation;
	if (editTagWithout !== undefined && status === 200) {
		const told = JSON.stringify({ data: without(data as object, editTagWithout) });
		more.push("ETag", etagOf(told, undefined, readerOf(route, context), context.apiDate.date));
	}
	more.push("Cache-Control", "no-store");
	context.write(status, body, more);
}

const readerOf = ({ surface }: Route, { caller }: RequestContext): string =>
	caller === null ? "" : surface.nameOf(caller);

/** 200 with its ETag, or 304 if the caller already has this reply. */
function replyConditionally(route: Route, context: RequestContext, data: unknown, body: string, more: string[]): void {
	const asOf = typeof data === "object" && data !== null && "as_of" in data ? data.as_of : undefined;
	const reader = readerOf(route, context);
	const unchanged = hasAlready(route, context, etagOf(body, asOf, reader, context.apiDate.date), more);
	context.write(unchanged ? 304 : 200, unchanged ? null : body, more);
}

/** A stream has no ETag unless the use case supplies one: its bytes are not known before they are sent. */
function replyContent(
	route: Route,
	context: RequestContext,
	{ status, type, content, etag: given }: AnyContentReply,
	more: string[],
): void {
	const streamed = content instanceof Readable;
	const etag = given === undefined ? (streamed ? null : contentEtag(content)) : `"${given}"`;
	const conditional = route.operation.conditional && (status === 200 || status === 206) && etag !== null;
	const unchanged = conditional && hasAlready(route, context, etag, more);
	if (!conditional) more.push("Cache-Control", "no-store");
	if (!streamed) return context.write(unchanged ? 304 : status, unchanged ? null : content, more, undefined, type);
	if (!unchanged) return context.stream(status, type, content, more);
	content.destroy();
	context.write(304, null, more);
}

/** Adds the headers of a conditional reply and returns whether the caller already has it. */
function hasAlready(route: Route, { request }: RequestContext, etag: string, more: string[]): boolean {
	more.push("ETag", etag, "Cache-Control", route.cacheControl, "Vary", route.vary);
	return matches(request.headers["if-none-match"], etag);
}
