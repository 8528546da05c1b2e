import { SANDBOX_BRAND } from "../../glossary.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { mountWrite, type WriteDeps } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import type { Gate } from "../../partners/http/mount.ts";
import { RestockOperatorSandbox } from "./admin-contract.ts";
import { putSamplesIn } from "./put-samples.ts";
import { restockIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimRestock } from "./sql.ts";

export interface SandboxAdminDeps extends WriteDeps {
	readonly sandbox: SandboxSettings;
	readonly files: FileStore;
}

/** The operations of the operator's API on the sandbox. */
export function admin(gate: Gate<Operator>, deps: SandboxAdminDeps): void {
	const { sandbox, files } = deps;
	mountWrite(gate, deps, RestockOperatorSandbox, async (tx, { caller, requestId }) => {
		await claimRestock(tx, sandbox.timeZone, false);
		const origin = { actor: actorOf(caller), requestId };
		const { received_units, removed_units } = await restockIn(tx, sandbox, origin);
		const sample_certificates = await putSamplesIn(tx, files);
		return {
			status: 200,
			data: { done: true, received_units, removed_units, sample_certificates },
			about: SANDBOX_BRAND,
			changed: received_units + removed_units + sample_certificates > 0,
		};
	});
}
