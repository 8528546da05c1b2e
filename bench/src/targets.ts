/**
 * The targets of the bench. Each ratio is the median of the ratios within a round, so that a slow moment of the machine
 * affects both sides.
 */
import { cellId, type Spread, type Target, type WorldName } from "./cells.ts";
import { median, type Results, type Sample } from "./results.ts";

export interface Verdict {
	readonly what: string;
	/** NaN: not measured in this run. */
	readonly ratio: number;
	readonly atLeast?: number;
	readonly atMost?: number;
	readonly met: boolean;
}

/** Without either: shown for comparison. */
type Limit = { readonly atLeast?: number; readonly atMost?: number };
/** A figure of one round; NaN if not measured. */
type Value = (round: number) => number;

/** Many connections, as the targets name them. */
const MANY = [64, 256] as const;

export function judge(results: Results): Verdict[] {
	const read = new Reader(results);
	return [
		...gateVerdicts(read),
		...rivalVerdicts(read),
		...growthVerdicts(read),
		...orderVerdicts(read),
		...otherVerdicts(read),
		...sendingVerdicts(read),
	];
}

/** Against the gate alone, and hot against spread, on an empty and on a full database. */
function gateVerdicts(read: Reader): Verdict[] {
	return MANY.flatMap((connections) =>
		(["fresh", "full"] as const).flatMap((world) => {
			const at = `${connections} connections, ${world}`;
			const spread = read.reserve(world, "service", "spread", connections);
			const hot = read.reserve(world, "service", "hot", connections);
			const ceiling = read.reserve("fresh", "gate", "spread", connections);
			return [
				read.verdict(`reserve spread / gate alone, ${at}`, spread, ceiling, { atLeast: 0.4 }),
				read.verdict(`reserve hot / spread, ${at}`, hot, spread, { atLeast: 0.9 }),
			];
		}),
	);
}

/** Against the alternatives, each at its best number of connections. */
function rivalVerdicts(read: Reader): Verdict[] {
	const [spread, hot] = [read.best("service", "spread"), read.best("service", "hot")];
	const plain = "reserve / one transaction per request";
	const script = "reserve / database alone, a script";
	const call = "reserve / database alone, one call";
	return [
		read.verdict(`${plain}, spread`, spread, read.best("plain", "spread"), { atLeast: 4 }),
		read.verdict(`${plain}, hot`, hot, read.best("plain", "hot"), { atLeast: 12 }),
		read.verdict(`${script}, spread`, spread, read.reserve("fresh", "script", "spread", 0), { atLeast: 1.2 }),
		read.verdict(`${script}, hot`, hot, read.reserve("fresh", "script", "hot", 0), { atLeast: 6 }),
		read.verdict(`${call}, spread`, spread, read.reserve("fresh", "call", "spread", 0), {}),
		read.verdict(`${call}, hot`, hot, read.reserve("fresh", "call", "hot", 0), {}),
	];
}

function growthVerdicts(read: Reader): Verdict[] {
	return MANY.flatMap((connections) =>
		(["spread", "hot"] as const).map((spread) =>
			read.verdict(
				`reserve ${spread}, full / fresh, ${connections} connections`,
				read.reserve("full", "service", spread, connections),
				read.reserve("fresh", "service", spread, connections),
				{ atLeast: 0.8 },
			),
		),
	);
}

function orderVerdicts(read: Reader): Verdict[] {
	const place = read.rate("orders/service/place/64");
	const [first, middle] = ["orders/service/shipments/4", "orders/service/shipments-middle/4"].map((id) =>
		read.latency(id),
	);
	return [
		read.verdict("place an order / gate alone, 64 connections", place, read.rate("orders/gate/place/64"), {
			atLeast: 0.4,
		}),
		read.verdict("place an order / one transaction per request", place, read.rate("orders/plain/place/64"), {
			atLeast: 8,
		}),
		read.verdict("shipments, the middle page's latency / the first's", middle!, first!, { atMost: 3 }),
	];
}

function otherVerdicts(read: Reader): Verdict[] {
	return [
		read.verdict(
			"check of 10 SKUs / gate alone",
			read.rate("fresh/service/check/64"),
			read.rate("fresh/gate/check/64"),
			{ atLeast: 0.5 },
		),
		read.verdict(
			"summary of 1,000 formulas, in two pages / gate alone",
			read.rate("fresh/service/summary/8"),
			read.rate("fresh/gate/summary/8"),
			{},
		),
		read.verdict(
			"lone reserve's median latency / one transaction's",
			read.latency("fresh/service/reserve/spread/1"),
			read.latency("fresh/plain/reserve/spread/1"),
			{ atMost: 1.2 },
		),
		read.verdict(
			"cold start / initdb and start alone",
			read.start(({ coldMs }) => coldMs),
			read.start(({ bareInitdbMs, bareStartMs }) => bareInitdbMs + bareStartMs),
			{ atMost: 3 },
		),
	];
}

function sendingVerdicts(read: Reader): Verdict[] {
	const [events, bare] = [read.sending((one) => one.eventsPerSecond), read.sending((one) => one.barePerSecond)];
	const [beside, alone] = [read.sending((one) => one.reservesBeside), read.sending((one) => one.reservesAlone)];
	return [
		read.verdict("events delivered / posts by undici alone", events, bare, { atLeast: 0.3 }),
		read.verdict("reserves beside 1,000 deliveries a second / without", beside, alone, { atLeast: 0.8 }),
	];
}

/** Figures of single rounds. */
class Reader {
	readonly #results: Results;
	readonly #rounds: number;

	constructor(results: Results) {
		this.#results = results;
		const counts = [...results.samples.values()].map((samples) => samples.length);
		this.#rounds = Math.max(0, results.starts.length, results.sending.length, ...counts);
	}

	rate(id: string): Value {
		return this.#of(id, ({ answered, seconds }) => answered / seconds);
	}

	latency(id: string): Value {
		return this.#of(id, ({ p50Ms }) => p50Ms);
	}

	start(of: (starts: Results["starts"][number]) => number): Value {
		return (round) => {
			const starts = this.#results.starts[round];
			return starts === undefined ? Number.NaN : of(starts);
		};
	}

	sending(of: (sending: Results["sending"][number]) => number): Value {
		return (round) => {
			const sending = this.#results.sending[round];
			return sending === undefined ? Number.NaN : of(sending);
		};
	}

	reserve(world: WorldName, target: Target, spread: Spread, connections: number): Value {
		return this.rate(cellId(world, target, "reserve", spread, connections));
	}

	/** The higher of the rates at many connections, on the fresh world. */
	best(target: Target, spread: Spread): Value {
		const values = MANY.map((connections) => this.reserve("fresh", target, spread, connections));
		return (round) => Math.max(...values.map((value) => value(round)));
	}

	verdict(what: string, above: Value, below: Value, limit: Limit): Verdict {
		const ratios = Array.from({ length: this.#rounds }, (_, round) => above(round) / below(round));
		const ratio = median(ratios.filter((one) => !Number.isNaN(one)));
		const met = ratio >= (limit.atLeast ?? 0) && ratio <= (limit.atMost ?? Number.POSITIVE_INFINITY);
		return { what, ratio, ...limit, met };
	}

	#of(id: string, of: (sample: Sample) => number): Value {
		return (round) => {
			const sample = this.#results.samples.get(id)?.[round];
			return sample === undefined ? Number.NaN : of(sample);
		};
	}
}
