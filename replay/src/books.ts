import type { Counts, HoldAnswer } from "./answers.ts";
import type { OrderShare } from "./order-shares.ts";

/**
 * The bookkeeper. It is given only the initial stock and the service's answers, and computes from them what every count
 * must be. It shares no code with the service, so that both agree only if both are right.
 */

/** A pool: a brand's code, or null for the shared stock. */
export type Pool = string | null;

/** The recipe of a SKU, by the service's formula ids. */
export type Recipe = readonly { readonly formulaId: string; readonly perKit: number }[];

interface Account {
	/** Units in date on the shelf, including held ones. */
	onHand: number;
	promised: number;
	/** Units bound to orders and still on the shelf. */
	ordered: number;
	/** Open holds with units from here. */
	readonly holds: Set<Hold>;
}

type HoldState = "open" | "released" | "consumed" | "reversed" | "expired" | "placed";

interface Hold {
	readonly expiresAt: number;
	state: HoldState;
	taken: readonly { readonly account: Account; readonly units: number }[];
	/** The shares of an order, as last reported. */
	shares: readonly OrderShare[];
}

/** The units of one formula over the requested pools. */
interface Position {
	onHand: number;
	reserved: number;
}

export class Books {
	/** By formula and pool. */
	readonly #accounts = new Map<string, Map<Pool, Account>>();
	readonly #holds = new Map<string, Hold>();

	/** Books units received, in date. */
	received(formulaId: string, pool: Pool, units: number): void {
		this.#account(formulaId, pool).onHand += units;
	}

	/** Books units promised to others, which nobody may reserve. */
	promised(formulaId: string, pool: Pool, units: number): void {
		this.#account(formulaId, pool).promised += units;
	}

	/** Books a reserve that was answered 201. The same token again is the same hold. */
	granted(hold: HoldAnswer): void {
		if (this.#holds.has(hold.reservation_token)) return;
		const taken = this.#takenOf(hold.items);
		const entry: Hold = { expiresAt: Date.parse(hold.expires_at), state: "open", taken, shares: [] };
		for (const { account } of entry.taken) account.holds.add(entry);
		this.#holds.set(hold.reservation_token, entry);
	}

	/** Books a hold that was read back: a recall may have moved its units to other pools, or taken some. */
	readBack(token: string, items: HoldAnswer["items"]): void {
		const hold = this.#hold(token);
		if (hold.state !== "open" && hold.state !== "consumed") return;
		if (hold.state === "open") for (const { account } of hold.taken) account.holds.delete(hold);
		else this.#move(token, 1);
		hold.taken = this.#takenOf(items);
		if (hold.state === "open") for (const { account } of hold.taken) account.holds.add(hold);
		else this.#move(token, -1);
	}

	/**
	 * Books a hold that became an order, or a later state of its order: units waiting on the shelf, and units shipped.
	 */
	ordered(token: string, shares: readonly OrderShare[]): void {
		const hold = this.#hold(token);
		this.#close(token, "placed");
		this.#book(hold.shares, -1);
		hold.shares = shares;
		this.#book(shares, 1);
	}

	/** Books units that were taken out of sale. */
	quarantined(formulaId: string, pool: Pool, units: number): void {
		this.#account(formulaId, pool).onHand -= units;
	}

	/** Tokens of the holds that are open at a time (epoch ms). */
	openTokens(time: number): string[] {
		return [...this.#holds].filter(([, hold]) => holdsAt(hold, time)).map(([token]) => token);
	}

	knows(token: string): boolean {
		return this.#holds.has(token);
	}

	/** Units of the hold. */
	unitsOf(token: string): number {
		return this.#hold(token).taken.reduce((sum, { units }) => sum + units, 0);
	}

	expiresAt(token: string): number {
		return this.#hold(token).expiresAt;
	}

	/** Books a release, or an answer that the hold has expired. */
	ended(token: string, how: "released" | "expired"): void {
		this.#close(token, how);
	}

	/** Books a consume that was answered 200: the units left the warehouse. */
	consumed(token: string): void {
		if (this.#close(token, "consumed")) this.#move(token, -1);
	}

	/** Books a reverse that was answered 200: the units are back. */
	reversed(token: string): void {
		const hold = this.#hold(token);
		if (hold.state !== "consumed") return;
		hold.state = "reversed";
		this.#move(token, 1);
	}

	/** The number of holds that are open at a time (epoch ms). */
	openAt(time: number): number {
		return [...this.#holds.values()].filter((hold) => holdsAt(hold, time)).length;
	}

	/**
	 * Whether a hold with one of these formulas expires between two times: a count read in between may include it or
	 * not.
	 */
	changesBetween(recipe: Recipe, pools: readonly Pool[], from: number, to: number): boolean {
		return this.#of(recipe, pools).some((account) =>
			[...account.holds].some((hold) => hold.state === "open" && hold.expiresAt >= from && hold.expiresAt <= to),
		);
	}

	/** What `GET /inventory` must answer for a SKU over these pools together, at a time (settlements, section 4). */
	expected(recipe: Recipe, pools: readonly Pool[], time: number): Counts {
		const parts = recipe.map((part) => ({ ...this.position(part.formulaId, pools, time), perKit: part.perKit }));
		const kits = (units: (part: Position) => number) => Math.min(...parts.map((p) => Math.floor(units(p) / p.perKit)));
		const on_hand = kits((part) => part.onHand);
		const atp = kits((part) => Math.max(0, part.onHand - part.reserved));
		const [only] = parts;
		const plain = parts.length === 1 && only?.perKit === 1;
		return { on_hand, reserved: plain ? only.reserved : on_hand - atp, atp };
	}

	/** The same in units of one formula. */
	position(formulaId: string, pools: readonly Pool[], time: number): Position {
		const position: Position = { onHand: 0, reserved: 0 };
		for (const pool of pools) {
			const account = this.#account(formulaId, pool);
			position.onHand += account.onHand;
			position.reserved += account.promised + account.ordered;
			for (const hold of account.holds) {
				if (!holdsAt(hold, time)) continue;
				for (const taken of hold.taken) if (taken.account === account) position.reserved += taken.units;
			}
		}
		return position;
	}

	/** Returns false if the hold was already closed: the same answer again changes nothing. */
	#close(token: string, state: HoldState): boolean {
		const hold = this.#hold(token);
		if (hold.state !== "open") return false;
		hold.state = state;
		for (const { account } of hold.taken) account.holds.delete(hold);
		return true;
	}

	#takenOf(items: HoldAnswer["items"]): Hold["taken"] {
		const taken: { account: Account; units: number }[] = [];
		const take = (formulaId: string, pool: Pool, units: number): void => {
			if (units > 0) taken.push({ account: this.#account(formulaId, pool), units });
		};
		for (const { brand_code, components } of items) {
			for (const { formula_id, from_brand_pool, from_shared_pool } of components) {
				take(formula_id, brand_code, from_brand_pool);
				take(formula_id, null, from_shared_pool);
			}
		}
		return taken;
	}

	#book(shares: readonly OrderShare[], sign: 1 | -1): void {
		for (const { formulaId, pool, waiting, shipped } of shares) {
			const account = this.#account(formulaId, pool);
			account.ordered += sign * waiting;
			account.onHand -= sign * shipped;
		}
	}

	#move(token: string, sign: 1 | -1): void {
		for (const { account, units } of this.#hold(token).taken) account.onHand += sign * units;
	}

	#of(recipe: Recipe, pools: readonly Pool[]): Account[] {
		return recipe.flatMap((part) => pools.map((pool) => this.#account(part.formulaId, pool)));
	}

	#account(formulaId: string, pool: Pool): Account {
		let pools = this.#accounts.get(formulaId);
		if (pools === undefined) {
			pools = new Map();
			this.#accounts.set(formulaId, pools);
		}
		let account = pools.get(pool);
		if (account === undefined) {
			account = { onHand: 0, promised: 0, ordered: 0, holds: new Set() };
			pools.set(pool, account);
		}
		return account;
	}

	#hold(token: string): Hold {
		const hold = this.#holds.get(token);
		if (hold === undefined) throw new Error(`the books have no hold ${token}`);
		return hold;
	}
}

const holdsAt = (hold: Hold, time: number): boolean => hold.state === "open" && hold.expiresAt > time;
