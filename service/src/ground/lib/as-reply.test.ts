import { expect, expectTypeOf, test } from "vitest";
import { asReply } from "./as-reply.ts";

test("names are in snake case at every depth, instants are RFC 3339, and all other values stay", () => {
	const at = new Date("2026-09-06T12:00:00.000Z");
	const row = { keyName: "web", n: 1, ok: true, heldAt: null, ship_to: "x", lots: [{ fgId: "a", recalledAt: at }] };
	const reply = asReply(row);
	expect(reply).toEqual({
		key_name: "web",
		n: 1,
		ok: true,
		held_at: null,
		ship_to: "x",
		lots: [{ fg_id: "a", recalled_at: "2026-09-06T12:00:00.000Z" }],
	});
	expectTypeOf(reply.lots).toEqualTypeOf<{ fg_id: string; recalled_at: string }[]>();
	expect(Object.keys(reply)).toEqual(["key_name", "n", "ok", "held_at", "ship_to", "lots"]);
});

test("a value of unknown shape has no reply, because its names may be another's", () => {
	expectTypeOf(asReply({ body: {} as unknown })).toEqualTypeOf<{ body: never }>();
});
