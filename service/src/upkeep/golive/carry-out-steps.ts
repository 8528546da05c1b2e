import { newId } from "../../ground/lib/ids.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import type { CoaLinks } from "../../inventory/certificates/record.ts";
import type { KeyCache } from "../../partners/keys/key-cache.ts";
import type { ProbeDeps } from "../../partners/webhooks/send-probe.ts";
import { REPEAT_AFTER_SECONDS, RETIRE_AFTER_SECONDS, UNKIND_EVERY_SECONDS } from "./limits.ts";
import { type LookDeps, putLook } from "./put-look.ts";
import type { GoLiveRun } from "./run.ts";
import { sendProbes, sendRepeat } from "./send-probes.ts";
import { sendUnkindly } from "./send-unkindly.ts";
import { lookNow, selectRun } from "./sql.ts";
import type { StatusReader } from "./status-reader.ts";
import { type DueRun, giveBack, type StepName, settleStep, stepIn, takeDueRuns } from "./steps-sql.ts";
import { publishCertificate, withdrawCertificates } from "./withdraw-certificate.ts";

export interface StepDeps extends LookDeps {
	readonly db: Database;
	readonly files: FileStore;
	readonly links: CoaLinks;
	readonly keys: Pick<KeyCache, "find" | "refresh">;
	/** These reach partners' addresses. */
	readonly goLive: Omit<ProbeDeps, "db"> & { readonly status: StatusReader };
}

/**
 * Takes the due steps of running runs. Every node does this; a run's steps are taken by one of them. If it dies,
 * another takes them a minute later, and a step may then be carried out twice, which does no harm.
 */
export async function carryOutSteps(deps: StepDeps, signal: AbortSignal): Promise<void> {
	const runs = await takeDueRuns(deps.db);
	const taken = await Promise.allSettled(runs.map((due) => stepsOf(deps, due, signal)));
	for (const one of taken) if (one.status === "rejected") throw one.reason; // only after all of them have ended
}

/** A step that failed stays due, and is taken again when the run is no longer held. */
async function stepsOf(deps: StepDeps, { goLiveId, steps }: DueRun, signal: AbortSignal): Promise<void> {
	const run = await selectRun(deps.db, { id: goLiveId, number: null });
	if (run === null || run.state !== "running") return;
	const taken = await Promise.allSettled(
		steps.map(async (due) => {
			await STEP[due.step](deps, run, signal);
			if (signal.aborted) throw new Error("the step was given up");
			await settleStep(deps.db, goLiveId, due);
		}),
	);
	for (const one of taken) if (one.status === "rejected") throw one.reason;
	await giveBack(deps.db, goLiveId);
}

const STEP: {
	readonly [step in StepName]: (deps: StepDeps, run: GoLiveRun, signal: AbortSignal) => Promise<unknown>;
} = {
	async look(deps, run, signal) {
		if (run.statusUrl === null) return;
		await deps.keys.refresh(); // the key may be younger than the last read
		const key = deps.keys.find(run.pk);
		if (key === undefined) return;
		const shown = await deps.goLive.status.read(run.partnerId, run.statusUrl, signal);
		if (signal.aborted) return; // a read that was aborted says nothing about the partner
		await putLook(deps, run, key.caller, { id: `look_${newId()}`, source: "address", shown });
	},
	async probes(deps, run, signal) {
		const sent = await sendProbes({ ...deps.goLive, db: deps.db }, run, signal);
		if (sent) await stepIn(deps.db, run.goLiveId, "repeat", REPEAT_AFTER_SECONDS);
	},
	repeat: (deps, run, signal) => sendRepeat({ ...deps.goLive, db: deps.db }, run, signal),
	async certificate(deps, run) {
		if (!(await publishCertificate(deps, run))) return;
		await stepIn(deps.db, run.goLiveId, "retirement", RETIRE_AFTER_SECONDS);
		await lookNow(deps.db, run.goLiveId);
	},
	async retirement(deps, run) {
		await transaction(deps.db, (tx) => withdrawCertificates(tx, deps.links, run));
		await lookNow(deps.db, run.goLiveId);
	},
	async unkind({ db }, { goLiveId }) {
		const isMore = await transaction(db, (tx) => sendUnkindly(tx, goLiveId));
		if (isMore) await stepIn(db, goLiveId, "unkind", UNKIND_EVERY_SECONDS);
	},
};
