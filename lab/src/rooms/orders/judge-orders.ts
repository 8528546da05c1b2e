/**
 * Compares acknowledged orders with the tables at the end: each is there once, with its units, in a state that the
 * acknowledgements allow.
 */
import type { Case } from "../../check/case.ts";
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import { grantedUnits } from "../holds/lives.ts";
import type { Career, Careers } from "./careers.ts";
import type { PrintedPick } from "./chores.ts";
import type { BoxFact, OrderFact, OrderFacts } from "./look-up-sql.ts";

const wrong = (kind: Wrong, what: string, at: number | null = null): Finding => finding(kind, what, at, "orders");

export function judgeOrders(on: Case, careers: Careers, facts: OrderFacts): Finding[] {
	const pickedIds = pickedIn(careers);
	const packed = packedByOrder(facts.boxes);
	return [
		...judgeTwice(facts.orders),
		...[...careers.byId.values()].flatMap((career) => {
			const { fact, orderId, actor, key, placed } = career;
			if (!fact)
				return [
					wrong(
						"lost",
						`order ${orderId} of ${actor} under ${key} was acknowledged, but is not in the tables`,
						placed.latest,
					),
				];
			return [...judgeState(on, career, fact, pickedIds), ...judgeUnits(on, career, fact, packed.get(orderId) ?? 0)];
		}),
	];
}

/** Units of each order in boxes that left. */
function packedByOrder(boxes: readonly BoxFact[]): ReadonlyMap<string, number> {
	const packed = new Map<string, number>();
	for (const { status, units } of boxes) {
		if (status !== "shipped") continue;
		for (const [orderId, , , count] of units) packed.set(orderId, (packed.get(orderId) ?? 0) + count);
	}
	return packed;
}

/** Orders that a command reported as picked. */
function pickedIn({ commands }: Careers): ReadonlySet<string> {
	const items = commands.flatMap(({ errand, about }) =>
		about.what === "pick" ? (((errand.out ?? {}) as PrintedPick).items ?? []) : [],
	);
	return new Set(items.filter(({ picked }) => picked).map(({ order_id: id }) => id));
}

function judgeTwice(orders: readonly OrderFact[]): Finding[] {
	const twice = (by: (order: OrderFact) => string, what: string): Finding[] =>
		[...Map.groupBy(orders, by)]
			.filter(([, same]) => same.length > 1)
			.map(([name, same]) => wrong("doubled", `there are ${same.length} orders ${what} ${name}`));
	return [...twice(({ keyId, ref }) => `${ref} of key ${keyId}`, "under"), ...twice(({ token }) => token, "from hold")];
}

const recalledIn = (on: Case, { life }: Career): boolean =>
	life?.units.some(({ formula }) => on.opening.world.recalled.includes(formula)) ?? true;

function judgeState(on: Case, career: Career, fact: OrderFact, picked: ReadonlySet<string>): Finding[] {
	const { actor, orderId, key, cancelled, token } = career;
	const said = `order ${orderId} of ${actor}`;
	const found: Finding[] = [];
	if (fact.keyId !== on.actors.get(actor)?.keyId)
		found.push(wrong("leak", `${said} belongs to key ${fact.keyId} in the tables`));
	if (fact.ref !== key || fact.token !== token)
		found.push(
			wrong("lost", `${said} under ${key} from hold ${token} is recorded under ${fact.ref} from ${fact.token}`),
		);
	if (cancelled?.told && fact.status !== "cancelled")
		found.push(wrong("lost", `${said} was acknowledged as cancelled, but is ${fact.status}`, cancelled.latest));
	// a recall sets picked orders back, and then they may be cancelled
	const wasPicked = picked.has(orderId) && !recalledIn(on, career);
	if (wasPicked && !fact.picked) found.push(wrong("lost", `${said} was acknowledged as picked, but is ${fact.status}`));
	return found;
}

/**
 * Where the units of an order are in each state. Units that a recall took may be missing from an order that is or was
 * on hold for it.
 */
function judgeUnits(on: Case, career: Career, fact: OrderFact, inBoxes: number): Finding[] {
	const { orderId, actor, life } = career;
	const { status, allocated, shipped, freed, moved } = fact;
	const said = `${status} order ${orderId} of ${actor}`;
	if (life === null) return [wrong("doubled", `${said} comes from a hold that nobody made`)];
	const total = grantedUnits(on, life);
	// a recall replaces the units it takes from an order, or puts it on hold; a cancel does not give back the missing
	// ones
	const lenient = recalledIn(on, career) && (status === "held" || status === "cancelled");
	const found: Finding[] = [];
	const compare = (what: string, is: number, expected: number): void => {
		if (is > expected) found.push(wrong("doubled", `${said}: ${is} units ${what}, expected ${expected}`));
		else if (is < expected && !lenient) found.push(wrong("lost", `${said}: ${is} units ${what}, expected ${expected}`));
	};
	const cancelled = status === "cancelled";
	compare("given back", freed, cancelled ? total : 0);
	compare("moved by cancel", moved.cancel ?? 0, cancelled ? total : 0);
	compare("waiting", allocated, cancelled ? 0 : total - shipped);
	if (shipped !== inBoxes)
		found.push(
			wrong(
				shipped < inBoxes ? "lost" : "doubled",
				`${said}: ${shipped} units shipped, but ${inBoxes} in boxes that left`,
			),
		);
	const net = (moved.ship ?? 0) - (moved.void ?? 0);
	if (net !== shipped)
		found.push(
			wrong(net < shipped ? "lost" : "doubled", `${said}: ${shipped} units shipped, but the ledger moved ${net}`),
		);
	if (!fitsStatus(fact, total))
		found.push(wrong("unexpected", `${said}: ${allocated} units wait and ${shipped} of ${total} are shipped`));
	return found;
}

function fitsStatus({ status, allocated, shipped }: OrderFact, total: number): boolean {
	switch (status) {
		case "placed":
		case "picked":
		case "cancelled":
			return shipped === 0;
		case "partially_shipped":
			return shipped > 0 && shipped < total;
		case "shipped":
			return allocated === 0 && shipped > 0;
		default:
			return shipped < total;
	}
}
