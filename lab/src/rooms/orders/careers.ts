/**
 * The career of each order, reconstructed from every attempt and command that concerned it and, where no answer
 * arrived, from the tables.
 */
import type { Case, When } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { type Errand, outcomeOfErrand } from "../../history.ts";
import { type Life, SETTLES_WITHIN_MS } from "../holds/lives.ts";
import type { NamedAttempt, OrderAttempts, PlaceAttempt } from "./attempts.ts";
import type { OrderErrand } from "./chores.ts";
import type { OrderFact, OrderFacts } from "./look-up-sql.ts";

/** A command of an operator that concerns orders. */
export interface OrderCommand {
	readonly errand: Errand;
	readonly about: OrderErrand;
	readonly done: boolean;
}

/** When an order was cancelled. */
export interface Cancellation extends When {
	/** True when a partner or operator got an answer about it. */
	readonly told: boolean;
}

export interface Career {
	readonly orderId: string;
	readonly token: string;
	readonly actor: string;
	/** The Idempotency-Key that it was placed under. */
	readonly key: string;
	/** True when a partner got an answer about it. */
	readonly told: boolean;
	readonly placed: When;
	/** Null: never. */
	readonly cancelled: Cancellation | null;
	/** The life of its hold; null: the history has none. */
	readonly life: Life | null;
	readonly fact: OrderFact | null;
}

export interface Careers {
	readonly byId: ReadonlyMap<string, Career>;
	readonly commands: readonly OrderCommand[];
	readonly findings: readonly Finding[];
}

const ABOUT_ORDERS = ["orders", "ship"];

export const commandsIn = (on: Case): OrderCommand[] =>
	on.errands
		.filter(({ args }) => ABOUT_ORDERS.includes(args[0] ?? ""))
		.map((errand) => ({
			errand,
			about: errand.about as OrderErrand,
			done: outcomeOfErrand(errand) === "done",
		}));

/** `facts`: content of the tables; null if they were not read. */
export function careersOf(
	on: Case,
	attempts: OrderAttempts,
	lives: ReadonlyMap<string, Life>,
	facts: OrderFacts | null,
): Careers {
	const findings: Finding[] = [];
	const commands = commandsIn(on);
	const tries = Map.groupBy(attempts.places, ({ actor, key, token }) => `${actor} ${key} ${token}`);
	const cancels = Map.groupBy(attempts.cancels, ({ actor, ref }) => `${actor} ${ref}`);
	const byId = new Map<string, Career>();
	const factById = new Map((facts?.orders ?? []).map((fact) => [fact.orderId, fact]));
	const add = (orderId: string, actor: string, key: string, token: string): void => {
		if (byId.has(orderId)) return;
		const fact = factById.get(orderId) ?? null;
		const own = (tries.get(`${actor} ${key} ${token}`) ?? []).filter(isPossible);
		const life = lives.get(token) ?? null;
		if (own.length === 0)
			findings.push(
				finding("doubled", `order ${orderId} of ${actor} under ${key} exists without a request`, null, "orders"),
			);
		const mine = [...(cancels.get(`${actor} ${orderId}`) ?? []), ...(cancels.get(`${actor} ${key}`) ?? [])];
		const cancelled = cancelledOf(orderId, mine, commands, fact, facts !== null, findings);
		const told = own.some(({ outcome }) => outcome === "done");
		byId.set(orderId, { orderId, token, actor, key, told, placed: placedOf(own, life), cancelled, life, fact });
	};
	for (const { actor, order, key, token } of attempts.places) if (order) add(order.order_id, actor, key, token);
	const names = new Map([...on.actors.values()].map(({ keyId, name }) => [keyId, name]));
	for (const fact of factById.values()) add(fact.orderId, names.get(fact.keyId) ?? fact.keyId, fact.ref, fact.token);
	return { byId, commands, findings };
}

const isPossible = ({ outcome }: PlaceAttempt): boolean => outcome === "done" || outcome === "unknown";

function placedOf(own: readonly PlaceAttempt[], life: Life | null): When {
	if (life?.end.how === "placed") return life.end;
	const done = own.filter(({ outcome }) => outcome === "done").map(({ end }) => end);
	const latest = done.length > 0 ? Math.min(...done) : Math.max(0, ...own.map(({ end }) => end)) + SETTLES_WITHIN_MS;
	return { earliest: Math.min(latest, ...own.map(({ start }) => start)), latest };
}

/** `looked`: the tables were read, so an attempt without an answer happened exactly if they show it. */
function cancelledOf(
	orderId: string,
	partners: readonly NamedAttempt[],
	commands: readonly OrderCommand[],
	fact: OrderFact | null,
	looked: boolean,
	findings: Finding[],
): Cancellation | null {
	const operators = commands.filter(({ about }) => about.what === "cancel" && about.orders.includes(orderId));
	const tries = [
		...partners.filter(({ outcome }) => outcome === "done" || outcome === "unknown"),
		...operators.map(({ errand: { start, end }, done }) => ({ start, end, outcome: done ? "done" : "unknown" })),
	];
	const earliest = Math.min(...tries.map(({ start }) => start));
	const done = tries.filter(({ outcome }) => outcome === "done");
	if (done.length > 0) return { earliest, latest: Math.min(...done.map(({ end }) => end)), told: true };
	if (looked && fact?.status !== "cancelled") return null;
	if (tries.length === 0) {
		if (fact?.status !== "cancelled") return null;
		findings.push(
			finding(
				"doubled",
				`order ${orderId} is cancelled, but no request with an unknown outcome can have done this`,
				null,
				"orders",
			),
		);
		return { earliest: 0, latest: Number.POSITIVE_INFINITY, told: false };
	}
	const latest = looked ? Math.max(...tries.map(({ end }) => end)) + SETTLES_WITHIN_MS : Number.POSITIVE_INFINITY;
	return { earliest, latest, told: false };
}
