import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Schedules, type StepClass, scheduleOf } from "./schedules.ts";
import { interleavings } from "./stepping.ts";

/** Number of pairs of programs that are tested. */
const PROGRAMS = 500;

type Actor = "A" | "B";
interface Played {
	/** The step of each turn. */
	readonly did: (StepClass | null)[];
	/** Everything that either side read, and the final state. */
	readonly outcome: string;
}

/**
 * A small database with one row in each table, READ COMMITTED: a read sees what is committed, a lock waits for the side
 * that has its row, a write adds one to the value that its side read last. The remaining steps run after the last turn.
 */
function play(programs: Record<Actor, readonly StepClass[]>, order: string): Played {
	let committed = 0;
	const at = { A: 0, B: 0 };
	const seen: Record<Actor, number[]> = { A: [], B: [] };
	const written: Record<Actor, number | null> = { A: null, B: null };
	const holders = new Map<StepClass, Actor>();
	/** The lock that a side waits for. */
	const waits: Record<Actor, StepClass | null> = { A: null, B: null };

	function step(actor: Actor): StepClass | null {
		const wanted = waits[actor];
		if (wanted !== null) {
			if (holders.has(wanted)) return null;
			holders.set(wanted, actor);
			waits[actor] = null;
		}
		const does = programs[actor][at[actor]];
		if (does === undefined) return null;
		at[actor]++;
		if (does === "read") seen[actor].push(committed);
		else if (does === "write") written[actor] = (seen[actor].at(-1) ?? 0) + 1;
		else if (does === "end") {
			committed = written[actor] ?? committed;
			for (const [lock, holder] of holders) if (holder === actor) holders.delete(lock);
		} else if (holders.has(does)) waits[actor] = does;
		else holders.set(does, actor);
		return does;
	}

	const did = [...order].map((actor) => step(actor as Actor));
	while (step("A") !== null || step("B") !== null);
	return { did, outcome: JSON.stringify([seen, committed]) };
}

const LOCKS = ["lock lots", "lock holds", "lock orders"] as const;

/** The steps of one side: locks in the common order, a write, and reads anywhere between them. */
const program = fc
	.tuple(fc.subarray([...LOCKS]), fc.boolean(), fc.array(fc.nat(), { maxLength: 3 }))
	.map(([locks, writes, reads]): StepClass[] => {
		const steps: StepClass[] = [...locks, ...(writes ? (["write"] as const) : [])];
		for (const read of reads) steps.splice(read % (steps.length + 1), 0, "read");
		return [...steps, "end"];
	});

describe("the schedules of a pair", () => {
	it("come to everything that its orders of turns can come to", () => {
		let [orders, raced] = [0, 0];
		fc.assert(
			fc.property(program, program, (a, b) => {
				const programs = { A: a, B: b };
				const all = [...interleavings(a.length, b.length)];
				const outcomes = new Set<string>();
				const outcomeOf = new Map<string, string>();
				for (const order of all) {
					const { did, outcome } = play(programs, order);
					outcomes.add(outcome);
					const schedule = scheduleOf(order, did);
					expect(outcomeOf.get(schedule) ?? outcome).toBe(outcome);
					outcomeOf.set(schedule, outcome);
				}
				const schedules = new Schedules(all);
				const seen = new Set<string>();
				for (let order = schedules.next(); order !== null; order = schedules.next(), raced++) {
					const { did, outcome } = play(programs, order);
					schedules.ran(order, did);
					seen.add(outcome);
				}
				expect(seen).toEqual(outcomes);
				expect(schedules.orders).toBe(all.length);
				orders += all.length;
			}),
			{ numRuns: PROGRAMS },
		);
		expect(raced).toBeLessThan(orders / 4);
	});
});
