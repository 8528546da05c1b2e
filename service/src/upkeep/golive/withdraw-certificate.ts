import { must } from "../../ground/lib/assert.ts";
import { nameFrom } from "../../ground/lib/ids.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { putCertificatesIn } from "../../inventory/certificates/put-certificates.ts";
import type { CoaLinks } from "../../inventory/certificates/record.ts";
import { type StatusLinks, setStatusIn } from "../../inventory/certificates/set-status.ts";
import { putSample } from "../sandbox/put-samples.ts";
import {
	insertRetirement,
	selectCertificateId,
	selectRetirable,
	selectToRetire,
	setRetired,
} from "./retirement-sql.ts";
import type { GoLiveRun } from "./run.ts";
import { selectRun } from "./sql.ts";

const ACTOR = "system:golive";

export interface RetirementDeps {
	readonly db: Database;
	readonly files: FileStore;
	readonly links: CoaLinks;
}

/**
 * Publishes a certificate of a sandbox product for a run, to be retired later. The product's other certificates stay as
 * they are, because every partner of the sandbox sees them. False: the sandbox has no product, or the run has ended.
 */
export async function publishCertificate({ db, files, links }: RetirementDeps, run: GoLiveRun): Promise<boolean> {
	const product = await selectRetirable(db, run.goLiveId, run.mapped);
	if (product === null) return false;
	const { slug, skus, before, today } = product;
	const batchNumber = batchNumberOf(run, before + 1);
	const entry = await putSample(files, product, { batchNumber, testedOn: today });
	return await transaction(db, async (tx) => {
		// ending the run retires what was published by then
		if ((await selectRun(tx, { id: run.goLiveId, number: null }, true))?.state !== "running") return false;
		const answer = await putCertificatesIn(tx, [entry], { actor: ACTOR });
		if ("problems" in answer) throw new Error(`bug: ${answer.problems[0]?.message}`);
		const certificateId = must(await selectCertificateId(tx, slug, batchNumber), "the certificate");
		const document = links.fileUrl(certificateId, entry.digest);
		await insertRetirement(tx, run.goLiveId, { slug, batchNumber, skus, document });
		return true;
	});
}

/**
 * The batch number of the nth certificate of a run. The feed and the lookup show it to every partner and to the public,
 * so it reveals neither how many runs there are nor whose this one is. A repeated step gets the same number.
 */
const batchNumberOf = ({ goLiveId }: GoLiveRun, nth: number): string =>
	`GOLIVE-${nameFrom(goLiveId, `certificate ${nth}`).slice(0, DRAWN)}`;

/** Number of characters that are derived from the id of the run: two groups of hexadecimal digits, with 48 bits. */
const DRAWN = 13;

/** Retires what was published for a run, in the caller's transaction, which must end right afterwards. */
export async function withdrawCertificates(tx: Query, links: StatusLinks, run: GoLiveRun): Promise<void> {
	const { rows } = await selectToRetire(tx, run.goLiveId);
	const why = { actor: ACTOR, reason: `retired for go-live ${run.number}` };
	for (const { slug, batchNumber } of rows) {
		await setRetired(tx, run.goLiveId, batchNumber);
		await setStatusIn(tx, links, { slug, batchNumber }, "retired", why); // an operator may have retired it already
	}
}
