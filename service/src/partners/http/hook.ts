import type { IncomingMessage } from "node:http";
import { refuse } from "../../ground/lib/refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { NOTHING_HERE } from "./unknown-path.ts";
import { fail } from "./walk.ts";

/** What stands for the secret in the path of a hook. */
export const HOOK_SECRET = ":secret";
/** Bytes of a notification from outside. */
export const MAX_HOOK_BYTES = 64 * 1024;

/** An address for notifications. */
export interface Hook {
	/** Is this the last part of its path? To whoever says another one there is nothing there. */
	isKnown(secret: string): boolean;
	/** Takes the body of a notification. */
	take(body: string): Promise<void>;
}

/**
 * A notification from a program of somebody else's, in whose form we have no say: so it is no operation of a surface.
 * Answers 204, or, to whoever does not know the secret in the path, what a path without anything answers: nothing of
 * their body is read.
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
			() => undefined, // the caller went away
		)
		.catch((error: unknown) => fail(context, error));
}

/** Null: it is too long. */
function readBounded(request: IncomingMessage): Promise<string | null> {
	const { "content-length": length, "transfer-encoding": coding } = request.headers;
	// of a request without a body no event ever comes (optimizeEmptyRequests)
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
