import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { adviceOn } from "../../ground/lib/nearest.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { readOperatorPage, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import {
	GetBrand,
	GetFormula,
	GetProduct,
	GetSku,
	ListBrands,
	ListFormulas,
	ListProducts,
	ListSkus,
	PutBrand,
	PutFormula,
	PutProduct,
	PutSku,
} from "./admin-contract.ts";
import { type CatalogChange, changeCatalog } from "./change-catalog.ts";
import type { SkuEntry } from "./entries.ts";
import { findEntries } from "./find-entries.ts";
import { type CodedKind, findCodes, findFormula, noSuch, ONE_OF } from "./find-shelf.ts";
import { selectBrandPage, selectFormulaPage, selectProductPage, selectSkuPage } from "./page-sql.ts";
import { putBrands } from "./put-brands.ts";
import { putFormulas } from "./put-formulas.ts";
import { putProducts } from "./put-products.ts";
import { putSkus } from "./put-skus.ts";
import { formulasNamedTwice, type Wrong, wrongComponents, wrongFormulaCode, wrongSkuCode } from "./row-rules.ts";

/** The operations of the operator's API on the catalogue. */
export function admin(gate: Gate<Operator>, deps: ReadWriteDeps): void {
	mountLists(gate, deps);
	mountReads(gate, deps);
	mountPuts(gate, deps);
}

function mountLists(gate: Gate<Operator>, { listDb }: ReadWriteDeps): void {
	mount(gate, ListBrands, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) =>
			selectBrandPage(listDb, { after: page.after, q: query.q }, most),
		);
		return { status: 200, data: writeOperatorPage(list, ({ code }) => code, asReply) };
	});

	mount(gate, ListFormulas, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const { q, status } = query;
		const list = await firstRows(page.limit, (most) =>
			selectFormulaPage(listDb, { after: page.after, q, status }, most),
		);
		return { status: 200, data: writeOperatorPage(list, ({ code }) => code, asReply) };
	});

	mount(gate, ListProducts, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) =>
			selectProductPage(listDb, { after: page.after, q: query.q }, most),
		);
		return { status: 200, data: writeOperatorPage(list, ({ slug }) => slug, asReply) };
	});

	mount(gate, ListSkus, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const { q, kind, product } = query;
		const formula = await findFormula(listDb, query.formula);
		if (isRefusal(formula)) return formula;
		if (product !== undefined && (await readProduct(listDb, product)) === undefined)
			return refuse("not_found", await noSuch(listDb, "products", product));
		const list = await firstRows(page.limit, (most) =>
			selectSkuPage(listDb, { after: page.after, q, kind, product, formula }, most),
		);
		return { status: 200, data: writeOperatorPage(list, ({ sku }) => sku, asReply) };
	});
}

function mountReads(gate: Gate<Operator>, { readDb }: ReadWriteDeps): void {
	mount(gate, GetBrand, async ({ params }) => ok(await getBrand(readDb, params)));
	mount(gate, GetFormula, async ({ params }) => ok(await getFormula(readDb, params)));
	mount(gate, GetProduct, async ({ params }) => ok(await getProduct(readDb, params)));
	mount(gate, GetSku, async ({ params }) => ok(await getSku(readDb, params)));
}

function mountPuts(gate: Gate<Operator>, deps: ReadWriteDeps): void {
	const brand: Write<typeof PutBrand> = async (tx, { params: { code }, body }) =>
		await put(tx, {
			code,
			wrong: wrongCode("/code", body.code, code),
			read: (db) => readBrand(db, code),
			write: (change) => putBrands(change, [{ code, name: body.name }]),
		});
	mountWrite(gate, deps, PutBrand, brand, { read: getBrand, lockFirst: lockCatalog });

	const formula: Write<typeof PutFormula> = async (tx, { params: { code }, body: { name, status, ...body } }) =>
		await put(tx, {
			code,
			wrong: [...wrongCode("/code", body.code, code), ...wrongFormulaCode(code)],
			read: (db) => readFormula(db, code),
			write: (change) => putFormulas(change, [{ code, name, status }]),
		});
	mountWrite(gate, deps, PutFormula, formula, { read: getFormula, lockFirst: lockCatalog });

	const product: Write<typeof PutProduct> = async (tx, { params: { slug }, body }) =>
		await put(tx, {
			code: slug,
			wrong: wrongCode("/slug", body.slug, slug),
			read: (db) => readProduct(db, slug),
			write: (change) => putProducts(change, [{ slug, name: body.name }]),
		});
	mountWrite(gate, deps, PutProduct, product, { read: getProduct, lockFirst: lockCatalog });

	const sku: Write<typeof PutSku> = async (tx, { params, body }) => {
		const { components = [] } = body;
		const entry: SkuEntry = {
			sku: params.sku,
			name: body.name,
			product: body.product ?? null,
			kind: body.kind,
			vialSize: body.vial_size ?? null,
			components: components.map(({ formula: code, per_kit }) => ({ formula: code, perKit: per_kit })),
			testBehaviour: null,
		};
		const wrong = [
			...wrongCode("/sku", body.sku, params.sku),
			...wrongSkuCode(params.sku),
			...wrongComponents(entry.kind, components.length),
			...formulasNamedTwice(components),
			...(await unknownNames(tx, entry)),
		];
		return await put(tx, {
			code: entry.sku,
			wrong,
			read: (db) => readSku(db, entry.sku),
			write: (change) => putSkus(change, [entry]),
		});
	};
	mountWrite(gate, deps, PutSku, sku, { read: getSku, lockFirst: lockCatalog });
}

/** Waits until no import is changing the catalogue, and keeps others from it. */
const lockCatalog = (tx: Query): Promise<unknown> => lockEpoch(tx, "catalog_epoch");

interface Put<Row> {
	readonly code: string;
	readonly wrong: readonly Wrong[];
	/** The row, as its GET returns it; undefined: it does not exist. */
	readonly read: (db: Query) => Promise<Row | undefined>;
	readonly write: (change: CatalogChange) => Promise<unknown>;
}

/** Creates or changes one row and returns it. A refusal names every problem. */
async function put<Row extends object>(tx: Query, { code, wrong, read, write }: Put<Row>) {
	if (wrong.length > 0)
		return refuse("invalid_input", wrong.map(({ pointer, message }) => `${pointer} ${message}`).join("; "));
	const { before, after } = await changeCatalog(tx, async (change) => {
		const was = await read(tx);
		await write(change);
		return { before: was, after: must(await read(tx), code) };
	});
	const changed = JSON.stringify(before) !== JSON.stringify(after);
	return { status: before === undefined ? (201 as const) : (200 as const), data: after, about: code, changed };
}

/** The problem if the body gives a code other than the path's; empty if there is none. */
const wrongCode = (pointer: string, given: string | undefined, code: string): Wrong[] =>
	given === undefined || given === code
		? []
		: [{ pointer, message: `must be ${JSON.stringify(code)}, as in the path, or left out` }];

/** The problems with the product and the formulas that a SKU names but that do not exist. */
async function unknownNames(tx: Query, { product, components }: SkuEntry): Promise<Wrong[]> {
	const known = await findEntries(tx, {
		formulas: components.map(({ formula }) => formula),
		products: product === null ? [] : [product],
		skus: [],
	});
	const wrong: Wrong[] = [];
	if (product !== null && !known.products.has(product))
		wrong.push({ pointer: "/product", message: await unknownName(tx, "products", product) });
	for (const [i, { formula }] of components.entries()) {
		if (known.formulas.has(formula)) continue;
		wrong.push({ pointer: `/components/${i}/formula`, message: await unknownName(tx, "formulas", formula) });
	}
	return wrong;
}

async function unknownName(tx: Query, kind: CodedKind, name: string): Promise<string> {
	const advice = adviceOn(name, await findCodes(tx, kind), "create it first, or correct the name");
	return `there is no ${ONE_OF[kind]} ${JSON.stringify(name)}: ${advice}`;
}

async function readBrand(db: Query, code: string) {
	const found = (await findEntries(db, { formulas: [], products: [], skus: [] })).brands.get(code);
	return found && { code, name: found.name };
}

async function readFormula(db: Query, code: string) {
	const { rows } = await selectFormulaPage(db, { after: null, q: undefined, code }, 1);
	return rows[0] && asReply(rows[0]);
}

const readProduct = async (db: Query, slug: string) =>
	(await findEntries(db, { formulas: [], products: [slug], skus: [] })).products.get(slug);

async function readSku(db: Query, sku: string) {
	const found = (await findEntries(db, { formulas: [], products: [], skus: [sku] })).skus.get(sku);
	if (found === undefined) return undefined;
	const { testBehaviour: _testBehaviour, ...shown } = found;
	return asReply(shown);
}

/** A row, as its GET returns it, or the refusal if it does not exist. */
const orNone = async <Row>(
	db: Query,
	kind: CodedKind,
	code: string,
	row: Row | undefined,
): Promise<Row | Refusal<"not_found">> => row ?? refuse("not_found", await noSuch(db, kind, code));

const getBrand = async (db: Query, { code }: { readonly code: string }) =>
	await orNone(db, "brands", code, await readBrand(db, code));
const getFormula = async (db: Query, { code }: { readonly code: string }) =>
	await orNone(db, "formulas", code, await readFormula(db, code));
const getProduct = async (db: Query, { slug }: { readonly slug: string }) =>
	await orNone(db, "products", slug, await readProduct(db, slug));
const getSku = async (db: Query, { sku }: { readonly sku: string }) =>
	await orNone(db, "skus", sku, await readSku(db, sku));
