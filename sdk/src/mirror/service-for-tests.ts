import { hash } from "node:crypto";
import type { Random } from "../../../service/test/contract/random.ts";
import type { TestTime } from "./time-for-tests.ts";
import type { Row, Status, Stock, Truth } from "./truth-for-tests.ts";

/** How the service, or a proxy in front of it, answers for some time. */
export const FAULTS = [
	"none",
	"unauthorized",
	"forbidden",
	"refusedByProxy",
	"errors",
	"badGateway",
	"silence",
	"cut",
	"reset",
	"wrongShapes",
	"tooMany",
	"mixed",
	"newFields",
	"skewed",
] as const;
export type Fault = (typeof FAULTS)[number];
/** Faults with which every answer is still right. */
export const KIND: ReadonlySet<Fault> = new Set(["none", "newFields", "skewed"]);
const UNKIND = FAULTS.filter((fault) => !KIND.has(fault) && fault !== "mixed");

export interface Asked {
	readonly path: string;
	readonly query: URLSearchParams;
	readonly etag: string | undefined;
}

export interface Answer {
	readonly kind: "whole" | "cut" | "silence" | "reset";
	readonly status: number;
	readonly headers: Record<string, string>;
	readonly body: string;
}

const PRODUCTS = "/api/v1/products";
const WINDOW_MS = 60_000;
const LIMIT = 60;
const PAGE = 12;
const HOUR_MS = 3_600_000;
const JSON_TYPE = { "Content-Type": "application/json" };
const HTML = { headers: { "Content-Type": "text/html" }, body: "<h1>No</h1>" };

/** The answers of a service that goes wrong in many ways. */
export class HostileService {
	fault: Fault = "none";
	/** When a list was last read correctly from its first page to its last. */
	readonly readings: Record<"inventory" | "coa", { readonly from: number; readonly to: number }> = {
		inventory: { from: 0, to: 0 },
		coa: { from: 0, to: 0 },
	};
	#firstPageAt = 0;
	/** Counts what was answered, by status. */
	readonly answered = new Map<number, number>();
	readonly #time: TestTime;
	readonly #random: Random;
	readonly #truth: Truth;
	/** Cursors of another epoch are refused. */
	#epoch = 0;
	#accepted: number[] = [];

	constructor(time: TestTime, random: Random, truth: Truth) {
		this.#time = time;
		this.#random = random;
		this.#truth = truth;
	}

	refuseCursors(): void {
		this.#epoch++;
	}

	answer(asked: Asked): Answer {
		const answer = this.#answer(asked, this.fault === "mixed" ? this.#random.pick(["none", ...UNKIND]) : this.fault);
		this.answered.set(answer.status, (this.answered.get(answer.status) ?? 0) + 1);
		return answer;
	}

	#answer(asked: Asked, fault: Fault): Answer {
		if (fault === "silence" || fault === "reset") return { kind: fault, status: 0, headers: {}, body: "" };
		if (fault === "unauthorized") return refusal(401, "unauthorized");
		if (fault === "forbidden") return refusal(403, "forbidden");
		if (fault === "refusedByProxy") return { kind: "whole", status: this.#random.pick([401, 403]), ...HTML };
		if (fault === "badGateway") return { kind: "whole", status: 502, ...HTML };
		const limit = this.#take();
		if (limit.retryAfterS !== null || fault === "tooMany") {
			const retryAfterS = limit.retryAfterS ?? this.#random.between(1, 90);
			return refusal(429, "rate_limited", { ...limit.headers, "Retry-After": `${retryAfterS}` });
		}
		if (fault === "errors") return refusal(500, "internal_error", limit.headers);
		const { ends, ...right } = this.#right(asked, fault === "newFields");
		const headers = { ...right.headers, ...limit.headers };
		if (fault === "wrongShapes") {
			return { ...right, status: 200, headers, body: this.#wrong(right.body, headers) };
		}
		if (fault === "cut" && right.body !== "") return { ...right, kind: "cut", headers };
		const { now } = this.#time;
		if (asked.path === PRODUCTS && !asked.query.has("cursor")) this.#firstPageAt = now;
		// a copy that follows the feed is as of the last page
		if (ends !== undefined) this.readings[ends] = { from: ends === "coa" ? now : this.#firstPageAt, to: now };
		if (fault === "skewed") headers.Date = new Date(this.#saidNow()).toUTCString();
		return { ...right, headers };
	}

	/** The rate of the contract: 60 in any 60 seconds. */
	#take(): { readonly headers: Record<string, string>; readonly retryAfterS: number | null } {
		this.#accepted = this.#accepted.filter((at) => at > this.#time.now - WINDOW_MS);
		const isOver = this.#accepted.length >= LIMIT;
		if (!isOver) this.#accepted.push(this.#time.now);
		const oldest = this.#accepted[0] ?? this.#time.now;
		const resetS = Math.max(1, Math.ceil((oldest + WINDOW_MS - this.#time.now) / 1000));
		const headers = {
			"RateLimit-Policy": '"key";q=60;w=60',
			RateLimit: `"key";r=${LIMIT - this.#accepted.length};t=${resetS}`,
		};
		return { headers, retryAfterS: isOver ? resetS : null };
	}

	/** `ends`: the list of which it is the last page. */
	#right({ path, query, etag }: Asked, hasNewFields: boolean): Answer & { readonly ends?: "inventory" | "coa" } {
		const extra = hasNewFields ? { later: { added_at: "2030-01-01T00:00:00.000Z", n: [1] } } : {};
		if (path === "/api/v1/check") return whole(200, { data: { items: [], ...extra } });
		const isFeed = path === "/api/partner/v1/coa";
		const after = this.#positionOf(query.get("cursor"));
		if (after === null) return refusal(400, "invalid_input");
		const { rows, hasMore, last } = isFeed
			? pageAfter(this.#truth.certificates, after, (status) => query.get("status") === "all" || status === "current")
			: pageAfter(this.#truth.skus, after, (stock) => stock !== "unlisted");
		const items = rows.map((row) => ({
			...(isFeed ? recordOf(row as Row<Status>) : productOf(row as Row<Stock>)),
			...extra,
		}));
		const page = { items, next_cursor: `${this.#epoch}:${last}`, has_more: hasMore, ...extra };
		const own = `W/"${hash("sha256", JSON.stringify(page), "base64url").slice(0, 27)}"`;
		const end = hasMore ? {} : ({ ends: isFeed ? "coa" : "inventory" } as const);
		if (etag === own) return { kind: "whole", status: 304, headers: { ETag: own }, body: "", ...end };
		const data = { ...page, as_of: new Date(this.#saidNow() - 10_000).toISOString() };
		return { ...whole(200, { data, ...extra }, { ETag: own }), ...end };
	}

	#saidNow(): number {
		return this.#time.now + (this.fault === "skewed" ? this.#random.pick([HOUR_MS, -HOUR_MS]) : 0);
	}

	#positionOf(cursor: string | null): number | null {
		if (cursor === null) return 0;
		const [epoch, position] = cursor.split(":");
		return Number(epoch) === this.#epoch ? Number(position) : null;
	}

	/** A reply with something missing or of another kind, which JSON and the envelope do not show. */
	#wrong(body: string, headers: Record<string, string>): string {
		headers.ETag = '"wrong"';
		const { data = {} } = JSON.parse(body === "" ? "{}" : body) as { data?: Record<string, unknown> };
		const items = ((data.items ?? []) as Record<string, unknown>[]).concat({});
		const spoilt = items.map((item) => {
			const bad = this.#random.pick(["0", -1, 1.5, null, undefined, {}]);
			return { ...item, availability: { atp_qty: bad }, product: bad, status: bad === undefined ? 0 : bad };
		});
		const wrong: unknown = this.#random.pick<unknown>([
			{ data: { ...data, items: spoilt } },
			{ data: { ...data, items: "none" } },
			{ data: { ...data, items: [null] } },
			{ data: { ...data, items: {} } },
			{ data: { ...data, has_more: undefined } },
			{ data: { ...data, has_more: true, next_cursor: undefined } },
			{ data: {} },
			{ data: [] },
			{ data: items },
			{ data: null },
			[],
			0,
			{ items },
		]);
		return JSON.stringify(wrong);
	}
}

function whole(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
	return { kind: "whole", status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Answer {
	return whole(status, { error: { code, message: `The message of ${code}.` } }, headers);
}

function pageAfter<Value>(
	all: readonly Row<Value>[],
	after: number,
	isListed: (value: Value) => boolean,
): { readonly rows: readonly Row<Value>[]; readonly hasMore: boolean; readonly last: number } {
	const listed = all
		.filter(({ version, history }) => version > after && isListed(history.last as Value))
		.sort((a, b) => a.version - b.version);
	const rows = listed.slice(0, PAGE);
	return { rows, hasMore: listed.length > PAGE, last: rows.at(-1)?.version ?? after };
}

function productOf({ name, history }: Row<Stock>): Record<string, unknown> {
	const qty = history.last;
	return {
		sku: name,
		name,
		slug: null,
		kind: qty === null ? "non_physical" : "single",
		brand_code: null,
		tracks_inventory: qty !== null,
		components: [],
		availability: { available_qty: qty ?? 0, promised_qty: 0, atp_qty: qty ?? 0, backorder_qty: 0 },
		earliest_expiry: null,
		current_coa: null,
		updated_at: "2026-09-06T00:00:00.000Z",
	};
}

function recordOf({ name, history }: Row<Status>): Record<string, unknown> {
	const [slug = "", batch = ""] = name.split(" ");
	return {
		product: { slug, name: slug },
		batch_number: batch,
		vial_size: null,
		tested_on: null,
		lab_name: null,
		purity_pct: null,
		status: history.last,
		certificate_url: history.last === "retired" ? "" : `https://coa.example.com/coa/file/${batch}`,
		verify_url: `https://coa.example.com/coa/lookup?lot=${batch}`,
		updated_at: "2026-09-06T00:00:00.000Z",
	};
}
