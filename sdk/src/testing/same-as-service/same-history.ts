import { plainReply, plainValue, type Seen } from "./plain-reply.ts";
import type { Side } from "./sides.ts";
import type { Asked, Step } from "./steps.ts";

const UNKNOWN = "0199f0a0-0000-7000-8000-00000000dead";

/** What a side's replies have created and returned so far. */
class Memory {
	readonly #side: Side;
	readonly #names: Readonly<Record<string, string>>;
	readonly #made: Readonly<Record<string, string[]>> = { hold: [], order: [], endpoint: [], delivery: [] };
	readonly ids = new Map<string, string>();
	#last: { readonly asked: Asked; readonly seen: Seen } | undefined;
	/** Whether time has passed since: the service's side moves the times of what was there. */
	#hasWaited = false;

	constructor(side: Side, names: Readonly<Record<string, string>>) {
		this.#side = side;
		this.#names = names;
	}

	made(what: string, index: number): string {
		const all = this.#made[what] ?? [];
		return all[index % Math.max(1, all.length)] ?? UNKNOWN;
	}

	fill<T>(value: T): T {
		const text = JSON.stringify(value).replace(/\{\{(\w+)(?::([\w-]+))?\}\}/g, (_all, what: string, which = "") => {
			if (what === "sku") return `${this.#names.prefix}${which}`;
			if (what === "token") return this.#side.token;
			return this.#names[what] ?? this.made(what, Number(which));
		});
		return JSON.parse(text) as T;
	}

	async send(asked: Asked): Promise<Seen> {
		const seen = await this.#side.send(this.fill(asked));
		if (asked.method === "GET") {
			this.#last = { asked, seen };
			this.#hasWaited = false;
			for (const [, id = ""] of seen.text.matchAll(/"delivery_id":"([^"]+)"/g)) this.#note("delivery", id);
		}
		const id = /^\{"data":\{"(reservation_token|order_id|endpoint_id)":"([^"]+)"/.exec(seen.text);
		if (asked.method === "POST" && seen.status === 201 && id?.[2] !== undefined)
			this.#note(MADE[id[1] ?? ""] ?? "", id[2]);
		return seen;
	}

	#note(what: string, id: string): void {
		const all = this.#made[what];
		if (all?.includes(id) === false) all.push(id);
	}

	async wait(seconds: number): Promise<void> {
		await this.#side.wait(seconds);
		this.#hasWaited = true;
	}

	/** The last read, with the cursor or ETag of its reply; undefined: there is nothing to read. */
	again(what: "go on" | "ask again"): Asked | undefined {
		if (this.#last === undefined) return undefined;
		const { asked, seen } = this.#last;
		if (what === "ask again") {
			const changes = this.#hasWaited || asked.path.endsWith("/deliveries"); // the service continues to send
			const etag = changes ? null : seen.headers.get("etag");
			return etag === null ? undefined : { ...asked, headers: { ...asked.headers, "if-none-match": etag } };
		}
		const [, cursor] = /"next_cursor":"([^"]+)"/.exec(seen.text) ?? [];
		if (cursor === undefined || asked.path.includes("cursor=")) return undefined;
		return { ...asked, path: `${asked.path}${asked.path.includes("?") ? "&" : "?"}cursor=${cursor}` };
	}
}

const MADE: Readonly<Record<string, string>> = {
	reservation_token: "hold",
	order_id: "order",
	endpoint_id: "endpoint",
};

/** Runs one history on both sides, and fails at the first step at which they differ. */
export async function liveOnBoth(
	history: readonly Step[],
	sides: readonly [Side, Side],
	{
		names,
		texts,
	}: { readonly names: Readonly<Record<string, string>>; readonly texts: readonly (readonly [string, string])[] },
): Promise<void> {
	const memories = sides.map((side) => new Memory(side, names)) as [Memory, Memory];
	const same = async (what: string, of: (side: Side, memory: Memory) => Promise<unknown>): Promise<void> => {
		const told = await Promise.all(sides.map((side, index) => of(side, memories[index] as Memory)));
		const [fake, service] = told.map((one) => JSON.stringify(one));
		if (fake !== service) throw new Error(`${what}\nthe fake:    ${fake}\nthe service: ${service}`);
	};
	for (const [at, step] of withinToday(history, sides[0].now()).entries())
		await same(`step ${at}: ${JSON.stringify(step)}`, (side, memory) => live(step, side, memory, texts));
	await same("the events", async (side, { ids }) =>
		(await side.events()).map((body) => plainValue(JSON.parse(body), { ids, texts, now: side.now() })),
	);
}

const SECONDS_OF_DAY = 86_400;
/** Seconds before midnight after which nobody waits: the real clock goes on during a history, too. */
const BEFORE_MIDNIGHT = 120;

/**
 * A history without the waits that would take it into the next day (UTC). The fake's clock goes on by them; the service
 * is made older instead, and its day stays.
 */
function withinToday(history: readonly Step[], nowMs: number): Step[] {
	const left = SECONDS_OF_DAY - ((nowMs / 1_000) % SECONDS_OF_DAY) - BEFORE_MIDNIGHT;
	let waited = 0;
	return history.filter((step) => {
		if (step.do !== "wait") return true;
		if (waited + step.seconds >= left) return false;
		waited += step.seconds;
		return true;
	});
}

async function live(
	step: Step,
	side: Side,
	memory: Memory,
	texts: readonly (readonly [string, string])[],
): Promise<unknown> {
	switch (step.do) {
		case "wait":
			return await memory.wait(step.seconds);
		case "stock":
			return await side.setStock(memory.fill(`{{sku:${step.sku}}}`), step.qty);
		case "ship":
			return await side.ship(memory.made("order", step.order));
		default: {
			const asked = step.do === "ask" ? step.asked : memory.again(step.do);
			if (asked === undefined) return "nothing to ask";
			return plainReply(await memory.send(asked), { ids: memory.ids, texts, now: side.now() });
		}
	}
}
