import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { resend } from "../../partners/webhooks/recover.ts";
import { sendLate } from "../../partners/webhooks/send-late.ts";
import { findProbedEndpoint } from "../../partners/webhooks/send-probe.ts";
import { LATE_SECONDS } from "./limits.ts";
import { selectRun } from "./sql.ts";
import { insertUnkindEvent, selectDelivered, selectHourUnderWay } from "./unkind-sql.ts";

/**
 * Sends one event of an unkind hour twice, under its own id, and another one late, as soon as the partner's newest
 * endpoint has such events. Returns whether something is still to be done in this hour.
 */
export async function sendUnkindly(tx: Query, goLiveId: string): Promise<boolean> {
	const run = await selectRun(tx, { id: goLiveId, number: null }, true);
	const hour = run?.state === "running" ? await selectHourUnderWay(tx, goLiveId) : null;
	if (run === null || hour === null) return false;
	const endpoint = await findProbedEndpoint(tx, { partnerId: run.partnerId, environment: "sandbox" });
	if (endpoint === null) return true;
	const { endpointId } = endpoint;
	// an event that begins to wait later would still wait after the hour
	const seconds = hour.secondsLeft > LATE_SECONDS ? LATE_SECONDS : 0;
	const isLateDone = hour.late || (await lateOne(tx, goLiveId, endpointId, { since: hour.from, seconds }));
	const isTwiceDone = hour.twice || (await twiceOne(tx, goLiveId, endpointId, hour.from));
	return !isTwiceDone || (!isLateDone && seconds > 0);
}

async function lateOne(
	tx: Query,
	goLiveId: string,
	endpointId: string,
	when: { readonly since: Date; readonly seconds: number },
): Promise<boolean> {
	const late = await sendLate(tx, endpointId, when);
	if (late === null) return false;
	await insertUnkindEvent(tx, goLiveId, "event_late", late);
	return true;
}

async function twiceOne(tx: Query, goLiveId: string, endpointId: string, since: Date): Promise<boolean> {
	const delivered = await selectDelivered(tx, goLiveId, endpointId, since);
	if (delivered === null || isRefusal(await resend(tx, delivered))) return false;
	await insertUnkindEvent(tx, goLiveId, "event_twice", delivered);
	return true;
}
