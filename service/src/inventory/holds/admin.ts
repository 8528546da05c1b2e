import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { readPageFrom, rowId, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { findLot } from "../stock/find-lot.ts";
import { GetOperatorHold, ListHolds, ReleaseHold, ShipConsume } from "./admin-contract.ts";
import type { HOLD_COMMANDS } from "./commands.ts";
import { listHolds } from "./list-holds-sql.ts";
import { type HoldWithParts, showHold } from "./show-hold.ts";

export interface HoldAdminDeps extends ReadWriteDeps {
	readonly executeIn: ExecutesIn<typeof HOLD_COMMANDS>;
}

/** The operations of the operator's API on holds. */
export function admin(gate: Gate<Operator>, deps: HoldAdminDeps): void {
	const { readDb, listDb, executeIn } = deps;
	mount(gate, ListHolds, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const { status, impaired, key, lot, of_lot, external_ref, sku, brand_code } = query;
		const named = key === undefined ? null : await selectKey(listDb, key);
		if (isRefusal(named)) return named;
		if (of_lot !== undefined && lot === undefined)
			return refuse("invalid_input", "/of_lot: it is accepted only with lot");
		const fgId = lot === undefined ? null : await findLot(listDb, { lot });
		if (isRefusal(fgId)) return wrongName("lot", fgId);
		const filter = {
			keyId: named?.keyId ?? null,
			status: impaired ? ("impaired" as const) : (status ?? null),
			externalRef: external_ref ?? null,
			sku: sku ?? null,
			fgId,
			ofLot: of_lot ?? null,
			brandCode: brand_code ?? null,
			before: page.after,
		};
		const list = await listHolds(listDb, filter, page.limit);
		return { status: 200, data: writeOperatorPage(list, ({ reservationToken }) => reservationToken, asReply) };
	});

	mount(gate, GetOperatorHold, async ({ params }) => ok(await readHold(readDb, params)));

	const release: Write<typeof ReleaseHold> = async (tx, { caller, params, requestId }, more) => {
		const token = params.token.toLowerCase();
		const before = await showHold(tx, token);
		if (isRefusal(before)) return before;
		const origin = { actor: actorOf(caller), requestId };
		const [answer] = await executeIn(tx, [{ kind: "release", origin, caller: null, token }], more);
		if (isRefusal(answer)) return refuse("not_possible_now", answer.message);
		const after = await showHold(tx, token);
		if (isRefusal(after)) return after;
		return { status: 200, data: shownReply(after), about: token, changed: before.status !== after.status };
	};
	mountWrite(gate, deps, ReleaseHold, release, { read: readHold });

	mountWrite(gate, deps, ShipConsume, async (tx, { caller, body, requestId }, more) => {
		const { key, external_ref: externalRef } = body;
		const named = await selectKey(tx, key);
		if (isRefusal(named)) return wrongName("key", named);
		const origin = { actor: actorOf(caller), requestId };
		const command = { kind: "shipConsumed", origin, keyId: named.keyId, externalRef } as const;
		const [answer] = await executeIn(tx, [command], more);
		if (isRefusal(answer))
			return refuse(answer.refusal === "not_found" ? "not_found" : "not_possible_now", answer.message);
		const { token, shippedUnits, idempotent } = must(answer, "the answer of a report");
		const data = { reservation_token: token, external_ref: externalRef, shipped_units: shippedUnits, idempotent };
		return { status: 200, data, about: token, changed: !idempotent };
	});
}

async function readHold(db: Query, { token }: { readonly token: string }) {
	const hold = await showHold(db, token.toLowerCase());
	return isRefusal(hold) ? hold : shownReply(hold);
}

/** Why a name cannot be used: nothing has it, or it is ambiguous. */
const wrongName = (name: string, { refusal, message }: Refusal): Refusal<"not_found" | "invalid_input"> =>
	refusal === "not_found" ? refuse("not_found", message) : refuse("invalid_input", `/${name}: ${message}`);

/** Leaves out the components of each line's SKU, which are stored with the line. */
const shownReply = (hold: HoldWithParts) => ({
	...asReply(hold),
	lines: hold.lines.map(({ sku, brand_code, qty }) => ({ sku, brand_code, qty })),
});
