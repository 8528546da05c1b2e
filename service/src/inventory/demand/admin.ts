import { asReply } from "../../ground/lib/as-reply.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { asImpossible } from "../../partners/admin/as-impossible.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { readOperatorPage, readPageFrom, rowNumber, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { mountRun, type StartRunDeps } from "../../partners/runs/mount-run.ts";
import { notBegun, type RunKind } from "../../partners/runs/run.ts";
import { findBrand, findFormula } from "../catalog/find-shelf.ts";
import type { Origin } from "../stock/move.ts";
import { type SafetyBuffer, setBuffers } from "../stock/set-buffers.ts";
import { clearDemand, setDemand } from "../stock/set-demand.ts";
import {
	AddDemand,
	ClearDemand,
	GetDemand,
	ListBuffers,
	ListDemand,
	PutBuffer,
	PutDemand,
	ShipDemand,
} from "./admin-contract.ts";
import type { DrawIn } from "./draw-units.ts";
import { tellException } from "./exception.ts";
import { type ListedException, listExceptions } from "./exceptions-sql.ts";
import { listBuffers } from "./list-buffers-sql.ts";
import { type ListedDemand, listDemand, readPlace, selectDemandOf } from "./list-demand-sql.ts";
import { reconcileStoreStep, type StoreState } from "./reconcile-store.ts";
import {
	DismissException,
	GetStore,
	ListExceptions,
	ListStores,
	PutStore,
	RemoveStore,
	RetryException,
	RetryExceptions,
} from "./reported-admin-contract.ts";
import { resolveException } from "./resolve-exception.ts";
import { RETRY_BEGINS, type RetryState, retryException, retryExceptionsStep } from "./retry-exceptions.ts";
import { setDemandOf } from "./set-demand-of.ts";
import { removeStore, setStore } from "./set-store.ts";
import { shipDemand } from "./ship-demand.ts";
import { listStores, selectStore, selectUnknownStores } from "./stores-sql.ts";

export interface DemandAdminDeps extends StartRunDeps, ReadWriteDeps {
	readonly drawIn: DrawIn;
}

/** The operations of the operator's API on demand, safety buffers, exceptions and stores. */
export function admin(gate: Gate<Operator>, deps: DemandAdminDeps): void {
	mountDemandReads(gate, deps);
	mountDemandWrites(gate, deps);
	mountBuffers(gate, deps);
	mountExceptions(gate, deps);
	mountStoreReads(gate, deps);
	mountStoreWrites(gate, deps);
}

const originOf = ({ caller, requestId }: { readonly caller: Operator; readonly requestId: string }): Origin => ({
	actor: actorOf(caller),
	requestId,
});

function mountDemandReads(gate: Gate<Operator>, { readDb, listDb }: DemandAdminDeps): void {
	mount(gate, ListDemand, async ({ query }) => {
		const page = readPageFrom(query, readPlace);
		if (isRefusal(page)) return page;
		const brand = await findBrand(listDb, query.brand_code);
		if (isRefusal(brand)) return brand;
		const { reference, formula, q } = query;
		const list = await listDemand(listDb, { reference, formula, brand, q, after: page.after }, page.limit);
		return { status: 200, data: writeOperatorPage(list, ({ place }) => place, listedReply) };
	});

	mount(gate, GetDemand, async ({ params }) => ok(await readDemand(readDb, params)));
}

const listedReply = ({ place: _place, ...entry }: ListedDemand) => asReply(entry);
const entryReply = ({ formula, brandCode, units, since }: ListedDemand) =>
	asReply({ formula, brandCode, units, since });

/** The demand under a reference, as its GET returns it. */
async function readDemand(db: Query, { reference }: { readonly reference: string }) {
	const entries = await selectDemandOf(db, reference);
	if (entries.length === 0) return refuse("not_found", `There is no demand under ${JSON.stringify(reference)}.`);
	return { reference, source: entries[0]?.source ?? null, items: entries.map(entryReply) };
}

function mountDemandWrites(gate: Gate<Operator>, deps: DemandAdminDeps): void {
	const read = readDemand;
	const put: Write<typeof PutDemand> = async (tx, { params: { reference }, body }) => {
		const wanted = body.items.map(({ brand_code, ...entry }) => ({ ...entry, brandCode: brand_code }));
		const twice = wanted.findIndex(({ formula, brandCode }, i) =>
			wanted.slice(0, i).some((one) => one.formula === formula && one.brandCode === brandCode),
		);
		if (twice !== -1) return refuse("invalid_input", `/items/${twice}: its formula and brand are named twice`);
		const changes = await setDemandOf(tx, reference, wanted);
		if (isRefusal(changes)) return asImpossible(changes, "wrong_state");
		const data = await readDemand(tx, { reference });
		if (isRefusal(data)) return data;
		const changed = changes.created + changes.changed > 0;
		return { status: changes.isNew ? 201 : 200, data, about: reference, changed };
	};
	mountWrite(gate, deps, PutDemand, put, { read });

	mountWrite(gate, deps, AddDemand, async (tx, { body: { brand_code: brandCode, ...entry } }) => {
		const data = await setDemand(tx, [{ ...entry, brandCode }]);
		if (isRefusal(data)) return data;
		return { status: data.created > 0 ? 201 : 200, data, about: entry.reference, changed: data.unchanged === 0 };
	});

	const clear: Write<typeof ClearDemand> = async (tx, { params: { reference } }) => {
		const cleared = await clearDemand(tx, reference);
		return { status: 200, data: { cleared }, about: reference, changed: cleared > 0 };
	};
	mountWrite(gate, deps, ClearDemand, clear, { read });

	const ship: Write<typeof ShipDemand> = async (tx, { params: { reference }, body, ...request }) => {
		const { shared = false } = body;
		const shipped = await shipDemand(tx, deps, { reference, shared }, originOf(request));
		if (isRefusal(shipped)) return asImpossible(shipped, "wrong_state");
		const { drawn, drawnUnits, missingUnits } = shipped;
		const lots = drawn.map(({ fgId, units }) => ({ fg_id: fgId, units }));
		const data = { reference, drawn: lots, drawn_units: drawnUnits, missing_units: missingUnits };
		return { status: 200, data, about: reference };
	};
	mountWrite(gate, deps, ShipDemand, ship, { read });
}

function mountBuffers(gate: Gate<Operator>, deps: DemandAdminDeps): void {
	const { listDb } = deps;
	mount(gate, ListBuffers, async ({ query }) => {
		const page = readPageFrom(query, readShelf);
		if (isRefusal(page)) return page;
		const formula = await findFormula(listDb, query.formula);
		if (isRefusal(formula)) return formula;
		const brand = await findBrand(listDb, query.brand_code);
		if (isRefusal(brand)) return brand;
		const list = await listBuffers(listDb, { formula, brand, after: page.after }, page.limit);
		return { status: 200, data: writeOperatorPage(list, writeShelf, asReply) };
	});

	mountWrite(gate, deps, PutBuffer, async (tx, { body: { formula, brand_code, units } }) => {
		const buffer = { formula, brandCode: brand_code, units };
		const changes = await setBuffers(tx, [buffer]);
		if (isRefusal(changes)) return changes;
		const about = brand_code === null ? formula : `${formula} ${brand_code}`;
		const status = changes.created > 0 ? 201 : 200;
		return { status, data: { ...asReply(buffer), ...changes }, about, changed: changes.unchanged === 0 };
	});
}

/** The place of a buffer in its list, as text. */
const writeShelf = ({ formula, brandCode }: SafetyBuffer): string => `${formula}\n${brandCode ?? ""}`;
function readShelf(text: string) {
	const [formula, brandCode, ...more] = text.split("\n");
	return formula === undefined || brandCode === undefined || more.length > 0 ? null : { formula, brandCode };
}

function mountExceptions(gate: Gate<Operator>, deps: DemandAdminDeps): void {
	mount(gate, ListExceptions, async ({ query: { reference, kind, ...asked } }) => {
		const page = readPageFrom(asked, rowNumber);
		if (isRefusal(page)) return page;
		const list = await listExceptions(deps.listDb, { reference, kind, after: page.after }, page.limit);
		return { status: 200, data: writeOperatorPage(list, ({ exceptionId: id }) => String(id), exceptionReply) };
	});

	mountWrite(gate, deps, RetryException, async (tx, { params: { id }, body, ...request }) => {
		const number = rowNumber(id);
		if (number === null) return noException(id);
		const retried = await retryException(tx, deps, number, originOf(request), body.shared ?? false);
		return isRefusal(retried) ? retried : { status: 200, data: asReply(retried), about: id };
	});

	mountWrite(gate, deps, DismissException, async (tx, { params: { id }, body, ...request }) => {
		const number = rowNumber(id);
		if (number === null) return noException(id);
		const resolved = await resolveException(tx, number, body.reason ?? null, originOf(request));
		if (isRefusal(resolved)) return asImpossible(resolved, "wrong_state");
		const { changed, ...exception } = resolved;
		return { status: 200, data: asReply(exception), about: id, changed };
	});

	const kind: RunKind<RetryState> = {
		operation: "retry_exceptions",
		async next(tx, state, origin) {
			const next = await retryExceptionsStep(tx, deps, state, origin);
			if (isRefusal(next)) return next;
			const { retried } = next ?? state;
			const result = asReply(retried);
			return { state: next ?? state, done: retried.references, of: null, result, isEnd: next === null };
		},
	};
	const begin = async () => ({ about: "all open exceptions", first: notBegun(RETRY_BEGINS) });
	mountRun(gate, deps, RetryExceptions, { kind, begin });
}

const noException = (id: string) => refuse("not_found", `There is no exception ${id}.`);

const exceptionReply = (one: ListedException) => ({ ...asReply(one), ...tellException(one) });

function mountStoreReads(gate: Gate<Operator>, { readDb, listDb }: DemandAdminDeps): void {
	mount(gate, ListStores, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const brand = await findBrand(listDb, query.brand_code);
		if (isRefusal(brand)) return brand;
		const list = await listStores(listDb, { brand, q: query.q ?? null, after: page.after }, page.limit);
		const unknown = await selectUnknownStores(listDb);
		return { status: 200, data: { ...writeOperatorPage(list, ({ store }) => store, asReply), unknown } };
	});

	mount(gate, GetStore, async ({ params }) => ok(await readStore(readDb, params)));
}

/** A store, as its GET returns it. */
async function readStore(db: Query, { id }: { readonly id: string }) {
	const store = await selectStore(db, id);
	return store === null ? refuse("not_found", `There is no store ${JSON.stringify(id)}.`) : asReply(store);
}

/** The state of the run that reconciles a store's pending orders again. */
interface StoreRun extends StoreState {
	/** The members of the reply beside `orders`. */
	readonly reply: object;
}

function mountStoreWrites(gate: Gate<Operator>, deps: DemandAdminDeps): void {
	const kindOf = (operation: "put_store" | "remove_store"): RunKind<StoreRun> => ({
		operation,
		async next(tx, state, origin) {
			const next = await reconcileStoreStep(tx, deps, state, origin);
			if (isRefusal(next)) return next;
			const { orders } = next ?? state;
			const result = { ...state.reply, orders };
			return { state: { ...state, ...next }, done: orders, of: null, result, isEnd: next === null };
		},
	});
	const firstOf = (store: string, reply: object) => notBegun<StoreRun>({ store, after: "", orders: 0, reply });

	mountRun(gate, deps, PutStore, {
		kind: kindOf("put_store"),
		read: readStore,
		async begin(tx, { params: { id }, body: { brand_code: brandCode, shared = false } }) {
			const store = { store: id, brandCode, shared };
			const set = await setStore(tx, store);
			return isRefusal(set) ? set : { about: id, first: firstOf(id, asReply(store)), made: set.isNew };
		},
	});

	mountRun(gate, deps, RemoveStore, {
		kind: kindOf("remove_store"),
		read: readStore,
		async begin(tx, { params: { id } }) {
			if (!(await removeStore(tx, id))) return { about: id, unchanged: { removed: false, orders: 0 } };
			return { about: id, first: firstOf(id, { removed: true }) };
		},
	});
}
