import { SANDBOX_BRAND } from "../../glossary.ts";
import { refuse } from "../../ground/lib/refusal.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import type { StatusLinks } from "../../inventory/certificates/set-status.ts";
import { mountWrite, type WriteDeps } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import type { Gate } from "../../partners/http/mount.ts";
import { noPartner } from "../../partners/keys/change-partner.ts";
import { RestockOperatorSandbox, RestockPartnerSandbox } from "./admin-contract.ts";
import { putSamplesIn } from "./put-samples.ts";
import { restockSandboxIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimRestock, selectSandboxes, selectSandboxOfPartner } from "./sql.ts";

export interface SandboxAdminDeps extends WriteDeps {
	readonly sandbox: SandboxSettings;
	readonly files: FileStore;
	readonly links: StatusLinks;
}

/** The operations of the operator's API on the sandbox. */
export function admin(gate: Gate<Operator>, deps: SandboxAdminDeps): void {
	const { sandbox, files, links } = deps;
	mountWrite(gate, deps, RestockOperatorSandbox, async (tx, { caller, requestId }) => {
		const pools = await selectSandboxes(tx);
		await claimRestock(tx, pools, sandbox.timeZone, false);
		const origin = { actor: actorOf(caller), requestId };
		const { received_units, removed_units } = await restockSandboxIn(tx, sandbox, pools, { origin });
		const sample_certificates = await putSamplesIn(tx, files, links);
		return {
			status: 200,
			data: { done: true, received_units, removed_units, sample_certificates },
			about: SANDBOX_BRAND,
			changed: received_units + removed_units + sample_certificates > 0,
		};
	});

	mountWrite(gate, deps, RestockPartnerSandbox, async (tx, { caller, requestId, params }) => {
		const found = await selectSandboxOfPartner(tx, params.partner_id);
		if (found === null) return await noPartner(tx, params.partner_id);
		const { partner, poolId } = found;
		if (poolId === null)
			return refuse("not_found", `${JSON.stringify(partner)} has no sandbox: no sandbox key was minted for it.`);
		await claimRestock(tx, [poolId], sandbox.timeZone, false);
		const origin = { actor: actorOf(caller), requestId };
		const { received_units, removed_units } = await restockSandboxIn(tx, sandbox, [poolId], { origin });
		const changed = received_units + removed_units > 0;
		return { status: 200, data: { done: true, received_units, removed_units }, about: partner, changed };
	});
}
