/** Injects all kinds of faults in rounds, each in a new random order, two at a time where they may overlap. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Fault, FaultContext, FaultRecord, Targets } from "../ground/types.ts";
import type { Scene } from "./scene.ts";

/** Milliseconds without a fault between two of one lane, so that partners make progress. */
const SHORTEST_CALM_MS = 200;
const LONGEST_CALM_MS = 1_200;
/** Maximum number of faults that run at the same time. */
const LANES = 2;

export interface Trouble {
	/** Ends the faults under way, and resolves when the ground has recovered. */
	stop(): Promise<void>;
	/** Rejects when a fault could not be undone. */
	readonly broken: Promise<never>;
}

/** Milliseconds beyond a fault's own limit after which the run is given up. */
const GRACE_MS = 60_000;

interface Manner {
	readonly chance: Chance;
	/** Milliseconds before the first fault. */
	readonly calmMs: number;
}

export function startTrouble(scene: Scene, faults: readonly Fault[], { chance, calmMs }: Manner): Trouble {
	const stopping = new AbortController();
	const broken = Promise.withResolvers<never>();
	broken.promise.catch(() => undefined); // handled by those that await it
	const round = createRound(faults, chance);
	const gate = createGate();
	const context: FaultContext = { ground: scene.ground, chance, targets: targetsOf(scene), stopped: stopping.signal };
	const calm = (ms: number): Promise<unknown> =>
		sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
	const live = async (): Promise<void> => {
		await calm(calmMs);
		while (!stopping.signal.aborted) {
			const fault = round.next();
			const leave = await gate(fault.alone === true);
			try {
				if (stopping.signal.aborted) return;
				const record = await begun(scene, fault, context);
				scene.recorder.write({ kind: "fault", ...record });
				if (record.fault !== fault.name) round.again(fault); // missed, or interrupted
			} finally {
				leave();
			}
			await calm(chance.between(SHORTEST_CALM_MS, LONGEST_CALM_MS));
		}
	};
	const lanes = Array.from({ length: faults.length === 0 ? 0 : LANES }, () =>
		live().catch((error: unknown) => broken.reject(error)),
	);
	return {
		broken: broken.promise,
		stop: async () => {
			stopping.abort();
			await Promise.all(lanes);
		},
	};
}

/** Draws the next kind: each once per round; a fault that had no effect is drawn again. */
function createRound(faults: readonly Fault[], chance: Chance) {
	let left: Fault[] = [];
	return {
		next: (): Fault => {
			if (left.length === 0) left = [...faults];
			const drawn = chance.pick(left);
			left.splice(left.indexOf(drawn), 1);
			return drawn;
		},
		again: (fault: Fault): number => left.push(fault),
	};
}

/**
 * Injects the fault. If another fault interrupts it, records that instead, provided that the ground recovers; otherwise
 * the run ends.
 */
async function begun({ ground }: Scene, fault: Fault, context: FaultContext): Promise<FaultRecord> {
	const began = performance.now();
	try {
		return await within(fault, fault.inject(context));
	} catch (error) {
		const why = `${fault.name}: ${error instanceof Error ? error.message : String(error)}`;
		await ground.whole(GRACE_MS).catch((still: unknown) => {
			throw new Error(
				`${why}, and then the ground did not recover: ${still instanceof Error ? still.message : String(still)}`,
				{ cause: error },
			);
		});
		return { fault: "broken-off", what: why, began, ended: performance.now(), touched: "all" };
	}
}

async function within<T>({ name, longestMs }: Fault, injected: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`${name} did not end`)), longestMs + GRACE_MS);
	});
	try {
		return await Promise.race([injected, late]);
	} finally {
		clearTimeout(timer);
	}
}

/** Admits several at a time, or one alone. Resolves to a function that leaves. */
function createGate(): (alone: boolean) => Promise<() => void> {
	let inside = 0;
	let turn: Promise<void> = Promise.resolve();
	let left = Promise.withResolvers<void>();
	const leave = (): void => {
		inside--;
		left.resolve();
		left = Promise.withResolvers();
	};
	return async (alone) => {
		const before = turn;
		const mine = Promise.withResolvers<void>();
		turn = mine.promise;
		await before;
		while (alone && inside > 0) await left.promise;
		inside++;
		if (!alone) {
			mine.resolve();
			return leave;
		}
		return () => {
			leave();
			mine.resolve();
		};
	};
}

const targetsOf = ({ world, partners }: Scene): Targets => ({
	skus: world.skus
		.filter(({ parts }) => parts.length > 0)
		.map(({ sku, parts }) => ({
			sku,
			formulaIds: parts.map(({ formula }) => world.formulas.find(({ code }) => code === formula)?.formulaId ?? ""),
		})),
	keyIds: partners.map(({ actor }) => actor.keyId),
});
