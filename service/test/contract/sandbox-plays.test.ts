import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ERROR_STATUS } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { SANDBOX_SKUS } from "../../src/inventory/catalog/sandbox-names.ts";
import { CancelOrder, GetOrder } from "../../src/inventory/orders/contract.ts";
import { PRESETS } from "../../src/partners/keys/scopes.ts";
import { executeIn } from "../execute-in.ts";
import { partnerCodes } from "../partner-codes.ts";
import { restockSandboxes } from "../restock-sandboxes.ts";
import { warehouseOf } from "./order-world.ts";
import { PLAYS, type Stage, stageOf } from "./refusal-plays.ts";
import { openSandboxWorld, type Player, playerOf } from "./sandbox-world.ts";
import { unique, type World } from "./world.ts";

/* docs/partner/sandbox.md has tables of requests and the answers to them. Here each row is carried out. */

let world: World;
let key: string;
let second: string;
let player: Player;
let on: Stage;

beforeAll(async () => {
	world = await openSandboxWorld();
	const own = { brand: "SANDBOX", partner: world.partner(), scopes: PRESETS.self_ship };
	key = (await world.key(own)).token;
	second = (await world.key(own)).token;
	on = stageOf(world, key, playerOf(world, second));
	({ player } = on);
});
afterAll(() => world.stop());
/** Earlier tests may have left fewer units. */
beforeEach(() => restockSandboxes(world.db, { timeZone: "UTC", executeIn }));

const PAGE = readFileSync(path.join(import.meta.dirname, "../../../docs/partner/sandbox.md"), "utf8");
/** Cells of the rows of the only table below a heading. */
function tableBelow(heading: string): string[][] {
	const [, section = ""] = PAGE.split(`## ${heading}\n`);
	const rows = section.split("\n## ")[0]?.match(/^\|.*\|$/gm) ?? [];
	return rows.slice(2).map((row) =>
		row
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}

const plain = (cell = ""): string => cell.replaceAll("`", "");

describe("Every refusal, and how to see it", () => {
	const rows = tableBelow("Every refusal, and how to see it").map(([answer, , who]) => ({
		answer: plain(answer),
		who,
	}));
	const playable = rows.filter(({ who }) => who !== "nobody").map(({ answer }) => answer);

	it("the table has every code of the contract, with a status that the code has somewhere", () => {
		expect([...new Set(rows.map(({ answer }) => answer.split(" ")[1] ?? ""))].toSorted()).toEqual(
			partnerCodes().toSorted(),
		);
		for (const code of partnerCodes())
			expect(rows.map(({ answer }) => answer)).toContain(`${ERROR_STATUS[code]} ${code}`);
	});

	it("every row says who can do it, and those that anybody can do are the ones done here", () => {
		expect(new Set(rows.map(({ who }) => who))).toEqual(
			new Set(["alone", "with a second key", "with the operator", "nobody"]),
		);
		expect(playable.toSorted()).toEqual(Object.keys(PLAYS).toSorted());
	});

	it.each(playable)("%s", async (answer) => {
		const play = must(PLAYS[answer], `how to see ${answer}`);
		expect((await play(on)).verdict).toBe(answer);
	});
});

const held = async (token: string) =>
	`hold ${(await world.db.query<{ status: string }>("select status from hold where reservation_token = $1", [token])).rows[0]?.status}`;
const ordered = async (ref: string) => `order ${(await player.get(ref)).data.status}`;
const advanced = async (to: "picked" | "shipped" | "held") => {
	const { ref } = await player.placed();
	await player.advance(ref, to);
	return await ordered(ref);
};

const STATES: { readonly [state: string]: () => Promise<string> } = {
	"hold active": async () => await held(await player.hold()),
	"hold expired": async () => await held(await on.expired()),
	"hold released": async () => await held(await on.released()),
	"hold consumed": async () => {
		const token = await player.hold();
		await on.consume(token);
		return await held(token);
	},
	"hold reversed": async () => {
		const [token, ref] = [await player.hold(), unique("sale")];
		await on.consume(token, ref);
		await on.reverse(ref);
		return await held(token);
	},
	"hold placed": async () => await held((await player.placed()).token),
	"order placed": async () => await ordered((await player.placed()).ref),
	"order picked": () => advanced("picked"),
	"order shipped": () => advanced("shipped"),
	"order held": () => advanced("held"),
	"order cancelled": async () => {
		const { ref } = await player.placed();
		await player.advance(ref, "held");
		await world.call(CancelOrder, key, {}, { path: `/api/v1/orders/${ref}/cancel` });
		return await ordered(ref);
	},
	"order partially_shipped": async () => {
		const { data } = await player.place(await player.hold("SBX-PLENTY", 2));
		await warehouseOf(world).ship(data, { "SBX-PLENTY": 1 });
		return await ordered(data.ref);
	},
};

describe("Every state, and how to get there", () => {
	const rows = tableBelow("Every state, and how to get there").map(([state]) => plain(state));

	it("the table has every state of holds and orders", () => {
		expect(rows.toSorted()).toEqual(Object.keys(STATES).toSorted());
		const orders = GetOrder.replies[200].properties.status.enum.map((status) => `order ${status}`);
		expect(rows.filter((state) => state.startsWith("order")).toSorted()).toEqual(orders.toSorted());
	});

	it.each(rows)("%s", async (state) => {
		expect(await must(STATES[state], `how to get to ${state}`)()).toBe(state);
	});
});

describe("The test SKUs", () => {
	const rows = tableBelow("The test SKUs").map(([sku, , answer = ""]) => [plain(sku), answer] as const);

	it("are all in the table", () => {
		expect(rows.map(([sku]) => sku)).toEqual([...SANDBOX_SKUS]);
	});

	it.each(rows)("%s: a reserve of one answers %s", async (sku, answer) => {
		const [one = "", ofFour] = plain(answer).split(", and of four ");
		expect((await on.reserve(sku, { qty: 4 })).verdict).toBe(ofFour ?? one);
		expect((await on.reserve(sku)).verdict).toBe(one);
	});
});
