import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { readDay } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import { actorOf, hasRole, type Operator } from "../../partners/admin/operator.ts";
import { type PageQuery, readPageFrom, rowId, rowNumber, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { findFormula, findPool, findShelf } from "../catalog/find-shelf.ts";
import { GetLot, ListLotMoves, ListLots, ListMoves } from "./admin-contract.ts";
import type { STOCK_COMMANDS } from "./commands.ts";
import { findLot, refuseMisspeltBatch } from "./find-lot.ts";
import { listLots, selectShelfOf } from "./list-lots-sql.ts";
import { type HistoryOf, listMoves } from "./list-moves.ts";
import { locateLot } from "./locate-lot.ts";
import { CorrectLot, LocateLot, ReceiveBatch, ReceiveUnits } from "./lot-write-contract.ts";
import { lotName, type NamedLot, readLot } from "./read-lot.ts";
import type { ReceiveCommand, Received } from "./receive.ts";

export interface StockAdminDeps extends ReadWriteDeps {
	readonly config: { readonly timeZone: string };
	readonly executeIn: ExecutesIn<typeof STOCK_COMMANDS>;
}

/** The operations of the operator's API on lots. */
export function admin(gate: Gate<Operator>, deps: StockAdminDeps): void {
	mountReads(gate, deps);
	mountReceipts(gate, deps);
	mountEdits(gate, deps);
}

function mountReads(gate: Gate<Operator>, { readDb, listDb, config: { timeZone } }: StockAdminDeps): void {
	mount(gate, ListLots, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const { after, limit } = page;
		const expiresBefore = readDay("expires_before", query.expires_before);
		if (isRefusal(expiresBefore)) return expiresBefore;
		const formula = await findFormula(listDb, query.formula);
		if (isRefusal(formula)) return formula;
		const brand = await findPool(listDb, query.brand_code);
		if (isRefusal(brand)) return brand;
		const { batch_number: batchNumber, bucket, depleted, q } = query;
		const list = await listLots(
			listDb,
			timeZone,
			{ formula, brand, batchNumber, bucket, expiresBefore, depleted, q, after },
			limit,
		);
		return { status: 200, data: writeOperatorPage(list, ({ fgId }) => fgId, asReply) };
	});

	mount(gate, GetLot, async ({ params, query }) => ok(await readLot(readDb, timeZone, { ...params, ...query })));

	mount(gate, ListLotMoves, async ({ params, query }) => {
		const fgId = await findLot(listDb, lotName({ ...params, ...query }));
		return isRefusal(fgId) ? fgId : await movesPage(listDb, { fgId }, query);
	});

	mount(gate, ListMoves, async ({ query }) =>
		movesPage(listDb, { formula: query.formula, brand: query.brand_code ?? null }, query),
	);
}

function mountReceipts(gate: Gate<Operator>, deps: StockAdminDeps): void {
	mountWrite(gate, deps, ReceiveBatch, async (tx, { caller, body, requestId }, more) => {
		const refused = refuseAcceptance(caller, body);
		if (refused !== null) return refused;
		const expiresOn = givenDay("expires_on", body.expires_on);
		if (isRefusal(expiresOn)) return expiresOn;
		const receivedOn = givenDay("received_on", body.received_on);
		if (isRefusal(receivedOn)) return receivedOn;
		const shelf = await findShelf(tx, body.formula, body.brand_code);
		if (isRefusal(shelf)) return shelf;
		const batch = { formula: body.formula, batchNumber: body.batch_number };
		const misspelt = body.new_batch === true ? null : await refuseMisspeltBatch(tx, batch);
		if (misspelt !== null)
			return refuse("invalid_input", `${misspelt.message} To receive it as another batch, set new_batch.`);
		const newFgId = newId();
		const lot = { newFgId, ...shelf, batchNumber: body.batch_number, expiresOn, receivedOn: receivedOn ?? null };
		const origin = { actor: actorOf(caller), requestId };
		const received = await receiveIn(deps, tx, { origin, ...lot, ...receiptOf(body) }, more);
		if (isRefusal(received)) return received;
		return { status: received.fgId === newFgId ? 201 : 200, data: asReply(received), about: received.fgId };
	});

	const receive: Write<typeof ReceiveUnits> = async (tx, { caller, params, body, requestId }, more) => {
		const refused = refuseAcceptance(caller, body);
		if (refused !== null) return refused;
		const lot = await readLot(tx, deps.config.timeZone, params);
		if (isRefusal(lot)) return lot;
		const shelf = await selectShelfOf(tx, lot.fg_id);
		const known = { newFgId: lot.fg_id, batchNumber: lot.batch_number, expiresOn: undefined, receivedOn: null };
		const origin = { actor: actorOf(caller), requestId };
		const received = await receiveIn(deps, tx, { origin, ...shelf, ...known, ...receiptOf(body) }, more);
		if (isRefusal(received)) return refuse("not_possible_now", received.message);
		return { status: 200, data: asReply(received), about: lot.fg_id };
	};
	mountWrite(gate, deps, ReceiveUnits, receive, { read: readOf(deps) });
}

interface Receipt {
	readonly units: number;
	readonly reason?: string;
	readonly accept_recalled?: boolean;
}

const receiptOf = ({ units, reason, accept_recalled: accepted = false }: Receipt) => ({
	units,
	...(reason === undefined ? {} : { reason }),
	acceptRecalled: accepted,
});

async function receiveIn(
	{ executeIn }: StockAdminDeps,
	tx: Query,
	command: Omit<ReceiveCommand, "kind">,
	more: unknown,
): Promise<Received | Refusal<"not_found" | "invalid_input">> {
	const [answer] = await executeIn(tx, [{ kind: "receive", ...command }], more);
	return must(answer, "the answer to a receipt");
}

/** The role that may accept units of a recalled batch number as good, because it may also restore them. */
const ACCEPTING_ROLE = "operator";

function refuseAcceptance(caller: Operator, receipt: Receipt): Refusal<"forbidden" | "invalid_input"> | null {
	if (receipt.accept_recalled !== true) return null;
	if (receipt.reason === undefined)
		return refuse("invalid_input", "/reason: units of a recalled batch number are accepted only with a reason");
	if (hasRole(caller, ACCEPTING_ROLE)) return null;
	return refuse("forbidden", `Accepting units of a recalled batch number as good requires the role ${ACCEPTING_ROLE}.`);
}

const givenDay = (name: string, day: string | null | undefined) => (day === null ? null : readDay(name, day));

function mountEdits(gate: Gate<Operator>, deps: StockAdminDeps): void {
	const { timeZone } = deps.config;
	const correct: Write<typeof CorrectLot> = async (tx, { caller, params, body, requestId }, more) => {
		const { units, reason = null } = body;
		if (units === 0) return refuse("invalid_input", "/units: a correction of 0 units changes nothing");
		const lot = await readLot(tx, timeZone, params);
		if (isRefusal(lot)) return lot;
		const origin = { actor: actorOf(caller), requestId };
		const [answer] = await deps.executeIn(tx, [{ kind: "correct", origin, fgId: lot.fg_id, units, reason }], more);
		if (isRefusal(answer)) return refuse("not_possible_now", answer.message);
		const { fgId, ...moved } = must(answer, "the answer to a correction");
		return { status: 200, data: { fg_id: fgId, ...moved }, about: fgId };
	};
	mountWrite(gate, deps, CorrectLot, correct, { read: readOf(deps) });

	const locate: Write<typeof LocateLot> = async (tx, { params, body }) => {
		const before = await readLot(tx, timeZone, params);
		if (isRefusal(before)) return before;
		const located = await locateLot(tx, before.fg_id, body.location);
		if (isRefusal(located)) return located;
		const { fgId, location } = located;
		return { status: 200, data: { fg_id: fgId, location }, about: fgId, changed: location !== before.location };
	};
	mountWrite(gate, deps, LocateLot, locate, { read: readOf(deps) });
}

const readOf =
	({ config: { timeZone } }: StockAdminDeps) =>
	(db: Query, params: NamedLot) =>
		readLot(db, timeZone, params);

async function movesPage(db: Query, of: HistoryOf, query: PageQuery) {
	const page = readPageFrom(query, rowNumber);
	if (isRefusal(page)) return page;
	const list = await listMoves(db, of, { before: page.after, limit: page.limit });
	if (isRefusal(list)) return list;
	return { status: 200 as const, data: writeOperatorPage(list, ({ seq }) => String(seq), asReply) };
}
