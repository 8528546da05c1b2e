import { newId } from "../../ground/lib/ids.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { testEvent } from "../../partners/webhooks/event.ts";
import { findProbedEndpoint, type ProbeDeps, type ProbeSigned, sendProbe } from "../../partners/webhooks/send-probe.ts";
import type { Probe } from "./facts.ts";
import type { GoLiveRun } from "./run.ts";
import { insertProbe, selectGoodProbe } from "./steps-sql.ts";

/** The messages that are sent together; the one that repeats an earlier id follows later. */
const TOGETHER: readonly (readonly [Probe["kind"], ProbeSigned])[] = [
	["bad_signature", "badly"],
	["old_timestamp", "long_ago"],
	["double_signature", "double"],
	["good", "well"],
];

type Deps = ProbeDeps & { readonly db: Query };

/** Sends a partner the messages of its run. False: it has no active endpoint in the sandbox. */
export async function sendProbes(deps: Deps, run: GoLiveRun, stopping: AbortSignal): Promise<boolean> {
	const owner = { partnerId: run.partnerId, environment: "sandbox" } as const;
	const endpoint = await findProbedEndpoint(deps.db, owner);
	if (endpoint === null) return false;
	const now = await selectNow(deps.db);
	await Promise.all(
		TOGETHER.map(async ([kind, signed]) => {
			const { eventId, body } = testEvent(owner, endpoint.endpointId, newId(), now);
			const sent = await sendProbe(deps, endpoint, { eventId, body, signed }, stopping);
			await insertProbe(deps.db, run.goLiveId, { ...sent, kind, deliveryId: newId(), repeats: null, eventId, body });
		}),
	);
	return true;
}

/** Sends the last good message once more. */
export async function sendRepeat(deps: Deps, run: GoLiveRun, stopping: AbortSignal): Promise<void> {
	const endpoint = await findProbedEndpoint(deps.db, { partnerId: run.partnerId, environment: "sandbox" });
	const first = await selectGoodProbe(deps.db, run.goLiveId);
	if (endpoint === null || first === null) return;
	const { eventId, body, deliveryId: repeats } = first;
	const sent = await sendProbe(deps, endpoint, { eventId, body, signed: "well" }, stopping);
	await insertProbe(deps.db, run.goLiveId, {
		...sent,
		kind: "repeated_id",
		deliveryId: newId(),
		repeats,
		eventId,
		body,
	});
}
