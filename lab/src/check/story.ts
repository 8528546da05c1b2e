/** Hand-written histories for tests of the checker. In them, the clocks of lab and database agree. */
import type { Errand, Exchange, FaultLine, Line } from "../history.ts";
import type { HoldFact, PartRow } from "../rooms/holds/look-up-sql.ts";
import { ROOMS } from "../rooms/rooms.ts";
import type { StockFacts } from "../rooms/stock/look-up-sql.ts";
import { WORLD, type World } from "../world.ts";
import { judge, openCase } from "./check.ts";
import type { Wrong } from "./findings.ts";

/** The world of the lab, with the codes of formulas as their ids. */
const STORY_WORLD: World = {
	...WORLD,
	formulas: WORLD.formulas.map((formula) => ({ ...formula, formulaId: formula.code })),
};

export type Span = readonly [start: number, end: number];
/** When the tables are read at the end of a story. */
export const AT_THE_END = 1_000_000;
const HALF_HOUR_MS = 1_800_000;

interface Told {
	readonly sku?: string;
	readonly qty?: number;
	readonly token: string;
	readonly ref?: string;
	readonly by?: string;
	readonly idempotent?: boolean;
	/** Absent: success. Null: no answer. */
	readonly status?: number | null;
	readonly lastsMs?: number;
}

export class Story {
	protected readonly lines: Line[] = [{ kind: "opening", seed: 0, commit: "none", world: STORY_WORLD }];
	readonly #facts: HoldFact[] = [];
	#tablesRead = false;

	constructor() {
		for (const { name, partner, brand, shared, cap } of STORY_WORLD.keys) {
			this.lines.push({ kind: "key", at: 0, name, partner, keyId: `id of ${name}`, brand, shared, cap });
		}
	}

	protected exchange(
		part: Pick<Exchange, "path" | "body" | "status" | "reply" | "key"> & Partial<Pick<Exchange, "method">>,
		[start, end]: Span,
		by: string,
		secret = 0,
	): this {
		const { path, status } = part;
		const method = path.startsWith("/api/v1/inventory") ? "GET" : "POST";
		const trouble = status === null ? "socket hang up" : null;
		const common = {
			kind: "exchange",
			op: path.slice("/api/v1/".length),
			node: "n1",
			group: 0,
			unsent: false,
		} as const;
		this.lines.push({ ...common, method, ...part, actor: by, secret, start, end, trouble });
		return this;
	}

	reserve(
		at: Span,
		{
			token,
			ref,
			sku = "LAST",
			qty = 1,
			by = "open-web",
			idempotent = false,
			status = 201,
			lastsMs = HALF_HOUR_MS,
		}: Told,
	): this {
		const body = { items: [{ sku, qty }], ...(ref === undefined ? {} : { external_ref: ref }) };
		const reply =
			status === 201
				? {
						data: {
							reservation_token: token,
							expires_at: new Date(at[1] + lastsMs).toISOString(),
							idempotent,
							items: [itemOf(sku, qty)],
						},
					}
				: { error: { code: status === 409 ? "no_inventory" : "internal_error" } };
		return this.exchange({ path: "/api/v1/reserve", body, status, reply }, at, by);
	}

	release(at: Span, token: string, status: number | null = 200, by = "open-web"): this {
		return this.exchange(
			{ path: "/api/v1/release", body: { reservation_token: token }, status, reply: { data: { ok: true } } },
			at,
			by,
		);
	}

	consume(
		at: Span,
		token: string,
		ref: string,
		{ units = 1, status = 200 as number | null, by = "open-web" } = {},
	): this {
		const reply = { data: { consumed_units: units, external_ref: ref, idempotent: false } };
		return this.exchange(
			{ path: "/api/v1/consume", body: { reservation_token: token, external_ref: ref }, status, reply },
			at,
			by,
		);
	}

	reverse(at: Span, ref: string, { units = 1, status = 200 as number | null, by = "open-web" } = {}): this {
		const reply = { data: { returned_units: units, idempotent: false } };
		return this.exchange({ path: "/api/v1/consume/reverse", body: { external_ref: ref }, status, reply }, at, by);
	}

	check(at: Span, sku: string, atp: number, { by = "open-web", secret = 0, status = 200, available = atp } = {}): this {
		const item = { sku, known: true, brand_code: null, available_qty: available, atp_qty: atp };
		return this.exchange(
			{ path: "/api/v1/check", body: { items: [{ sku, qty: 1 }] }, status, reply: { data: { items: [item] } } },
			at,
			by,
			secret,
		);
	}

	inventory(at: Span, sku: string, atp: number, brands: readonly (string | null)[], by = "open-web"): this {
		const data = { sku, by_brand: brands.map((brand) => ({ brand_code: brand, atp })), totals: { atp } };
		return this.exchange({ path: `/api/v1/inventory?sku=${sku}`, body: null, status: 200, reply: { data } }, at, by);
	}

	errand(
		[start, end]: Span,
		args: readonly string[],
		about: unknown,
		{ code = 0 as number | null, out = null as unknown } = {},
	): this {
		const line: Errand = { kind: "errand", op: args[1] ?? "", start, end, args, about, code, out, trouble: null };
		this.lines.push(line);
		return this;
	}

	fault(line: Omit<FaultLine, "kind" | "what">): this {
		this.lines.push({ kind: "fault", what: "a fault", ...line });
		return this;
	}

	/** A neighbour of the service recorded this. */
	recorded(room: string, note: unknown): this {
		this.lines.push({ kind: "record", room, at: AT_THE_END, note });
		return this;
	}

	/** The tables contain this hold, by default of one unit of LAST. */
	found(token: string, fact: Partial<HoldFact> = {}): this {
		this.#tablesRead = true;
		const units =
			fact.status === undefined || fact.status === "active" ? { reserve: 1 } : { reserve: 1, ...MOVED[fact.status] };
		this.#facts.push({
			token,
			keyId: "id of open-web",
			status: "active",
			ref: null,
			consumeRef: null,
			orderRef: null,
			createdAt: 0,
			endedAt: null,
			expiresAt: AT_THE_END + HALF_HOUR_MS,
			consumed: null,
			returned: null,
			lines: [
				{
					sku: "LAST",
					qty: 1,
				},
			],
			parts: [["LAST", null, 1]],
			rows: rowsOf(
				fact.lines ?? [
					{
						sku: "LAST",
						qty: 1,
					},
				],
			),
			moved: units,
			...fact,
		});
		return this;
	}

	/** The tables were read and contain no other holds. */
	nothingElse(): this {
		this.#tablesRead = true;
		return this;
	}

	keysFound(facts: readonly { name: string; keyId: string; revokeAt: number | null; secrets: number }[]): this {
		this.lines.push({ kind: "facts", room: "keys", at: AT_THE_END, until: AT_THE_END, facts });
		return this;
	}

	stockFound(batches: StockFacts["batches"], marks: StockFacts["marks"] = [], demand: StockFacts["demand"] = []): this {
		this.lines.push({
			kind: "facts",
			room: "stock",
			at: AT_THE_END,
			until: AT_THE_END,
			facts: { shelves: [], marks, batches, demand },
		});
		return this;
	}

	/** The facts of other rooms. */
	protected factsOfRooms(): Line[] {
		return [];
	}

	/** The kinds of the checker's findings, each once, in alphabetical order. */
	wrongs(): Wrong[] {
		const facts: Line = {
			kind: "facts",
			room: "holds",
			at: AT_THE_END,
			until: AT_THE_END,
			facts: { now: AT_THE_END, holds: this.#facts, lots: [], passed: [] },
		};
		const lines = [...this.lines, ...(this.#tablesRead ? [facts] : []), ...this.factsOfRooms()];
		const findings = judge(openCase(lines, ROOMS), ROOMS);
		return [...new Set(findings.map(({ wrong }) => wrong))].sort();
	}
}

const MOVED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
	released: { release: 1 },
	expired: { expire: 1 },
	consumed: { consume: 1 },
	reversed: { consume: 1, reverse: 1 },
};

/** Each formula has a single lot. */
const lotOf = (formula: string): string => `lot of ${formula}`;

const rowsOf = (lines: HoldFact["lines"]): PartRow[] =>
	lines.flatMap(({ sku, qty }, line) =>
		(STORY_WORLD.skus.find((known) => known.sku === sku)?.parts ?? []).map(
			({ formula, perKit }): PartRow => [line, formula, null, lotOf(formula), qty * perKit, "held"],
		),
	);

function itemOf(sku: string, qty: number) {
	const parts = STORY_WORLD.skus.find((known) => known.sku === sku)?.parts ?? [];
	const components = parts.map(({ formula, perKit }) => ({
		formula_id: formula,
		per_kit: perKit,
		fg_ids: [lotOf(formula)],
		requested_units: qty * perKit,
		reserved_units: qty * perKit,
		from_brand_pool: 0,
		from_shared_pool: qty * perKit,
	}));
	return { sku, brand_code: null, reserved_qty: qty, components };
}
