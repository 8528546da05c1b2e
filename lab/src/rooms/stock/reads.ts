/** Compares the counts in partners' answers with the possible ones during the request. */
import type { Range } from "../../check/bounds.ts";
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Counts } from "../../check/shelves.ts";
import { type Exchange, outcomeOf } from "../../history.ts";
import { poolName, poolsOf } from "../../world.ts";

interface Availability {
	readonly available_qty: number;
	readonly atp_qty: number;
}
interface CheckItem extends Availability {
	readonly sku: string;
	readonly known: boolean;
	readonly brand_code: string | null;
}
interface ProductItem {
	readonly sku: string;
	readonly availability: Availability | null;
}
interface Inventory {
	readonly sku: string;
	readonly components?: readonly {
		readonly formula_id: string;
		readonly on_hand_units: number;
		readonly reserved_units: number;
		readonly atp_units: number;
	}[];
	readonly by_brand: readonly { readonly brand_code: string | null; readonly atp: number }[];
	readonly totals: { readonly atp: number };
}

/** Refusals that any request may get: too busy, and a revoked key (judged by its own room). */
const ALWAYS = [401, 429];

export function judgeReads(on: Case): Finding[] {
	return on.exchanges.flatMap((exchange) => {
		const path = exchange.path.split("?")[0];
		const judge = path === "/api/v1/check" ? judgeCheck : path === "/api/v1/inventory" ? judgeInventory : judgeProducts;
		if (judge === judgeProducts && path !== "/api/v1/products") return [];
		const outcome = outcomeOf(exchange);
		if (outcome === "done")
			return judge(on, exchange).filter(({ wrong }) => wrong !== "wrong read" || !jumped(on, exchange));
		if (outcome !== "refused" || ALWAYS.includes(exchange.status ?? 0)) return [];
		return [
			finding(
				"unexpected",
				`${exchange.op} of ${exchange.actor} answered ${exchange.status} ${JSON.stringify(exchange.reply)}`,
				exchange.end,
			),
		];
	});
}

/**
 * When the database's clock jumps, a hold is over for a count by the new clock while a consume that read the old one
 * still takes it: for that moment a count need not fit any order of events.
 */
const jumped = (on: Case, { start, end }: Exchange): boolean => on.clockWrongWithin(start, end);

const within = (value: number, { low, high }: Range): boolean => value >= low && value <= high;

function judgeCounts(exchange: Exchange, sku: string, found: Availability, counts: Counts): Finding[] {
	const wrong = (
		[
			["available_qty", counts.available],
			["atp_qty", counts.atp],
		] as const
	).filter(([name, range]) => !within(found[name], range));
	return wrong.map(([name, { low, high }]) =>
		finding(
			"wrong read",
			`${exchange.op} of ${exchange.actor}: ${name} of ${sku} is ${found[name]}; possible are ${low} to ${high}`,
			exchange.end,
		),
	);
}

function judgeCheck(on: Case, exchange: Exchange): Finding[] {
	const { actor, start, end, body, reply } = exchange;
	const lines = (body as { items: { sku: string; brand_code?: string }[] }).items;
	const { items } = (reply as { data: { items: CheckItem[] } }).data;
	return items.flatMap((item, i) => {
		const named = lines[i]?.brand_code ?? null;
		if (item.sku !== lines[i]?.sku || !item.known)
			return [finding("unexpected", `check of ${lines[i]?.sku} answers ${JSON.stringify(item)}`, end)];
		const counts = on.shelves.counts(on.actor(actor), named, item.sku, start, end);
		return counts === null || counts.blurred ? [] : judgeCounts(exchange, item.sku, item, counts);
	});
}

function judgeProducts(on: Case, exchange: Exchange): Finding[] {
	const { actor, start, end, reply } = exchange;
	const { items } = (reply as { data: { items: ProductItem[] } }).data;
	const missing = on.opening.world.skus.filter(({ sku }) => !items.some((item) => item.sku === sku));
	return [
		...missing.map(({ sku }) => finding("wrong read", `products of ${actor} leaves out ${sku}`, end)),
		...items.flatMap(({ sku, availability }) => {
			const counts = on.shelves.counts(on.actor(actor), null, sku, start, end);
			return counts === null || counts.blurred || availability === null
				? []
				: judgeCounts(exchange, sku, availability, counts);
		}),
	];
}

function judgeInventory(on: Case, exchange: Exchange): Finding[] {
	const { actor, start, end, path, reply } = exchange;
	const key = on.actor(actor);
	const named = new URLSearchParams(path.split("?")[1]).get("brand_code");
	const { data } = reply as { data: Inventory };
	const pools = poolsOf(key, named);
	const strange = data.by_brand.filter(({ brand_code: brand }) => !pools.includes(poolName(brand)));
	const leaks = strange.map(({ brand_code: brand }) =>
		finding("leak", `inventory of ${actor} shows the stock of ${brand ?? "everybody"}`, end),
	);
	const counts = on.shelves.counts(key, named, data.sku, start, end);
	if (counts === null || counts.blurred) return leaks;
	const wrong = (what: string, found: number, { low, high }: Range): Finding[] =>
		within(found, { low, high })
			? []
			: [
					finding(
						"wrong read",
						`inventory of ${actor}: ${what} of ${data.sku} is ${found}; possible are ${low} to ${high}`,
						end,
					),
				];
	const parts = (data.components ?? []).flatMap((part) => {
		const can = counts.parts.find(({ formulaId }) => formulaId === part.formula_id);
		if (!can) return [finding("unexpected", `inventory of ${data.sku} names the formula ${part.formula_id}`, end)];
		const promised = on.shelves.promised(on.shelves.codeOf(part.formula_id) ?? "", pools, start, end);
		const reserved = { low: can.reserved.low + promised.low, high: can.reserved.high + promised.high };
		const atp = Math.max(0, part.on_hand_units - part.reserved_units);
		return [
			...wrong("on_hand_units", part.on_hand_units, can.onHand),
			...wrong("reserved_units", part.reserved_units, reserved),
			...wrong("atp_units", part.atp_units, { low: atp, high: atp }),
		];
	});
	return [...leaks, ...parts, ...wrong("totals.atp", data.totals.atp, counts.atp)];
}
