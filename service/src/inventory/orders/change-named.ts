import type { CommandOf, Executes } from "../../ground/engine/kind.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findBatchesOf } from "../stock/find-lot.ts";
import type { Origin } from "../stock/move.ts";
import { type FoundBox, selectBox, selectBoxesOf } from "./box-sql.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import type { NamedBox } from "./find-named-box.ts";
import { findNamedOrder } from "./find-order.ts";
import { nameOf } from "./named-order.ts";
import { can, canBePicked, type Order } from "./order.ts";
import type { Contents } from "./order-record.ts";
import { wrongInParcel } from "./parcel.ts";
import type { Picked } from "./pick.ts";
import { isWaiting } from "./shipment.ts";
import { type BoxNow, showBox, showOrder } from "./show-order.ts";
import { correctionOf, refuseOtherLots, type TakenLot } from "./taken-lots.ts";

/*
 * The operator's commands on orders and boxes (docs/decisions/0078): an order or a box is found by any of its names
 * without locks, the engine executes one command, and the result is read back.
 */

export interface ChangeDeps {
	readonly db: Query;
	readonly engine: Executes<typeof ORDER_COMMANDS>;
}

/** Command properties that are found or created here. */
type Found = "orderId" | "token" | "orders" | "newShipmentId";
/** The properties of such a command that the caller provides. */
type Asked<K extends keyof typeof ORDER_COMMANDS> = K extends unknown
	? Omit<CommandOf<Pick<typeof ORDER_COMMANDS, K>>, Found>
	: never;

/** A box with several orders is shipped whole. */
type BoxAsked = Asked<"createLabel" | "ship">;

export interface PickedOrder extends Pick<Order, "orderId" | "ref" | "externalOrderId" | "status"> {
	readonly picked: boolean;
	/** The reason if it was not picked; otherwise null. */
	readonly why: string | null;
	/** False: it was picked already. */
	readonly changed: boolean;
}

/**
 * Picks the order that an operator names, unless it is picked already. `lots`: what was taken; absent: what the order
 * has before the command, so that a lot that the pick itself replaces is not recorded as if somebody had taken it.
 */
export async function pickNamedOrder(
	{ db, engine }: ChangeDeps,
	name: string,
	lots?: readonly LotTaken[],
): Promise<PickedOrder | Refusal> {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const { orderId, token } = found;
	const { order: before, contents } = await showOrder(db, orderId);
	const isPicked = before.pickedAt !== null && can("ship", before.status, 0) && !canBePicked(before);
	const taken = lots === undefined ? lotsOf(contents) : await takenLots(db, lots);
	if (isRefusal(taken)) return taken;
	if (isPicked && before.status === "picked" && lots !== undefined) {
		// somebody else picked it meanwhile, perhaps from other lots
		const known = new Map(contents.parts.map(({ fgId, batchNumber }) => [fgId, { batchNumber, recalled: false }]));
		const correction = correctionOf(contents, known, taken);
		if (correction !== null) return refuseOtherLots(before, correction);
	}
	const answer: Picked | Refusal = isPicked
		? { orderId, picked: true }
		: await engine.execute({ kind: "pick", orderId, token, taken });
	if (isRefusal(answer)) return answer;
	const { ref, externalOrderId, status, holdDetail } = (await showOrder(db, orderId)).order;
	const { picked, correction = holdDetail } = answer;
	return { orderId, ref, externalOrderId, status, picked, why: picked ? null : correction, changed: !isPicked };
}

const lotsOf = ({ parts }: Contents): TakenLot[] =>
	parts
		.filter(({ state }) => state === "allocated")
		.map(({ fgId, batchNumber, units }) => ({ fgId, batchNumber, units, isRecalled: false }));

type LotTaken = Pick<TakenLot, "fgId" | "units">;

async function takenLots(
	db: Query,
	lots: readonly LotTaken[],
): Promise<readonly TakenLot[] | Refusal<"invalid_input">> {
	const batches = await findBatchesOf(
		db,
		lots.map(({ fgId }) => fgId),
	);
	const taken: TakenLot[] = [];
	for (const [index, { fgId, units }] of lots.entries()) {
		const lot = batches.get(fgId);
		if (lot === undefined) return refuse("invalid_input", `/lots/${index}/fg_id: there is no lot ${fgId}.`);
		taken.push({ fgId, units, ...lot });
	}
	return taken;
}

/** Labels or ships a box that `findNamedBox` found, and returns it. */
export async function changeNamedBox(deps: ChangeDeps, found: NamedBox, asked: BoxAsked): Promise<BoxNow | Refusal> {
	const wrong = wrongInParcel(asked);
	if (wrong) return refuse("invalid_input", `/${wrong.field}: ${wrong.message}.`);
	const { order, box } = found;
	if (box !== null && !isWaiting(box))
		return refuse(
			"wrong_state",
			`The box of order ${order.called} is ${box.status}: only a box that waits can be changed.`,
		);
	const answer =
		asked.kind === "ship"
			? await shipBoxOf(deps, found, asked)
			: await deps.engine.execute({ ...asked, orderId: order.orderId });
	return isRefusal(answer) ? answer : await showBox(deps.db, answer.shipmentId);
}

/** Ships the box of an order. If there is none, the engine gets just the order, and its refusal says why. */
function shipBoxOf({ db, engine }: ChangeDeps, { order, box }: NamedBox, asked: Asked<"ship">) {
	const ordersIn = (waiting: FoundBox | null) => waiting?.orders.map(nameOf) ?? [nameOf(order)];
	return withBox(
		async () => ordersIn((await selectBoxesOf(db, [order.orderId])).rows.find(isWaiting) ?? null),
		(orders) => engine.execute({ ...asked, orders, newShipmentId: newId() }),
		ordersIn(box),
	);
}

/** Undoes the recorded label or shipment of a parcel that never left; the contents of the parcel wait again. */
export async function voidShipmentById(
	{ db, engine }: ChangeDeps,
	shipmentId: string,
	origin: Origin,
): Promise<BoxNow | Refusal> {
	const answer = await withBox(
		async () => {
			const { rows } = await selectBox(db, shipmentId);
			return rows[0] ?? refuse("not_found", `There is no shipment ${shipmentId}.`);
		},
		({ orders, fgIds }) =>
			engine.execute({
				kind: "voidShipment",
				origin,
				shipmentId,
				fgIds,
				orders: orders.map((order) => ({
					...nameOf(order),
					newShipmentId: newId(),
				})),
			}),
	);
	return isRefusal(answer) ? answer : await showBox(db, answer.shipmentId);
}

/** Maximum number of reads of a box that is being repacked. */
const MAX_READS = 4;

/**
 * Reads a box and acts on it; repeats both if the engine found it repacked and did nothing. `found`: what the caller
 * has just read, in place of the first read.
 */
export async function withBox<B, A>(
	read: () => Promise<B | Refusal>,
	act: (box: B) => Promise<A | Refusal>,
	found?: B,
) {
	for (let reads = 1; ; reads++) {
		const box = reads === 1 && found !== undefined ? found : await read();
		if (isRefusal(box)) return box;
		const answer = await act(box);
		if (!isRefusal(answer) || answer.refusal !== "retry" || reads === MAX_READS) return answer;
	}
}
