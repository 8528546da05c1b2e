import type { KeyRing } from "../partners/keys/key-ring.ts";
import { createPoster } from "../partners/webhooks/post.ts";
import type { UrlRules } from "../partners/webhooks/refuse-url.ts";
import { openSecret } from "../partners/webhooks/secret.ts";
import type { StepDeps } from "../upkeep/golive/carry-out-steps.ts";
import { createStatusReader } from "../upkeep/golive/status-reader.ts";

/** What go-live runs need to reach partners' addresses. */
export type GoLiveOutlets = StepDeps["goLive"] & { close(): Promise<void> };

export function openGoLive({ allowed, lookUp }: UrlRules, ring: KeyRing): GoLiveOutlets {
	const [status, poster] = [createStatusReader({ allowed, lookUp }), createPoster({ allowed, lookUp })];
	return {
		status,
		poster,
		open: (secrets) => secrets.flatMap((sealed) => openSecret(ring, sealed) ?? []),
		async close() {
			await Promise.all([status.close(), poster.close()]);
		},
	};
}
