import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch, type NumberedWrite, takeNumbers } from "../../ground/pg/epoch.ts";
import { putPartners } from "../../partners/keys/put-partners.ts";
import { restockSandboxIn, type SandboxSettings } from "./restock-sandbox.ts";
import { insertSandbox, selectSandboxOf } from "./sql.ts";

/**
 * The pool of a partner's sandbox. If there is none, creates and stocks it in the caller's transaction, with the
 * partner if necessary. The same transaction mints the partner's first sandbox key, so no key ever finds its sandbox
 * empty. `numbered` collects the writes that use numbers of lists; without it they are sent immediately.
 */
export async function openSandboxIn(
	tx: Query,
	settings: SandboxSettings,
	partner: string,
	numbered?: NumberedWrite[],
): Promise<number> {
	const known = await selectSandboxOf(tx, partner);
	if (known !== null) return known;
	// before the partner, as in an import; whoever opens the same sandbox at the same time waits, and then finds it
	await lockEpoch(tx, "catalog_epoch");
	const partnerId = must((await putPartners(tx, [partner])).get(partner), "the partner");
	const found = await selectSandboxOf(tx, partner);
	if (found !== null) return found;
	const poolId = await insertSandbox(tx, partnerId, settings.timeZone);
	await takeNumbers(tx, "catalog_epoch", 1); // pools have no number, but a new one still changes the catalogue
	await restockSandboxIn(tx, settings, [poolId], numbered === undefined ? {} : { numbered });
	return poolId;
}
