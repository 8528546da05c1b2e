import type { IncomingMessage } from "node:http";
import { refuse } from "../../ground/lib/refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { NOTHING_HERE } from "./unknown-path.ts";
import { fail } from "./walk.ts";

/** The path parameter that holds the secret of a hook. */
export const HOOK_SECRET = ":secret";
/** Maximum size of a notification, in bytes. */
export const MAX_HOOK_BYTES = 64 * 1024;

export interface Hook {
	/** Whether this is the last part of the hook's path. Any other value gets 404. */
	isKnown(secret: string): boolean;
	/** Receives the body of a notification. */
	take(body: string): Promise<void>;
}

/**
 * A notification from another program, whose format we cannot choose. It is therefore not an operation of a surface.
 * Answers
 * 204. A caller without the secret gets the 404 of an unknown path, and its body is not read.
 */
export function answerHook(context: RequestContext, secret: string, hook: Hook): void {
	if (!hook.isKnown(secret)) return context.refuse(refuse("not_found", NOTHING_HERE));
	readBounded(context.request)
		.then(
			async (body) => {
				if (body === null) {
					return context.refuse(
						refuse("bad_request", `The body is larger than ${MAX_HOOK_BYTES} bytes.`),
						413,
						"Connection",
						"close",
					);
				}
				await hook.take(body);
				context.write(204, null, ["Cache-Control", "no-store"]);
			},
			() => undefined, // the caller disconnected
		)
		.catch((error: unknown) => fail(context, error));
}

/** Null if it is too long. */
function readBounded(request: IncomingMessage): Promise<string | null> {
	const { "content-length": length, "transfer-encoding": coding } = request.headers;
	// a request without a body never emits an event (optimizeEmptyRequests)
	if (coding === undefined && (length === undefined || length === "0")) return Promise.resolve("");
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		request.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes <= MAX_HOOK_BYTES) chunks.push(chunk);
			else {
				request.pause();
				resolve(null);
			}
		});
		request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
		request.on("error", reject);
	});
}
