import type { Answer, Command } from "../../src/assembly/commands.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { resolveLines } from "../../src/inventory/catalog/resolve-lines.ts";
import type { Hold } from "../../src/inventory/holds/hold.ts";
import { answerCheck } from "../../src/inventory/stock/check.ts";
import { PureHouse } from "./pure-house.ts";
import { orderGrammar } from "./script-orders.ts";
import { addDays } from "./steps.ts";
import { type KeyName, makeTown, POOLS, type PoolName } from "./town.ts";

/*
 * Rules as tables: each line has an action, an arrow and the required result. A line without an arrow may have any
 * result; holds and lots get names by `name = …`. The town is that of the model: SKU `one` is 1 F0, `pair` 2 F1, `kit`
 * F0 + 2 F1.
 */

/**
 * Runs a script on the pure decisions and returns it with the actual results, for comparison with the script itself.
 */
export function play(script: string): string {
	const stage = new Stage();
	return linesOf(script)
		.map((line) => {
			const [event = "", then] = line.split(/\s*->\s*/);
			const came = stage.happen(event.trim());
			return then === undefined ? event.trim() : `${event.trim()} -> ${came}`;
		})
		.join("\n");
}

/** The script itself, in the form that `play` returns. */
export const asWritten = (script: string): string =>
	linesOf(script)
		.map((line) =>
			line
				.split(/\s*->\s*/)
				.map((part) => part.trim())
				.join(" -> "),
		)
		.join("\n");

const linesOf = (script: string): string[] =>
	script
		.split("\n")
		.map((line) => line.replace(/(^|\s)#.*$/, "").trim())
		.filter((line) => line !== "");

const origin = { actor: "operator:test", requestId: null };
type Words = readonly (string | undefined)[];

class Stage {
	readonly #town = makeTown("script");
	readonly #house = new PureHouse(this.#town);

	/** The possible lines: a pattern and its effect. */
	readonly #grammar: readonly (readonly [RegExp, (words: Words) => string])[] = [
		[/^(?:(\w+) = )?(\w+) reserves (.+?)(?: for (\d+) min)?(?: as (\S+))?$/, (w) => this.#reserve(w)],
		[
			/^(\w+) releases (\w+)$/,
			([key, hold]) => this.#tell({ kind: "release", origin, caller: this.#caller(key), token: this.#id(hold) }),
		],
		[
			/^(\w+) consumes (\w+) as (\S+)$/,
			([key, hold, ref = ""]) =>
				this.#tell({ kind: "consume", origin, caller: this.#caller(key), token: this.#id(hold), externalRef: ref }),
		],
		[
			/^(\w+) reverses (\S+)$/,
			([key, ref = ""]) => this.#tell({ kind: "reverse", origin, caller: this.#caller(key), externalRef: ref }),
		],
		[/^(\w+) is swept$/, ([hold]) => this.#tell({ kind: "expire", origin, token: this.#id(hold) })],
		[
			/^(?:(\w+) = )?(up to )?(\d+) (F\w) arrive in (\w+)(?: as batch (\w+))?(?:, good for (-?\d+) days?)?(, accepted)?$/,
			(w) => this.#receive(w),
		],
		[
			/^(quarantine|destroy|restore) (\d+|all) of (\w+)$/,
			([kind, units, lot]) =>
				this.#tell({
					kind: kind as "restore",
					origin,
					fgId: this.#id(lot),
					units: units === "all" ? "all" : Number(units),
					reason: "test",
					holders: [...this.#names].map(this.#id),
					rest: "free",
				}),
		],
		[
			/^recall (\w+)(?: and (\w+))?(?: from (nobody yet|\w+))?$/,
			([lot, second, from]) =>
				this.#tell({
					kind: "recall",
					origin,
					fgIds: [lot, ...(second === undefined ? [] : [second])].map(this.#id),
					reason: "test",
					holders: (from === undefined ? [...this.#names] : from === "nobody yet" ? [] : [from]).map(this.#id),
				}),
		],
		[
			/^correct (\w+) by (-?\d+)$/,
			([lot, units]) =>
				this.#tell({ kind: "correct", origin, fgId: this.#id(lot), units: Number(units), reason: "test" }),
		],
		[
			/^(\d+) (F\d) of (\w+) are promised$/,
			([units, formula, pool]) => {
				this.#house.pass({ do: "promise", formula: formula as "F0", pool: pool as PoolName, units: Number(units) });
				return "so be it";
			},
		],
		[/^(\d+) min pass$/, ([minutes]) => this.#pass({ do: "wait", minutes: Number(minutes) })],
		[/^(\d+) (\w+) of (\w+)(, then shared)? ship elsewhere$/, (w) => this.#shipElsewhere(w)],
		[/^(\d+) days? pass$/, ([days]) => this.#pass({ do: "sleep", days: Number(days) })],
		[/^midnight strikes$/, () => this.#pass({ do: "midnight" })],
		[
			/^a part of (\w+) lapses and the clock steps back$/,
			([hold]) => {
				this.#house.lapsePart(this.#id(hold));
				return "so be it";
			},
		],
		[/^(\w+) becomes an order$/, ([hold]) => this.#order(hold)],
		[/^(\w+) counts (\w+)(?:@(\w+))?$/, (w) => this.#check(w)],
		[/^(\w+) has$/, ([lot]) => this.#balance(lot)],
		[/^(\w+) holds$/, ([hold]) => this.#held(this.#house.holds.get(this.#id(hold)))],
		[/^(\w+) is$/, ([hold]) => this.#house.holds.get(this.#id(hold))?.status ?? "nothing"],
	];
	readonly #orders = orderGrammar({
		town: this.#town,
		house: this.#house,
		id: (name) => this.#id(name),
		nameOf: (id) => this.#nameOf(id),
		name: (name) => void this.#names.add(name),
	});

	happen(event: string): string {
		for (const [pattern, meaning] of [...this.#grammar, ...this.#orders]) {
			const found = pattern.exec(event);
			if (found) return meaning(found.slice(1));
		}
		throw new Error(`a script does not know: ${event}`);
	}

	#id = (name: string | undefined): string => this.#town.id(`named ${name}`);
	#nameOf(id: string): string {
		for (const name of this.#names) if (this.#id(name) === id) return name;
		return "?";
	}
	readonly #names = new Set<string>();
	#caller = (key: string | undefined) => this.#town.callers[key as KeyName];
	#pass(step: Parameters<PureHouse["pass"]>[0]): string {
		this.#house.pass(step);
		this.#house.open();
		return "so be it";
	}

	#tell(command: Command): string {
		return this.#say(this.#house.run(command).answer);
	}

	#reserve([name = "H", key, what = "", ttl, ref]: Words): string {
		const lines = what.split(" + ").map((line) => {
			const [, qty, sku, brandCode] = /^(\d+) (\w+)(?:@(\w+))?$/.exec(line) ?? [];
			return { sku: `script-${sku}`, qty: Number(qty), brandCode };
		});
		this.#names.add(name);
		return this.#tell({
			kind: "reserve",
			origin,
			caller: this.#caller(key),
			newToken: this.#id(name),
			lines,
			ttlMinutes: Number(ttl ?? 30),
			externalRef: ref ?? null,
		});
	}

	#receive([name = "L", upTo, units, formula, pool, batch, days, accepted]: Words): string {
		this.#names.add(name);
		return this.#tell({
			kind: "receive",
			origin,
			newFgId: this.#id(name),
			formulaId: this.#town.id(formula ?? ""),
			poolId: POOLS[pool as PoolName],
			batchNumber: batch ?? name,
			expiresOn: days === undefined ? null : addDays(this.#house.today, Number(days)),
			receivedOn: null,
			units: upTo ? { inAll: Number(units) } : Number(units),
			...(accepted === undefined ? {} : { acceptRecalled: true, reason: "tested" }),
		});
	}

	#shipElsewhere([units, formula, pool, shared]: Words): string {
		const pools = shared ? [POOLS[pool as PoolName], POOLS.shared] : [POOLS[pool as PoolName]];
		const wants = [{ formulaId: this.#town.id(formula ?? ""), units: Number(units), pools }];
		return this.#tell({ kind: "drawDown", origin, reference: "label:1", wants });
	}

	/** For scripts in which the order does not matter. */
	#order(hold: string | undefined): string {
		const came = this.happen(`Order = acme orders ${hold} as its-order`);
		return came.startsWith("Order has") ? "so be it" : came;
	}

	#check([key, sku, brand]: Words): string {
		const line = { sku: `script-${sku}`, qty: 1, ...(brand === undefined ? {} : { brand_code: brand }) };
		const snapshot = this.#house.snapshot();
		const caller = this.#caller(key);
		const answer = answerCheck(
			snapshot,
			caller,
			[line],
			resolveLines(snapshot.catalog, caller, [{ sku: line.sku, brandCode: brand }]),
		);
		if (isRefusal(answer)) return answer.refusal;
		const [item] = answer.items;
		if (!item?.known) return "unknown";
		if (!item.tracks_inventory) return "not counted";
		return `available ${item.available_qty}, atp ${item.atp_qty}, promised ${item.promised_qty}, backorder ${item.backorder_qty}`;
	}

	#balance(name: string | undefined): string {
		const lot = this.#house.lots.get(this.#id(name));
		if (!lot) return "nothing";
		const buckets = ["available", "held", "allocated", "consumed", "shipped", "quarantined", "destroyed"] as const;
		return buckets.flatMap((bucket) => (lot[bucket] === 0 ? [] : [`${lot[bucket]} ${bucket}`])).join(", ") || "nothing";
	}

	#held(hold: Pick<Hold, "parts"> | { readonly parts: readonly Hold["parts"][number][] } | undefined): string {
		const held = (hold?.parts ?? []).filter(({ state }) => state === "held");
		return held.map(({ units, fgId }) => `${units} of ${this.#nameOf(fgId)}`).join(", ") || "nothing";
	}

	#say(answer: Answer): string {
		if (isRefusal(answer)) return answer.refusal;
		const again = "idempotent" in answer && answer.idempotent ? ", again" : "";
		if ("hold" in answer) {
			const warned = answer.warnings.map((warning) => `, ${warning.replace("_", " ")}`).join("");
			return `${this.#nameOf(answer.hold.reservationToken)} holds ${this.#held(answer.hold)}${again}${warned}`;
		}
		if ("consumedUnits" in answer) return `${answer.consumedUnits} consumed${again}`;
		if ("returnedUnits" in answer) return `${answer.returnedUnits} returned${again}`;
		if ("expired" in answer) return answer.expired ? "expired" : "not expired";
		if ("received" in answer)
			return `${answer.received} received in all${answer.quarantined ? ", into quarantine" : ""}`;
		if ("ok" in answer) return "ok";
		if ("drawn" in answer) {
			const drawn = answer.drawn.map(({ units, fgId }) => `${units} of ${this.#nameOf(fgId)}`);
			const missing = answer.missing.filter((units) => units > 0).map((units) => `${units} missing`);
			return [...drawn, ...missing].join(", ");
		}
		if (!("moved" in answer)) return JSON.stringify(answer);
		const left = "left" in answer && answer.left > 0 ? `, ${answer.left} left` : "";
		return `${answer.moved} moved, ${answer.replaced} replaced, ${answer.lost} lost${left}`;
	}
}
