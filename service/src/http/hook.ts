import type { IncomingMessage } from "node:http";
import { refuse } from "../lib/refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { NOTHING_HERE } from "./unknown-path.ts";
import { fail } from "./walk.ts";

/** Bytes of a notification from outside. */
export const MAX_HOOK_BYTES = 64 * 1024;

/** Takes a notification: what stands in its path, and its body. False: there is nothing at this path for whoever sent it. */
export type TakeHook = (secret: string, body: string) => Promise<boolean>;

/**
 * A notification from a program of somebody else's, in whose form we have no say: so it is no operation of a surface. Answers 204, or, to
 * whoever does not know the secret in the path, what a path without anything answers.
 */
export function answerHook(context: RequestContext, secret: string, take: TakeHook): void {
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
				if (await take(secret, body)) context.write(204, null, ["Cache-Control", "no-store"]);
				else context.refuse(refuse("not_found", NOTHING_HERE));
			},
			() => undefined, // the caller went away
		)
		.catch((error: unknown) => fail(context, error));
}

/** Null: it is too long. */
function readBounded(request: IncomingMessage): Promise<string | null> {
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
