import { describe, expect, it } from "vitest";
import { createTestClock } from "./test-clock.ts";

describe("The test clock", () => {
	it("stands still until it is set", async () => {
		const clock = createTestClock(1_000);
		expect(clock.now()).toBe(1_000);
		await clock.advance(500);
		expect(clock.now()).toBe(1_500);
		await clock.set(new Date(9_000));
		expect(clock.now()).toBe(9_000);
	});

	it("wakes sleepers in the order of their times, each at its own", async () => {
		const clock = createTestClock(0);
		const woken: string[] = [];
		const sleep = async (name: string, ms: number): Promise<void> => {
			await clock.sleep(ms);
			woken.push(`${name} at ${clock.now()}`);
		};
		const all = [sleep("late", 300), sleep("early", 100), sleep("never", 1_000)];
		await clock.advance(500);
		expect(woken).toEqual(["early at 100", "late at 300"]);
		await clock.advance(500);
		await Promise.all(all);
		expect(woken).toHaveLength(3);
	});

	it("wakes those who fall asleep while it moves on", async () => {
		const clock = createTestClock(0);
		let rounds = 0;
		const worker = async (): Promise<void> => {
			for (;;) {
				await clock.sleep(240_000);
				rounds++;
			}
		};
		void worker();
		await clock.advance(3_600_000);
		expect(rounds).toBe(15);
	});

	it("lets nobody wait who sleeps for no time", async () => {
		await createTestClock(0).sleep(0);
	});
});
