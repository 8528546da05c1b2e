import { createPoster, type PosterOptions } from "../../partners/webhooks/post.ts";
import { LOOK_WITHIN_MS } from "./limits.ts";
import { type ReadShown, readShown } from "./shown-document.ts";
import { isHere, networksFor } from "./status-url.ts";

/** Reads what partners show at their status addresses. */
export interface StatusReader {
	/** Always resolves, within the time limit. `owner`: the partner, whose addresses share connections. */
	read(owner: string, url: string, stopping: AbortSignal): Promise<ReadShown>;
	close(): Promise<void>;
}

/** Connects only to permitted addresses, as a sender of webhooks does; follows no redirect, and reads up to 64 KiB. */
export function createStatusReader(options: Pick<PosterOptions, "allowed" | "lookUp" | "ca">): StatusReader {
	const usual = createPoster({ ...options, withinMs: LOOK_WITHIN_MS });
	const here = createPoster({
		...options,
		allowed: networksFor(options.allowed, "http://localhost"),
		withinMs: LOOK_WITHIN_MS,
	});
	return {
		async read(owner, url, stopping) {
			const answer = await (isHere(url) ? here : usual).read({ owner, url }, stopping);
			if (answer.status === null) return { problem: `the status address could not be read: ${answer.error}` };
			return readShown(answer.status, answer.text);
		},
		async close() {
			await Promise.all([usual.close(), here.close()]);
		},
	};
}
