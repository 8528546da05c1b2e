import { OracleOrders, type Packed } from "./oracle-orders.ts";
import { type OracleHold, type OracleLot, OracleStock, type Unit } from "./oracle-stock.ts";
import { addDays, MS_PER_DAY, MS_PER_MINUTE, Names, type Step } from "./steps.ts";
import { KEYS, type KeyName, POOLS, RECIPES, type Town } from "./town.ts";

/*
 * A second implementation of the rules in settlements, sections 1, 4 and 5, as simple as possible. It shares no code
 * with the functions under test.
 */

interface Drawn {
	readonly brandCode: string | null;
	readonly pools: readonly number[];
}

/** Units wanted of a formula: one component of a line. */
interface Wanted {
	readonly line: number;
	readonly formula: string;
	readonly units: number;
	readonly pools: readonly number[];
}

const MINUTES_PER_DAY = 1440;

/** The required answer and effect of each step (settlements, section 5). */
export class Oracle extends OracleStock {
	readonly #names: Names;
	readonly orders: OracleOrders;

	constructor(town: Town, now: number) {
		super(town, now);
		this.#names = new Names(town);
		this.orders = new OracleOrders(this, this.#names);
	}

	/**
	 * Carries out one step and returns the required answer in the form of `plain`; undefined if the step has no answer.
	 * `packed`: the units packed into a box.
	 */
	live(step: Step, at: number, packed: Packed): unknown {
		const answer = this.#live(step, at, packed);
		this.#lapse();
		return answer;
	}

	#live(step: Step, at: number, packed: Packed): unknown {
		this.#lapse();
		switch (step.do) {
			case "wait":
				this.now += step.minutes * MS_PER_MINUTE;
				return undefined;
			case "sleep":
				this.now += step.days * MS_PER_DAY;
				this.today = addDays(this.today, step.days);
				return undefined;
			case "midnight":
				this.now += MS_PER_DAY;
				this.today = addDays(this.today, 1);
				for (const hold of this.holds) {
					hold.made += MS_PER_DAY;
					hold.ends += MS_PER_DAY;
					if (hold.until !== null) hold.until = addDays(hold.until, 1);
				}
				return undefined;
			case "promise":
				this.promises.set(`${step.formula} ${POOLS[step.pool]}`, step.units);
				return undefined;
			case "reserve": {
				const token = this.town.id(`hold ${at}`);
				this.#names.tokens.push(token);
				return this.#reserve(step, token);
			}
			case "release":
				return this.#release(step.key, this.#names.token(step.hold));
			case "consume":
				return this.#consume(step.key, this.#names.token(step.hold), step.ref);
			case "reverse":
				return this.#reverse(step.key, step.ref);
			case "expire":
				return { expired: this.find(this.#names.token(step.hold))?.state === "expired" };
			case "receive":
				return this.#receive(step, at);
			case "correct":
				return this.#correct(this.#names.lot(step.lot), step.units);
			case "restore":
				return this.#restore(this.#names.lot(step.lot), step.units);
			case "quarantine":
			case "destroy":
				return this.#takeOut(step.do, this.#names.lot(step.lot), step.units);
			default:
				return this.orders.live(step, at, packed);
		}
	}

	#lapse(): void {
		for (const hold of this.holds) {
			if (hold.state !== "active" || hold.ends > this.now) continue;
			hold.state = "expired";
			for (const unit of this.of(hold, "held")) this.free(unit);
		}
	}

	/**
	 * The pools that a key may draw from when it names this brand, or the refusal. `unknown`: there is no such brand.
	 */
	draw(key: KeyName, brand: string | undefined): Drawn | "brand_mismatch" | "invalid_input" | "unknown" {
		const { brand: own, shared } = KEYS[key];
		const also = shared ? [POOLS.shared] : [];
		if (own !== null)
			return brand === undefined || brand === own ? { brandCode: own, pools: [POOLS[own], ...also] } : "brand_mismatch";
		if (brand === undefined) return shared ? { brandCode: null, pools: [POOLS.shared] } : "invalid_input";
		if (brand === "SANDBOX") return "brand_mismatch";
		if (brand === "ACME" || brand === "BOLT") return { brandCode: brand, pools: [POOLS[brand], ...also] };
		return "unknown";
	}

	#reserve({ key, lines, ttl, ref }: Extract<Step, { do: "reserve" }>, token: string): unknown {
		const draws = lines.map(({ brand }) => this.draw(key, brand));
		if (draws.includes("brand_mismatch")) return "brand_mismatch";
		if (draws.includes("invalid_input")) return "invalid_input";
		const earlier = this.holds.find(
			(hold) => hold.key === key && ref !== null && hold.ref === ref && hold.state === "active",
		);
		if (earlier) {
			this.repick(earlier);
			const differ =
				lines.length !== earlier.lines.length ||
				lines.some(({ sku, qty, brand }, i) => {
					const held = earlier.lines[i];
					const draw = draws[i];
					const asked = typeof draw === "object" ? draw.brandCode : brand;
					return held?.sku !== sku || held.qty !== qty || held.brandCode !== asked;
				});
			const warnings = [
				...(differ ? ["items_differ"] : []),
				...(earlier.ends - earlier.made === ttl * MS_PER_MINUTE ? [] : ["ttl_differs"]),
				...(this.lacking(earlier).length > 0 ? ["impaired"] : []),
			];
			return this.#picture(earlier, true, warnings);
		}
		if (draws.includes("unknown") || lines.some(({ sku }) => !this.sellable(sku))) return "invalid_item";
		const wants = lines.flatMap(({ sku, qty }, line): Wanted[] =>
			(RECIPES[sku] ?? []).map(([formula, per]) => ({
				line,
				formula,
				units: qty * per,
				pools: (draws[line] as Drawn).pools,
			})),
		);
		const { cap } = KEYS[key];
		const asked = wants.reduce((sum, { units }) => sum + units, 0);
		if (cap !== null && asked > cap) return "invalid_input";
		if (cap !== null && this.#heldBy(key) + asked > cap) return "rate_limited";
		const ends = this.now + ttl * MS_PER_MINUTE;
		const hold: OracleHold = {
			token,
			key,
			ref,
			lines: lines.map((line, i) => ({ ...line, ...(draws[i] as Drawn) })),
			made: this.now,
			ends,
			until: ttl > MINUTES_PER_DAY ? new Date(ends).toISOString().slice(0, 10) : null,
			state: "active",
			consumeRef: null,
			consumed: 0,
			returned: 0,
			lost: [],
		};
		if (!this.#grant(hold, wants)) return "no_inventory";
		this.holds.push(hold);
		return this.#picture(hold, false, []);
	}

	/** All or nothing: units picked for a hold that is still short are returned. */
	#grant(hold: OracleHold, wants: readonly Wanted[]): boolean {
		for (const { line, formula, units, pools } of wants) {
			const free = this.pickable(formula, pools, hold.until);
			if (units > free.length - this.promised(formula, pools)) {
				for (const unit of this.of(hold, "held")) this.free(unit);
				return false;
			}
			for (const unit of free.slice(0, units)) this.bind(unit, hold, line);
		}
		return true;
	}

	#heldBy(key: KeyName): number {
		return this.units.filter(({ place, hold }) => place === "held" && hold?.key === key).length;
	}
	find = (token: string): OracleHold | undefined => this.holds.find((hold) => hold.token === token);

	#release(key: KeyName, token: string): unknown {
		const hold = this.find(token);
		if (hold?.key !== key) return "not_found";
		if (hold.state === "released") return { ok: true, idempotent: true };
		if (hold.state !== "active") return "gone";
		hold.state = "released";
		for (const unit of this.of(hold, "held")) this.free(unit);
		return { ok: true, idempotent: false };
	}

	#consume(key: KeyName, token: string, ref: string): unknown {
		const hold = this.find(token);
		if (hold?.key !== key) return "not_found";
		if (hold.state === "consumed" && hold.consumeRef === ref) return { consumedUnits: hold.consumed, idempotent: true };
		if (hold.state !== "active") return "wrong_state";
		this.repick(hold);
		const held = this.of(hold, "held");
		if (this.lacking(hold).length > 0) return "wrong_state";
		if (this.holds.some((other) => other.key === key && other.consumeRef === ref)) return "invalid_input";
		for (const unit of held) unit.place = "consumed";
		Object.assign(hold, { state: "consumed", consumeRef: ref, consumed: held.length });
		return { consumedUnits: held.length, idempotent: false };
	}

	#reverse(key: KeyName, ref: string): unknown {
		const hold = this.holds.find((other) => other.key === key && other.consumeRef === ref);
		if (!hold) {
			const reserved = this.holds.filter((other) => other.key === key && other.ref === ref);
			if (reserved.some(({ state }) => state === "placed")) return "not_reversible";
			return reserved.length > 0 ? "not_consumed" : "not_found";
		}
		const idempotent = hold.state === "reversed";
		if (!idempotent) {
			const consumed = this.of(hold, "consumed");
			hold.returned = consumed.length;
			for (const unit of consumed) this.free(unit);
			hold.state = "reversed";
		}
		return { returnedUnits: hold.returned, idempotent };
	}

	#receive(step: Extract<Step, { do: "receive" }>, at: number): unknown {
		const id = this.town.id(`lot ${at}`);
		this.#names.lots.push(id);
		const { formula, batch, goodFor, units } = step;
		const pool = POOLS[step.pool];
		const expires = goodFor === null ? null : addDays(this.today, goodFor);
		let lot = this.lots.find((known) => known.formula === formula && known.pool === pool && known.batch === batch);
		if (lot && lot.expires !== expires) return "invalid_input";
		if (!lot) {
			lot = { id, formula, pool, batch, expires, received: this.today, receivedUnits: 0, correctedUnits: 0 };
			this.lots.push(lot);
		}
		lot.receivedUnits += units;
		this.add(lot, units);
		return { fgId: lot.id, received: lot.receivedUnits, quarantined: false };
	}
	#correct(fgId: string, units: number): unknown {
		const lot = this.lots.find(({ id }) => id === fgId);
		if (!lot) return "not_found";
		const free = this.at(lot, "free");
		if (-units > free.length) return "invalid_input";
		lot.correctedUnits += units;
		if (units > 0) this.add(lot, units);
		else {
			const gone = new Set(free.slice(0, -units));
			this.units = this.units.filter((unit) => !gone.has(unit));
		}
		return { fgId, moved: Math.abs(units), replaced: 0, lost: 0, quarantined: false };
	}

	#restore(fgId: string, wanted: number | "all"): unknown {
		const lot = this.lots.find(({ id }) => id === fgId);
		if (!lot) return "not_found";
		const quarantined = this.at(lot, "quarantined");
		const units = wanted === "all" ? quarantined.length : wanted;
		if (units > quarantined.length) return "invalid_input";
		const restored = quarantined.slice(0, units);
		const healed = new Set<OracleHold>();
		let givenBack = 0;
		for (const { hold, line } of this.#waitingFor(lot)) {
			const unit = restored[givenBack];
			if (!unit) break;
			this.bind(unit, hold, line);
			healed.add(hold);
			givenBack++;
		}
		for (const unit of restored.slice(givenBack)) unit.place = "free";
		for (const hold of healed) this.orders.recalled(hold);
		return { fgId, moved: units, replaced: 0, lost: 0, givenBack, recallEnded: false, left: 0 };
	}

	/**
	 * The holds and orders that lost units of a lot, still lack units, and could use this lot: an entry for each unit,
	 * orders before holds, the oldest first.
	 */
	#waitingFor(lot: OracleLot): { hold: OracleHold; line: number }[] {
		const waits = (hold: OracleHold): boolean =>
			hold.state === "placed"
				? this.orders.isOpen(hold) && this.good(lot)
				: hold.state === "active" && this.good(lot, hold.until);
		return this.inTurn(this.holds.filter(waits)).flatMap((hold) =>
			this.lacking(hold)
				.filter(({ formula }) => formula === lot.formula)
				.flatMap(({ line, units }) => {
					const lost = hold.lost.filter((one) => one.lot === lot && one.line === line).length;
					return Array.from({ length: Math.min(units, lost) }, () => ({ hold, line }));
				}),
		);
	}

	#takeOut(kind: "quarantine" | "destroy", fgId: string, wanted: number | "all"): unknown {
		const lot = this.lots.find(({ id }) => id === fgId);
		if (!lot) return "not_found";
		// holds before orders, the youngest first; within a hold, the last line first
		const youngestFirst = [...this.at(lot, "held"), ...this.at(lot, "allocated")].sort((a, b) => {
			const [x, y] = [a.hold as OracleHold, b.hold as OracleHold];
			if (x === y) return (b.line ?? 0) - (a.line ?? 0);
			if (a.place !== b.place) return a.place === "held" ? -1 : 1;
			return y.made - x.made || (x.token < y.token ? 1 : -1);
		});
		const quarantined = kind === "destroy" ? this.at(lot, "quarantined") : [];
		const inOrder = [...quarantined, ...this.at(lot, "free"), ...youngestFirst];
		const moved = wanted === "all" ? inOrder.length : wanted;
		if (moved > inOrder.length) return "invalid_input";
		const hurt = new Map<OracleHold, Unit[]>();
		for (const unit of inOrder.slice(0, moved)) {
			const { hold, line = 0, place } = unit;
			Object.assign(unit, { place: kind === "destroy" ? "destroyed" : "quarantined", hold: undefined });
			if ((place !== "held" && place !== "allocated") || !hold) continue;
			hold.lost.push({ lot, line });
			hurt.set(hold, [...(hurt.get(hold) ?? []), unit]);
		}
		const replaced = this.replace(hurt);
		const taken = [...hurt.values()].flat().length;
		for (const hold of hurt.keys()) this.orders.recalled(hold);
		return { fgId, moved, replaced, lost: taken - replaced, left: 0 };
	}

	/** The hold in the form of a reserve's answer. */
	#picture(hold: OracleHold, idempotent: boolean, warnings: readonly string[]): unknown {
		const held = this.of(hold, "held");
		const items = hold.lines.map(({ sku, qty, brandCode }, line) => {
			const components = (RECIPES[sku] ?? []).map(([formula, per_kit]) => {
				const units = held.filter((unit) => unit.line === line && unit.lot.formula === formula);
				const shared = units.filter(({ lot }) => lot.pool === POOLS.shared).length;
				return {
					formula_id: this.town.id(formula),
					per_kit,
					requested_units: idempotent ? null : qty * per_kit,
					reserved_units: units.length,
					from_brand_pool: units.length - shared,
					from_shared_pool: shared,
					fg_ids: [...new Set(units.map(({ lot }) => lot.id))],
				};
			});
			return {
				brand_code: brandCode,
				reserved_qty: Math.min(...components.map((c) => Math.floor(c.reserved_units / c.per_kit))),
				from_brand_pool: components.reduce((sum, c) => sum + c.from_brand_pool, 0),
				from_shared_pool: components.reduce((sum, c) => sum + c.from_shared_pool, 0),
				fg_ids: [...new Set(components.flatMap((c) => c.fg_ids))],
				components,
			};
		});
		return {
			token: hold.token,
			minutes: Math.round((hold.ends - this.now) / MS_PER_MINUTE),
			idempotent,
			warnings,
			items,
		};
	}
}
