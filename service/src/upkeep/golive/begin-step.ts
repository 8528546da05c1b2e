import { must } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { beginDrill, endDrill } from "../../partners/keys/begin-drill.ts";
import { beginUnkind, endUnkind } from "../../partners/keys/begin-unkind.ts";
import { sendLateNoMore } from "../../partners/webhooks/send-late.ts";
import { findProbedEndpoint } from "../../partners/webhooks/send-probe.ts";
import { DRILL_SECONDS, UNKIND_SECONDS } from "./limits.ts";
import type { GoLiveRun } from "./run.ts";
import { endDrills, insertDrill, selectRun } from "./sql.ts";
import { stepIn } from "./steps-sql.ts";
import { endUnkindHours, insertUnkindHour } from "./unkind-sql.ts";

/** What can be started in a run. */
export type Startable = "drill" | "messages" | "retirement" | "unkind";
/** Steps that end automatically, and can be ended earlier. */
type Endable = "drill" | "unkind";

export const NO_ENDPOINT =
	"The partner has no active webhook endpoint in the sandbox: create one first, with POST /api/v1/webhook-endpoints.";

export const isUnderWay = (run: GoLiveRun, what: Startable): boolean => UNDER_WAY[what](run);

const UNDER_WAY: { readonly [what in Startable]: (run: GoLiveRun) => boolean } = {
	drill: ({ drillUntil }) => drillUntil !== null,
	messages: ({ probesDue }) => probesDue,
	retirement: ({ retirementDue }) => retirementDue,
	unkind: ({ unkindUntil }) => unkindUntil !== null,
};

/**
 * Starts one of these in a locked run that has not ended, unless it is under way already. Returns the run afterwards.
 */
export async function beginStep(
	tx: Query,
	run: GoLiveRun,
	what: Startable,
	by: string,
): Promise<GoLiveRun | Refusal<"invalid_input">> {
	if (isUnderWay(run, what)) return run;
	if (what === "drill") {
		must(await beginDrill(tx, run.keyId, DRILL_SECONDS), "a sandbox key");
		await insertDrill(tx, run, DRILL_SECONDS, by);
	} else if (what === "unkind") {
		must(await beginUnkind(tx, run.keyId, UNKIND_SECONDS), "a sandbox key");
		await insertUnkindHour(tx, run, UNKIND_SECONDS, by);
	} else if (what === "messages") {
		const endpoint = await findProbedEndpoint(tx, { partnerId: run.partnerId, environment: "sandbox" });
		if (endpoint === null) return refuse("invalid_input", NO_ENDPOINT);
		await stepIn(tx, run.goLiveId, "probes", 0);
	} else await stepIn(tx, run.goLiveId, "certificate", 0);
	return await readAgain(tx, run);
}

/** Ends the drill of a locked run, or its unkind hour, before its time. */
export async function endStep(tx: Query, run: GoLiveRun, what: Endable): Promise<GoLiveRun> {
	if (!isUnderWay(run, what)) return run;
	if (what === "drill") {
		await endDrill(tx, run.keyId);
		await endDrills(tx, run.goLiveId);
	} else {
		await endUnkind(tx, run.keyId);
		await endUnkindHours(tx, run.goLiveId);
		await sendLateNoMore(tx, run.partnerId);
	}
	return await readAgain(tx, run);
}

/** Ends both, because the run itself ends. */
export const endSteps = async (tx: Query, run: GoLiveRun): Promise<GoLiveRun> =>
	await endStep(tx, await endStep(tx, run, "drill"), "unkind");

export const readAgain = async (tx: Query, { goLiveId }: GoLiveRun): Promise<GoLiveRun> =>
	must(await selectRun(tx, { id: goLiveId, number: null }), "the run");
