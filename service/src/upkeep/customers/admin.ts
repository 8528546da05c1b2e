import { asReply } from "../../ground/lib/as-reply.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { ReadWriteDeps } from "../../partners/admin/mount-write.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { readPageFrom, rowId, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { mountRun, type StartRunDeps } from "../../partners/runs/mount-run.ts";
import { notBegun } from "../../partners/runs/run.ts";
import { EraseCustomers, ListErasures } from "./admin-contract.ts";
import { type EraseState, erasedReply, eraseNamed, findCustomers } from "./erase-named.ts";
import { selectErasures, selectLoggedSandboxKeys } from "./sql.ts";

export type CustomerAdminDeps = StartRunDeps & ReadWriteDeps;

/** The use under which the address of a run is encrypted. */
const ADDRESS = "address of customers to erase";

/** The operations of the operator's API on customers' data. */
export function admin(gate: Gate<Operator>, deps: CustomerAdminDeps): void {
	mountErase(gate, deps);
	mount(gate, ListErasures, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectErasures(deps.listDb, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ orderId }) => orderId, asReply) };
	});
}

type Refused = Refusal<"not_found" | "order_not_found" | "not_possible_now" | "invalid_input">;

function mountErase(gate: Gate<Operator>, deps: CustomerAdminDeps): void {
	const { db, sealer } = deps;
	const seal = (address: string): EraseState["address"] => {
		const { ringId, sealed } = sealer.seal(ADDRESS, address);
		return { ringId, sealed: sealed.toString("base64") };
	};
	/** Null also if the key ring lacks the entry under which it was encrypted. */
	const addressOf = ({ address }: EraseState): string | null =>
		address === null
			? null
			: sealer.open(ADDRESS, { ringId: address.ringId, sealed: Buffer.from(address.sealed, "base64") });
	mountRun(gate, deps, EraseCustomers, {
		kind: {
			operation: EraseCustomers.id,
			next: (tx, state: EraseState, { actor, requestId }) => eraseNamed(tx, state, { actor, requestId }, addressOf),
		},
		async begin(tx, { body }) {
			const found = await findCustomers(tx, body);
			if (isRefusal(found)) return found as Refused;
			const { about, erase, already, open, unknown, sandbox } = found;
			const nothing = { erased: 0, already: already.length, open, unknown };
			if (erase.length === 0) return { about, unchanged: erasedReply(nothing) };
			const { customer_email: email } = body;
			const addressKeys = email === undefined ? [] : await selectLoggedSandboxKeys(tx);
			const address = email === undefined || addressKeys.length === 0 ? null : seal(email);
			const state = { left: erase, log: { addressKeys, orderIds: sandbox, after: null }, address, ...nothing };
			return { about, first: notBegun<EraseState>(state, erase.length) };
		},
		async dryRun({ body }) {
			const found = await findCustomers(db, body);
			if (isRefusal(found)) return found as Refused;
			const { erase, already, open, unknown } = found;
			return erasedReply({ erased: erase.length, already: already.length, open, unknown });
		},
	});
}
