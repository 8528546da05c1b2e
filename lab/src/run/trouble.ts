/** Injects all kinds of faults in rounds, each in a new random order, two at a time where they may overlap. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Fault, FaultContext, FaultRecord, Site, Targets } from "../ground/types.ts";
import type { Scene } from "./scene.ts";

/** Maximum number of faults that run at the same time. */
const LANES = 2;

export interface Trouble {
	/** Ends the faults under way, and resolves when the ground has recovered. */
	stop(): Promise<void>;
	/** Rejects when a fault could not be undone. */
	readonly broken: Promise<never>;
	/** Resolves when `most` faults have happened. */
	readonly enough: Promise<void>;
}

/** Milliseconds beyond a fault's own limit after which the run is given up. */
const GRACE_MS = 60_000;

interface Manner {
	readonly chance: Chance;
	/** Milliseconds before the first fault. */
	readonly calmMs: number;
	/** Least and most milliseconds without a fault between two of one lane, so that partners make progress. */
	readonly restMs: readonly [least: number, most: number];
	/** How many faults there are; Infinity: until they are stopped. */
	readonly most: number;
}

export function startTrouble<S extends Site>(
	scene: Scene,
	ground: S,
	faults: readonly Fault<S>[],
	{ chance, calmMs, restMs, most }: Manner,
): Trouble {
	const stopping = new AbortController();
	const broken = Promise.withResolvers<never>();
	broken.promise.catch(() => undefined); // handled by those that await it
	const enough = Promise.withResolvers<void>();
	let happened = 0;
	const round = createRound(faults, chance);
	const gate = createGate();
	const context: FaultContext<S> = { ground, chance, targets: targetsOf(scene), stopped: stopping.signal };
	const calm = (ms: number): Promise<unknown> =>
		sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
	const write = (record: FaultRecord): void => scene.recorder.write({ kind: "fault", ...record });
	const live = async (): Promise<void> => {
		await calm(calmMs);
		while (!stopping.signal.aborted) {
			const fault = round.next();
			const leave = await gate(fault.alone === true);
			try {
				if (stopping.signal.aborted || happened >= most) return;
				const record = await begun(fault, context, write);
				write(record);
				if (record.fault !== fault.name)
					round.again(fault); // missed, or interrupted
				else if (++happened >= most) enough.resolve();
			} finally {
				leave();
			}
			await calm(chance.between(...restMs));
		}
	};
	const lanes = Array.from({ length: faults.length === 0 ? 0 : LANES }, () =>
		live().catch((error: unknown) => broken.reject(error)),
	);
	return {
		broken: broken.promise,
		enough: enough.promise,
		stop: async () => {
			stopping.abort();
			await Promise.all(lanes);
		},
	};
}

/** Draws the next kind: each once per round; a fault that had no effect is drawn again. */
function createRound<S extends Site>(faults: readonly Fault<S>[], chance: Chance) {
	let left: Fault<S>[] = [];
	return {
		next: (): Fault<S> => {
			if (left.length === 0) left = [...faults];
			const drawn = chance.pick(left);
			left.splice(left.indexOf(drawn), 1);
			return drawn;
		},
		again: (fault: Fault<S>): number => left.push(fault),
	};
}

/**
 * Injects the fault. If another fault interrupts it, records that instead, provided that the ground recovers; otherwise
 * the run ends.
 */
async function begun<S extends Site>(
	fault: Fault<S>,
	context: FaultContext<S>,
	onBroken: (record: FaultRecord) => void,
): Promise<FaultRecord> {
	const began = performance.now();
	try {
		return await within(fault, fault.inject(context));
	} catch (error) {
		const why = `${fault.name}: ${error instanceof Error ? error.message : String(error)}`;
		await context.ground.whole(GRACE_MS).catch((still: unknown) => {
			onBroken({ fault: "broken-off", what: why, began, ended: performance.now(), touched: "all" });
			throw new Error(
				`${why}, and then the ground did not recover: ${still instanceof Error ? still.message : String(still)}`,
				{ cause: error },
			);
		});
		return { fault: "broken-off", what: why, began, ended: performance.now(), touched: "all" };
	}
}

async function within<T>({ name, longestMs }: Pick<Fault, "name" | "longestMs">, injected: Promise<T>): Promise<T> {
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
