import { describe, expect, it } from "vitest";
import { createKnownLocks } from "./known-locks.ts";

interface Command {
	readonly row: string;
	readonly refs: readonly string[];
}
const command = (row: string, ...refs: string[]): Command => ({ row, refs });

function stage() {
	let now = 0;
	const locks = createKnownLocks<Command>(
		({ refs }) => refs,
		() => now,
	);
	const locked = (row: string) => locks.found((one) => one.row === row);
	return {
		locks,
		locked,
		pass: (ms: number) => {
			now += ms;
		},
	};
}

describe("rows found locked", () => {
	it("concern the commands that need them, until ten seconds later", () => {
		const { locks, locked, pass } = stage();
		expect(locks.any()).toBe(false);
		locked("a");
		expect([locks.any(), locks.concerns(command("a")), locks.concerns(command("b"))]).toEqual([true, true, false]);
		pass(9_999);
		expect(locks.concerns(command("a"))).toBe(true);
		pass(1);
		expect([locks.any(), locks.concerns(command("a"))]).toEqual([false, false]);
	});

	it("are forgotten when a command that needs them was carried out, and no others with them", () => {
		const { locks, locked } = stage();
		locked("a");
		locked("b");
		locks.carriedOut([command("a"), command("c")]);
		expect([locks.concerns(command("a")), locks.concerns(command("b"))]).toEqual([false, true]);
	});

	it("are a bounded number: the oldest are forgotten first", () => {
		const { locks, locked } = stage();
		for (let n = 0; n < 40; n++) locked(`row ${n}`);
		expect([locks.concerns(command("row 0")), locks.concerns(command("row 39"))]).toEqual([false, true]);
	});
});

describe("commands of the side lane", () => {
	it("take along every later command that shares a token or a reference, and are carried out in their order", async () => {
		const { locks } = stage();
		const [first, second, other] = [command("a", "token", "ref"), command("b", "ref"), command("b", "other")];
		const answer = Promise.withResolvers<string>();
		const answered = locks.waitingAside(first, answer.promise);
		expect([locks.concerns(second), locks.concerns(other)]).toEqual([true, false]);
		const waits = Promise.withResolvers<string>();
		const later = locks.waitingAside(second, waits.promise);
		expect([locks.isNext(first), locks.isNext(second), locks.waiting]).toEqual([true, false, 2]);
		answer.resolve("done");
		expect(await answered).toBe("done");
		expect([locks.isNext(second), locks.waiting]).toEqual([true, 1]);
		waits.reject(new Error("failed"));
		await expect(later).rejects.toThrow("failed");
		await locks.nobodyWaits();
		expect(locks.concerns(second)).toBe(false);
	});

	it("count once however often they look again", () => {
		const { locks } = stage();
		const one = command("a", "ref");
		void locks.waitingAside(one, new Promise(() => undefined));
		void locks.waitingAside(one, new Promise(() => undefined));
		expect(locks.waiting).toBe(1);
	});
});
