import { describe, expect, expectTypeOf, it } from "vitest";
import { type AnswerOf, type CommandOf, defineKinds, type Executes, type Kind } from "./kind.ts";
import { createKnownSizes } from "./known-sizes.ts";

/*
 * A made-up room with one command, added as in a real room: the command is data in its own file, and the table has
 * one line for it. Everything else (the union of commands, their answers and the types of `execute`) follows from the
 * table.
 */

interface Count {
	readonly kind: "count";
	readonly by: number;
}
const count: Kind<Count, { readonly total: number }, { total: number }, Set<string>, unknown> = {
	looksUp: false,
	conflict: "rate_limited",
	needs: (needs) => void needs.add("the total"),
	decide(book, { by }) {
		book.total += by;
		return { total: book.total };
	},
};
const ROOM = defineKinds({ count });

describe("a command as data", () => {
	it("is added in its own file and one line of its room's table", () => {
		expectTypeOf<CommandOf<typeof ROOM>>().toEqualTypeOf<Count>();
		expectTypeOf<AnswerOf<typeof ROOM>>().toEqualTypeOf<{ readonly total: number }>();
		const send = (engine: Executes<typeof ROOM>) => engine.execute({ kind: "count", by: 1 });
		expectTypeOf(send).returns.resolves.extract<{ total: number }>().toEqualTypeOf<{ readonly total: number }>();
		const needs = new Set<string>();
		ROOM.count.needs(needs, { kind: "count", by: 2 }, null);
		expect([...needs]).toEqual(["the total"]);
		expect(ROOM.count.decide({ total: 1 }, { kind: "count", by: 2 })).toEqual({ total: 3 });
	});

	it("does not compile under another name than its commands carry, nor without saying whether it must be looked up", () => {
		// @ts-expect-error: its commands say "count"
		defineKinds({ tally: count });
		const { looksUp: _unsaid, ...rest } = count;
		// @ts-expect-error: without this property a command would take the slow path with its whole batch, or a wrong
		// path
		const forgetful: typeof count = rest;
		expect(forgetful.conflict).toBe("rate_limited");
	});

	it("weighs as much as a usual hold when it does not say", () => {
		expect(createKnownSizes().of("anything")).toBe(2);
	});
});
