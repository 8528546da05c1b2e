import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { StatusLinks } from "../../inventory/certificates/set-status.ts";
import type { MintRequest } from "../../partners/keys/key-rules.ts";
import { type Minting, mintKey } from "../../partners/keys/mint-key.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { setGoliveReport } from "../../partners/keys/set-golive-report.ts";
import { takeKeyLock } from "../../partners/keys/take-key-lock.ts";
import { endSteps, readAgain } from "./begin-step.ts";
import { findRunning } from "./find-run.ts";
import { loadResult } from "./load-result.ts";
import type { FiledReport } from "./read-report.ts";
import { digestOf, reportOf } from "./report.ts";
import { updateFinished } from "./sql.ts";
import { withdrawCertificates } from "./withdraw-certificate.ts";

export interface Finished {
	readonly token: string;
	/** The public half of the production key. */
	readonly pk: string;
	/** When the sandbox key of the run ends; null: never. */
	readonly sandboxEndsAt: Date | null;
	readonly report: FiledReport;
}

type ProductionKey = Pick<MintRequest, "name" | "sharedPool" | "scopes" | "requestsPerMinute"> & {
	readonly brandCode: string;
};

/**
 * Finishes a run: mints the production key, which schedules the partner's sandbox keys for revocation, files the
 * report, and retires what was published for the run. All of it is one transaction.
 */
export async function finishRun(
	tx: Query,
	{ links, ...minting }: Minting & { readonly links: StatusLinks },
	named: string,
	{ key, by }: { readonly key: ProductionKey; readonly by: string },
): Promise<Finished | Refusal<"not_found" | "not_possible_now" | "golive_not_passed" | "invalid_input">> {
	const found = await findRunning(tx, named);
	if (isRefusal(found)) return found;
	const { loaded, result } = await loadResult(tx, found);
	if (!result.passed) {
		const message = `Go-live ${found.number} cannot finish: ${result.line}. Missing: ${result.missing.join(", ")}. Let the partner fix it, or waive it with a reason.`;
		return refuse("golive_not_passed", message);
	}
	// the run is read again under the lock: its partner, by whose name the key is minted, may have been renamed
	await takeKeyLock(tx);
	const run = await endSteps(tx, await readAgain(tx, found));
	const minted = await mintKey(tx, minting, { ...key, partner: run.partner, environment: "live" });
	if (isRefusal(minted)) return minted;
	await setGoliveReport(tx, minted.keyId, run.number);
	const sandbox = await selectKey(tx, run.pk);
	if (isRefusal(sandbox)) return refuse("not_found", sandbox.message);
	const report = reportOf(run, loaded, result, { by, pk: minted.pk, brandCode: key.brandCode });
	const digest = digestOf(report);
	await updateFinished(tx, run.goLiveId, {
		by,
		at: loaded.facts.now,
		report: JSON.stringify(report),
		digest,
		productionKey: minted.keyId,
	});
	await withdrawCertificates(tx, links, run);
	const sandboxEndsAt = sandbox.revokeAt === null ? null : new Date(sandbox.revokeAt);
	return { token: minted.token, pk: minted.pk, sandboxEndsAt, report: { ...report, digest } };
}
