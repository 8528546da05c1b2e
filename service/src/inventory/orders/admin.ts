import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { asReply } from "../../ground/lib/as-reply.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { readPageFrom, rowId, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { findBrand } from "../catalog/find-shelf.ts";
import type { StockRules } from "../stock/read-stock-around.ts";
import { CancelOperatorOrder, GetOperatorOrder, HoldOrder, ListOrders, ReleaseOrder } from "./admin-contract.ts";
import type { CancelCommand } from "./cancel.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import { findNamedOrder } from "./find-order.ts";
import type { HoldOrderCommand } from "./hold-order.ts";
import type { LabelGate } from "./label-gate.ts";
import { listOrders } from "./list-orders.ts";
import type { OrderOfName } from "./operator-sql.ts";
import type { Links } from "./order-book.ts";
import { readNamedOrder, readOrder } from "./read-order.ts";
import { type ReleaseOrderCommand, shelvesOf } from "./release-order.ts";
import { showOrder } from "./show-order.ts";

type OrderCommand = HoldOrderCommand | ReleaseOrderCommand | CancelCommand;

export interface OrderAdminDeps extends ReadWriteDeps {
	readonly executeIn: ExecutesIn<typeof ORDER_COMMANDS>;
	readonly links: Links;
	readonly labels: LabelGate;
	readonly stockRules: StockRules;
}

/** The operations of the operator's API on orders. */
export function admin(gate: Gate<Operator>, deps: OrderAdminDeps): void {
	const { readDb, listDb, links } = deps;
	mount(gate, ListOrders, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const named = query.key === undefined ? null : await selectKey(listDb, query.key);
		if (isRefusal(named)) return named;
		const brandCode = await findBrand(listDb, query.brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const filter = {
			keyId: named?.keyId ?? null,
			brandCode,
			status: query.status ?? null,
			search: query.q ?? null,
			before: page.after,
		};
		const list = await listOrders(listDb, filter, page.limit, deps.stockRules);
		return { status: 200, data: writeOperatorPage(list, ({ orderId }) => orderId, asReply) };
	});

	const read = (db: Query, params: { readonly id: string }) => readNamedOrder(db, links, params);
	mount(gate, GetOperatorOrder, async ({ params }) => ok(await read(readDb, params)));

	const hold: Write<typeof HoldOrder> = (tx, { params, body }, more) =>
		changeOrderIn(deps, tx, params.id, more, async ({ orderId, status }) => {
			const { hold_reason, hold_detail } = await readOrder(tx, links, orderId);
			const { reason, detail = null } = body;
			if (status === "held" && hold_reason === reason && hold_detail === detail) return null;
			return { kind: "holdOrder", orderId, reason, detail };
		});
	mountWrite(gate, deps, HoldOrder, hold, { read });

	const release: Write<typeof ReleaseOrder> = (tx, { caller, params, requestId }, more) =>
		changeOrderIn(deps, tx, params.id, more, async ({ orderId, token }) => {
			const shelves = shelvesOf((await showOrder(tx, orderId)).contents);
			return { kind: "releaseOrder", origin: { actor: actorOf(caller), requestId }, orderId, token, shelves };
		});
	mountWrite(gate, deps, ReleaseOrder, release, { read });

	const cancel: Write<typeof CancelOperatorOrder> = (tx, { caller, params, body, requestId }, more) =>
		changeOrderIn(deps, tx, params.id, more, async ({ orderId, token, status }) => {
			if (status === "cancelled") return null;
			const origin = { actor: actorOf(caller), requestId };
			return { kind: "cancel", origin, orderId, token, reason: body.reason ?? null };
		});
	mountWrite(gate, deps, CancelOperatorOrder, cancel, {
		read,
		ask: async ({ params }) => {
			const found = await findNamedOrder(readDb, params.id);
			return isRefusal(found) ? found : await deps.labels.askToCancel(found.orderId);
		},
	});
}

/**
 * Carries out a command on a named order and returns the order. `commandFor` returns null if the order is already in
 * the requested state.
 */
async function changeOrderIn(
	{ executeIn, links }: OrderAdminDeps,
	tx: Query,
	name: string,
	more: unknown,
	commandFor: (found: OrderOfName) => Promise<OrderCommand | null>,
) {
	const found = await findNamedOrder(tx, name);
	if (isRefusal(found)) return found;
	const command = await commandFor(found);
	const [answer] = command === null ? [null] : await executeIn(tx, [command], more);
	if (isRefusal(answer)) return refuse("not_possible_now", answer.message);
	const data = await readOrder(tx, links, found.orderId);
	return { status: 200 as const, data, about: found.orderId, changed: command !== null };
}
