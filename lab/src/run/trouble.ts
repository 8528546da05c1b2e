/** Faults, one kind after the other in an order drawn anew each round, two at a time where they bear company. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { Fault, FaultContext, Targets } from "../ground/types.ts";
import type { Scene } from "./scene.ts";

/** Milliseconds without a fault between two of one lane: partners must get somewhere, too. */
const SHORTEST_CALM_MS = 300;
const LONGEST_CALM_MS = 1_800;
/** Faults under way at a time. */
const LANES = 2;

export interface Trouble {
	/** Ends what is under way, and resolves when the ground is whole. */
	stop(): Promise<void>;
	/** Rejects when a fault could not be undone. */
	readonly broken: Promise<never>;
}

/** Milliseconds beyond a fault's own limit after which the run is given up. */
const GRACE_MS = 60_000;

export function startTrouble(scene: Scene, faults: readonly Fault[], chance: Chance): Trouble {
	const stopping = new AbortController();
	const broken = Promise.withResolvers<never>();
	broken.promise.catch(() => undefined); // told to those who wait for it
	const round = createRound(faults, chance);
	const gate = createGate();
	const context: FaultContext = { ground: scene.ground, chance, targets: targetsOf(scene), stopped: stopping.signal };
	const live = async (): Promise<void> => {
		while (!stopping.signal.aborted) {
			const fault = round();
			const leave = await gate(fault.alone === true);
			try {
				if (stopping.signal.aborted) return;
				scene.recorder.write({ kind: "fault", ...(await within(fault, fault.inject(context))) });
			} finally {
				leave();
			}
			await sleep(chance.between(SHORTEST_CALM_MS, LONGEST_CALM_MS), undefined, { signal: stopping.signal }).catch(
				() => undefined,
			);
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

/** The next kind: each once before any comes again. */
function createRound(faults: readonly Fault[], chance: Chance): () => Fault {
	let left: Fault[] = [];
	return () => {
		if (left.length === 0) left = [...faults];
		const drawn = chance.pick(left);
		left = left.filter((fault) => fault !== drawn);
		return drawn;
	};
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

/** Lets several in at a time, or one that must be alone. Resolves to what is to be called on leaving. */
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
