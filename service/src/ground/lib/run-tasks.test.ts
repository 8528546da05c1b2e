import { describe, expect, it } from "vitest";
import type { Timers } from "./clock.ts";
import { createLog } from "./log.ts";
import { runTasks, type TasksRunning } from "./run-tasks.ts";
import type { Task } from "./task.ts";

/** A clock that only the test moves. */
class HandClock implements Timers {
	#ms = 0;
	#next = 0;
	readonly #calls = new Map<number, { readonly at: number; readonly call: () => void }>();

	now(): number {
		return this.#ms;
	}
	after(ms: number, call: () => void): () => void {
		const name = this.#next++;
		this.#calls.set(name, { at: this.#ms + ms, call });
		return () => this.#calls.delete(name);
	}
	get waiting(): number {
		return this.#calls.size;
	}
	/** Lets time pass; each timer that becomes due fires at its own moment. */
	async turnTo(end: number): Promise<void> {
		for (;;) {
			await settled();
			const due = [...this.#calls].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)[0];
			if (due === undefined) break;
			const [name, { at, call }] = due;
			this.#calls.delete(name);
			this.#ms = at;
			call();
		}
		this.#ms = end;
	}
}

/** Resolves when everything that needs no clock has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Started {
	readonly clock: HandClock;
	readonly tasks: TasksRunning;
	readonly runs: [task: string, outcome: string, ms: number][];
	/** Log lines: message, task and count. */
	readonly lines: [message: string, task: string, count: number | undefined][];
}

function start(...all: readonly Pick<Task<HandClock>, "name" | "everyMs" | "run">[]): Started {
	const clock = new HandClock();
	const runs: Started["runs"] = [];
	const lines: Started["lines"] = [];
	const log = createLog("warn", {
		write(line) {
			const { msg, task, count } = JSON.parse(line);
			lines.push([msg, task, count]);
		},
	});
	const counterOf = (task: string) => (outcome: string, ms: number) => void runs.push([task, outcome, ms]);
	const tasks = all.map((task) => ({ ...task, failure: `${task.name} failed` }));
	return { clock, tasks: runTasks(tasks, clock, { log, counterOf, timers: clock }), runs, lines };
}

/** A run that ends after `ms` milliseconds. */
const lasting = (clock: HandClock, ms: number): Promise<void> =>
	new Promise((resolve) => {
		clock.after(ms, resolve);
	});

describe("The runner of tasks", () => {
	it("runs each task at once and then on its own time, counted from the beginning of the run before", async () => {
		const begun: [string, number][] = [];
		const task = (name: string, everyMs: number, lastsMs: number) => ({
			name,
			everyMs,
			run: (clock: HandClock) => {
				begun.push([name, clock.now()]);
				return lasting(clock, lastsMs);
			},
		});
		const { clock, runs } = start(task("quick", 250, 10), task("slow", 1_000, 999));
		await clock.turnTo(1_000);
		expect(begun.filter(([name]) => name === "quick").map(([, at]) => at)).toEqual([0, 250, 500, 750, 1_000]);
		expect(begun.filter(([name]) => name === "slow").map(([, at]) => at)).toEqual([0, 1_000]);
		expect(runs).toContainEqual(["slow", "done", 999]);
		expect(runs).toContainEqual(["quick", "done", 10]);
	});

	it("never begins a run while one is under way: the times that passed are left out", async () => {
		const lasts = [620, 0, 250, 0];
		const begun: number[] = [];
		let atOnce = 0;
		const { clock } = start({
			name: "late",
			everyMs: 250,
			async run(clock) {
				begun.push(clock.now());
				expect(++atOnce).toBe(1);
				await lasting(clock, lasts[begun.length - 1] ?? 0);
				atOnce--;
			},
		});
		await clock.turnTo(1_600);
		expect(begun).toEqual([0, 750, 1_000, 1_500]);
	});

	it("goes on after an error, which is logged at once and then every ten seconds with how often it came", async () => {
		let runs = 0;
		const { clock, lines, ...started } = start({
			name: "broken",
			everyMs: 250,
			run() {
				if (++runs % 2 === 0) return Promise.resolve();
				throw new Error("away"); // before it waits for anything
			},
		});
		await clock.turnTo(10_500);
		expect(lines).toEqual([
			["broken failed", "broken", 1],
			["broken failed", "broken", 20],
		]);
		expect(started.runs.slice(0, 3)).toEqual([
			["broken", "failed", 0],
			["broken", "done", 0],
			["broken", "failed", 0],
		]);
		expect(started.runs).toHaveLength(43);
	});

	it("one task that fails or hangs keeps no other from its time", async () => {
		let healthy = 0;
		const { clock } = start(
			{ name: "hangs", everyMs: 250, run: () => new Promise(() => undefined) },
			{ name: "fails", everyMs: 250, run: () => Promise.reject(new Error("away")) },
			{ name: "healthy", everyMs: 250, run: async () => void healthy++ },
		);
		await clock.turnTo(2_500);
		expect(healthy).toBe(11);
	});

	it("a run that takes too long is asked to stop and logged, and the next one begins in its time", async () => {
		const begun: number[] = [];
		const { clock, lines, runs } = start({
			name: "long",
			everyMs: 1_000,
			run: (clock, signal) => {
				begun.push(clock.now());
				return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
			},
		});
		await clock.turnTo(31_500);
		expect(begun).toEqual([0, 31_000]);
		expect(runs).toEqual([["long", "done", 30_000]]);
		expect(lines).toEqual([["a task takes too long and was asked to stop", "long", undefined]]);
	});
});

describe("A stop", () => {
	it("leaves nothing running: it ends the pauses, asks the runs under way to stop, and waits for them", async () => {
		let ended = false;
		const { clock, tasks, runs, lines } = start(
			{ name: "pauses", everyMs: 250, run: () => Promise.resolve() },
			{
				name: "works",
				everyMs: 250,
				run: async (clock, signal) => {
					await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
					await lasting(clock, 100); // it finishes the work that it began
					ended = true;
					throw new Error("called off");
				},
			},
		);
		await clock.turnTo(300);
		let stopped = false;
		const stopping = tasks.stop().then(() => {
			stopped = true;
		});
		await clock.turnTo(399);
		expect([ended, stopped]).toEqual([false, false]);
		await clock.turnTo(400);
		await stopping;
		expect(ended).toBe(true);
		expect(clock.waiting).toBe(0);
		expect(lines).toEqual([]); // a cancelled run reports no error
		const before = runs.length;
		await clock.turnTo(10_000);
		expect(runs).toHaveLength(before);
	});

	it("waits two seconds at most, names the task that did not end, and begins nothing when it ends after all", async () => {
		let finish = (): void => undefined;
		let begun = 0;
		const { clock, tasks, lines } = start({
			name: "deaf",
			everyMs: 250,
			run: () => {
				begun++;
				return new Promise<void>((resolve) => {
					finish = resolve;
				});
			},
		});
		await clock.turnTo(1_000);
		let stopped = false;
		const stopping = tasks.stop().then(() => {
			stopped = true;
		});
		await clock.turnTo(2_999);
		expect(stopped).toBe(false);
		await clock.turnTo(3_000);
		await stopping;
		expect(lines).toEqual([["a task did not end with the service", "deaf", undefined]]);
		finish();
		await clock.turnTo(60_000);
		expect([begun, clock.waiting]).toEqual([1, 0]);
	});
});
