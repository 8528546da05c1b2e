/**
 * Partners that reserve, then release or consume, and keep every answer: for trials that check all of it afterwards.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { createChance } from "../chance.ts";
import type { Ground } from "../ground/types.ts";
import { type Answer, ask } from "./ask.ts";
import { type Loop, startLoop } from "./loop.ts";

const RELEASED_SHARE = 0.4;
const CONSUMED_SHARE = 0.4;
/** Tokens per statement. */
const LOOKED_UP_AT_ONCE = 5_000;
/** Possible states of a hold whose end was not answered. */
const POSSIBLE: readonly string[] = ["active", "released", "consumed"];
const LOOK_UP = "select reservation_token::text as token, status from hold where reservation_token = any($1::uuid[])";

/** The answers about one hold. */
export interface Life {
	readonly answers: readonly Answer[];
	/** Token of an acknowledged reserve. */
	readonly token: string | null;
	/** The state according to the last acknowledged answer. */
	readonly acknowledged: "active" | "released" | "consumed" | null;
	/** A release or consume had no conclusive answer: its effect may exist or not. */
	readonly doubtful: boolean;
}

export function startShoppers(
	ground: Ground,
	tokens: readonly string[],
	skus: readonly string[],
	clients: number,
): Loop<Life> {
	const chance = createChance(clients);
	return startLoop(clients, async (client) => {
		const node = ground.nodes[client % ground.nodes.length];
		const token = tokens[client % tokens.length];
		if (node === undefined || token === undefined) throw new Error("shoppers need a node and a key");
		const post = (path: string, body: unknown): Promise<Answer> => ask(node.api, token, "POST", path, body);
		const items = [{ sku: chance.pick(skus), qty: chance.between(1, 3) }];
		const reserve = await post("/api/v1/reserve", { items, external_ref: randomUUID() });
		const held = heldToken(reserve);
		if (held === null) return { answers: [reserve], token: null, acknowledged: null, doubtful: false };
		const what = chance.fraction();
		if (what > RELEASED_SHARE + CONSUMED_SHARE) {
			return { answers: [reserve], token: held, acknowledged: "active", doubtful: false };
		}
		const end =
			what < RELEASED_SHARE
				? await post("/api/v1/release", { reservation_token: held })
				: await post("/api/v1/consume", { reservation_token: held, external_ref: randomUUID() });
		const told = what < RELEASED_SHARE ? "released" : "consumed";
		return {
			answers: [reserve, end],
			token: held,
			acknowledged: end.status === 200 ? told : "active",
			doubtful: end.status === null || end.status >= 500,
		};
	});
}

/** Acknowledged effects that are missing in the tables. */
export async function missing(db: pg.Pool, lives: readonly Life[]): Promise<string[]> {
	const held = lives.filter((life) => life.token !== null);
	const found = new Map<string, string>();
	for (let at = 0; at < held.length; at += LOOKED_UP_AT_ONCE) {
		const tokens = held.slice(at, at + LOOKED_UP_AT_ONCE).map(({ token }) => token);
		const { rows } = await db.query<{ token: string; status: string }>(LOOK_UP, [tokens]);
		for (const { token, status } of rows) found.set(token, status);
	}
	return held.flatMap(({ token, acknowledged, doubtful }) => {
		const status = found.get(token ?? "");
		if (status === undefined) return [`hold ${token} was acknowledged, but does not exist`];
		const agrees = doubtful ? POSSIBLE.includes(status) : status === acknowledged;
		return agrees ? [] : [`hold ${token} was acknowledged as ${acknowledged}, but is ${status}`];
	});
}

function heldToken({ status, reply }: Answer): string | null {
	const token = (reply as { data?: { reservation_token?: unknown } } | null)?.data?.reservation_token;
	return status === 201 && typeof token === "string" ? token : null;
}
