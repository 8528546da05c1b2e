import { setTimeout as sleep } from "node:timers/promises";
import type { Counts, InventoryAnswer } from "./answers.ts";
import type { Books, Pool, Recipe } from "./books.ts";
import type { Article } from "./catalogue.ts";
import { AGENT, type Channel, EXPORT, NORTH_2, SOUTH, WEB, WHOLESALE } from "./channels.ts";
import { inOrder } from "./drive.ts";
import { type Client, ConnectionLost } from "./http.ts";

/** A view of a key: the pools that its counts cover. */
interface View {
	readonly channel: Channel;
	/** The brand it names, if it is not bound to one. */
	readonly names: string | null;
	readonly pools: readonly Pool[];
}

/** Together these views cover every pool, alone and with the shared stock. */
const VIEWS: readonly View[] = [
	{ channel: WEB, names: null, pools: ["WEB", null] },
	{ channel: EXPORT, names: null, pools: ["EXPORT", null] },
	{ channel: NORTH_2, names: null, pools: ["NORTH", null] },
	{ channel: SOUTH, names: null, pools: ["SOUTH"] },
	{ channel: WHOLESALE, names: null, pools: [null] },
	{ channel: AGENT, names: "SOUTH", pools: ["SOUTH", null] },
];
/** Concurrent requests while counting. */
const IN_FLIGHT = 32;
/**
 * Milliseconds by which the service's clock may differ: if a hold expires this close to a reading, the count is read
 * again.
 */
const NEAR_MS = 200;
/** Unanswered readings of one SKU after which the comparison is abandoned. */
const ATTEMPTS = 5;
/** Rows of a page of products (settlements, section 7). */
const PAGE = 500;

export interface Difference {
	readonly sku: string;
	/** The key and the pools it sees. */
	readonly view: string;
	readonly count: string;
	readonly expected: unknown;
	readonly got: unknown;
}

export interface Comparison {
	/** Counts compared. */
	counts: number;
	readonly differences: Difference[];
}

export interface Counting {
	readonly client: Client;
	readonly books: Books;
	readonly articles: ReadonlyMap<string, Article>;
	readonly idOf: ReadonlyMap<string, string>;
	readonly tokenOf: ReadonlyMap<string, string>;
}

/** Compares every SKU's counts, as answered to every kind of key, with the books. They must be equal. */
export async function compare(with_: Counting, progress: (share: number) => void): Promise<Comparison> {
	const comparison: Comparison = { counts: 0, differences: [] };
	const work = VIEWS.flatMap((view) => [...with_.articles.values()].map((article) => ({ view, article })));
	let done = 0;
	await inOrder(work, IN_FLIGHT, async ({ view, article }) => {
		await compareOne(with_, view, article, comparison);
		done += 1;
		progress(done / work.length);
	});
	await compareProducts(with_, VIEWS[0] as View, comparison);
	return comparison;
}

async function compareOne(with_: Counting, view: View, article: Article, comparison: Comparison): Promise<void> {
	const recipe = recipeOf(with_, article);
	const brand = view.names === null ? "" : `&brand_code=${view.names}`;
	for (;;) {
		const from = Date.now();
		const path = `/api/v1/inventory?sku=${encodeURIComponent(article.sku)}${brand}`;
		const { status, body } = await get(with_, view.channel, path);
		const to = Date.now();
		if (with_.books.changesBetween(recipe, view.pools, from - NEAR_MS, to + NEAR_MS)) {
			await sleep(NEAR_MS);
			continue;
		}
		const note = noteTo(comparison, view, article.sku);
		if (status !== 200) return note("status", 200, status);
		return compareAnswer(with_.books, recipe, view, article, (body as { data: InventoryAnswer }).data, from, note);
	}
}

type Note = (count: string, expected: unknown, got: unknown) => void;

const noteTo =
	(comparison: Comparison, view: View, sku: string): Note =>
	(count, expected, got) => {
		comparison.counts += 1;
		if (expected === got) return;
		const pools = view.pools.map((pool) => pool ?? "shared").join(" + ");
		comparison.differences.push({ sku, view: `${view.channel.name} (${pools})`, count, expected, got });
	};

function compareAnswer(
	books: Books,
	recipe: Recipe,
	view: View,
	article: Article,
	answer: InventoryAnswer,
	time: number,
	note: Note,
): void {
	note("tracks_inventory", article.kind !== "non_physical", answer.tracks_inventory);
	const pools = article.kind === "non_physical" ? [] : view.pools;
	note("by_brand, rows", pools.length, answer.by_brand.length);
	for (const pool of pools) {
		const row = answer.by_brand.find(({ brand_code }) => brand_code === pool);
		noteCounts(`by_brand ${pool ?? "shared"}`, books.expected(recipe, [pool], time), row, note);
	}
	const nothing = { on_hand: 0, reserved: 0, atp: 0 };
	const totals = pools.length === 0 ? nothing : books.expected(recipe, pools, time);
	noteCounts("totals", totals, answer.totals, note);
	for (const { formulaId } of article.kind === "kit" || answer.components !== undefined ? recipe : []) {
		const row = answer.components?.find((component) => component.formula_id === formulaId);
		const { onHand, reserved } = books.position(formulaId, pools, time);
		note("components on_hand_units", onHand, row?.on_hand_units);
		note("components reserved_units", reserved, row?.reserved_units);
		note("components atp_units", Math.max(0, onHand - reserved), row?.atp_units);
	}
}

function noteCounts(where: string, expected: Counts, got: Counts | undefined, note: Note): void {
	note(`${where} on_hand`, expected.on_hand, got?.on_hand);
	note(`${where} reserved`, expected.reserved, got?.reserved);
	note(`${where} atp`, expected.atp, got?.atp);
}

interface ProductsAnswer {
	readonly items: readonly { readonly sku: string; readonly availability: { readonly atp_qty: number } }[];
	readonly next_cursor: string;
	readonly has_more: boolean;
}

/**
 * Compares the list of products, the third place that shows what may be reserved: every SKU once, with the same number.
 */
async function compareProducts(with_: Counting, view: View, comparison: Comparison): Promise<void> {
	const missing = new Set([...with_.articles.values()].map((article) => article.sku));
	for (let cursor = "", more = true; more; ) {
		const from = Date.now();
		const path = `/api/v1/products?limit=${PAGE}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
		const { status, body } = await get(with_, view.channel, path);
		if (status !== 200) return noteTo(comparison, view, "(products)")("status", 200, status);
		const { data } = body as { data: ProductsAnswer };
		for (const { sku, availability } of data.items) {
			const article = with_.articles.get(sku);
			if (article === undefined) continue;
			missing.delete(sku);
			const recipe = recipeOf(with_, article);
			if (with_.books.changesBetween(recipe, view.pools, from - NEAR_MS, Date.now() + NEAR_MS)) continue;
			const atp = recipe.length === 0 ? 0 : with_.books.expected(recipe, view.pools, from).atp;
			noteTo(comparison, view, sku)("products atp_qty", atp, availability.atp_qty);
		}
		cursor = data.next_cursor;
		more = data.has_more;
	}
	for (const sku of missing) noteTo(comparison, view, sku)("products", "listed", "missing");
}

const recipeOf = ({ idOf }: Counting, article: Article): Recipe =>
	article.components.map(({ formula, per_kit }) => ({ formulaId: idOf.get(formula) as string, perKit: per_kit }));

async function get(
	{ client, tokenOf }: Counting,
	channel: Channel,
	path: string,
): Promise<{ status: number; body: unknown }> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await client.send({ method: "GET", path, token: tokenOf.get(channel.name) as string });
		} catch (error) {
			if (!(error instanceof ConnectionLost) || attempt === ATTEMPTS) throw error;
		}
	}
}
