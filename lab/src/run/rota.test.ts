import { describe, expect, it } from "vitest";
import { createChance } from "../chance.ts";
import type { Chore, Command } from "../rooms/room.ts";
import { createRota } from "./operators.ts";

const chore = (name: string, weight: number): Chore => ({ name, weight, build: () => null });
const command: Command = { args: [], about: null };

describe("the rota of operators", () => {
	it("has every chore as often as its weight says, and each of them early", () => {
		const rota = createRota([chore("often", 6), chore("seldom", 2), chore("rare", 1)], createChance(1));
		const done = Array.from({ length: 90 }, () => rota(() => command)?.chore.name);
		const count = (name: string): number => done.filter((one) => one === name).length;
		expect([count("often"), count("seldom"), count("rare")].map((times) => Math.round(times / 10))).toEqual([6, 2, 1]);
		expect(new Set(done.slice(0, 18))).toEqual(new Set(["often", "seldom", "rare"]));
	});

	it("goes past what cannot be done now, and comes to it as soon as it can", () => {
		const rota = createRota([chore("one", 1), chore("other", 1)], createChance(1));
		for (let n = 0; n < 5; n++)
			expect(rota(({ name }) => (name === "other" ? command : null))?.chore.name).toBe("other");
		expect(rota(() => command)?.chore.name).toBe("one");
		expect(rota(() => null)).toBeNull();
	});
});
