import { readDay } from "../../ground/lib/page.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { isRowId, readOperatorPage, writeOperatorPage, wrongCursor } from "../../partners/admin/page.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { findBrand, findFormula } from "../catalog/find-shelf.ts";
import { GetLot, ListLotMoves, ListLots, ListMoves } from "./admin-contract.ts";
import { findLot, showLot } from "./find-lot.ts";
import { type ListedLot, listLots } from "./list-lots-sql.ts";
import { type HistoryMove, type HistoryOf, listMoves } from "./list-moves.ts";

export interface StockAdminDeps {
	readonly readDb: Query;
	readonly config: { readonly timeZone: string };
}

/** What operators do with lots. */
export function admin(gate: Gate<Operator>, deps: StockAdminDeps): void {
	const { readDb } = deps;
	const { timeZone } = deps.config;
	mount(gate, ListLots, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const { after, limit } = page;
		if (after !== null && !isRowId(after)) return wrongCursor();
		const expiresBefore = readDay("expires_before", query.expires_before);
		if (isRefusal(expiresBefore)) return expiresBefore;
		const formula = await findFormula(readDb, query.formula);
		if (isRefusal(formula)) return formula;
		const brand = await findBrand(readDb, query.brand_code);
		if (isRefusal(brand)) return brand;
		const { batch_number: batchNumber, bucket, depleted, q } = query;
		const list = await listLots(
			readDb,
			timeZone,
			{ formula, brand, batchNumber, bucket, expiresBefore, depleted, q, after },
			limit,
		);
		return { status: 200, data: writeOperatorPage(list, ({ fgId }) => fgId, lotReply) };
	});

	mount(gate, GetLot, async ({ params, query }) => {
		const lot = await readLot(readDb, timeZone, { ...params, ...query });
		return isRefusal(lot) ? lot : { status: 200, data: lot };
	});

	mount(gate, ListLotMoves, async ({ params, query }) => {
		const fgId = await findLot(readDb, lotName({ ...params, ...query }));
		return isRefusal(fgId) ? fgId : await movesPage(readDb, { fgId }, query);
	});

	mount(gate, ListMoves, async ({ query }) =>
		movesPage(readDb, { formula: query.formula, brand: query.brand_code ?? null }, query),
	);
}

interface NamedLot {
	readonly fg_id: string;
	readonly formula?: string | undefined;
	readonly brand_code?: string | undefined;
}

const lotName = ({ fg_id: lot, formula, brand_code: brand }: NamedLot) => ({ lot, formula, brand });

async function readLot(db: Query, timeZone: string, named: NamedLot) {
	const fgId = await findLot(db, lotName(named));
	if (isRefusal(fgId)) return fgId;
	const lot = await showLot(db, timeZone, fgId);
	return isRefusal(lot) ? lot : lotReply(lot);
}

/** Digits of the number of a move at most, below the limit of JavaScript's whole numbers. */
const NUMBER = /^\d{1,15}$/;

async function movesPage(db: Query, of: HistoryOf, query: Parameters<typeof readOperatorPage>[0]) {
	const page = readOperatorPage(query);
	if (isRefusal(page)) return page;
	if (page.after !== null && !NUMBER.test(page.after)) return wrongCursor();
	const before = page.after === null ? null : Number(page.after);
	const list = await listMoves(db, of, { before, limit: page.limit });
	if (isRefusal(list)) return list;
	return { status: 200 as const, data: writeOperatorPage(list, ({ seq }) => String(seq), moveReply) };
}

const lotReply = (lot: ListedLot) => ({
	fg_id: lot.fgId,
	formula: lot.formula,
	brand_code: lot.brandCode,
	batch_number: lot.batchNumber,
	expires_on: lot.expiresOn,
	received_on: lot.receivedOn,
	in_date: lot.inDate,
	location: lot.location,
	received: lot.received,
	corrected: lot.corrected,
	available: lot.available,
	held: lot.held,
	allocated: lot.allocated,
	consumed: lot.consumed,
	shipped: lot.shipped,
	quarantined: lot.quarantined,
	destroyed: lot.destroyed,
	recalled_at: lot.recalledAt?.toISOString() ?? null,
});

const moveReply = (move: HistoryMove) => ({
	seq: move.seq,
	at: move.at.toISOString(),
	fg_id: move.fgId,
	batch_number: move.batchNumber,
	brand_code: move.brandCode,
	from: move.from,
	to: move.to,
	units: move.units,
	cause: move.cause,
	about: move.about,
	reason: move.reason,
	actor: move.actor,
	request_id: move.requestId,
});
