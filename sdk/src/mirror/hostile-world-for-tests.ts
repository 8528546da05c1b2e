import { createRandom, type Random } from "../../../service/test/contract/random.ts";
import type { MirrorStore } from "./index.ts";
import { type Network, openMemory, openSockets } from "./network-for-tests.ts";
import { EVERY_MS, MIRRORED, type Mirrored, Oracle } from "./oracle-for-tests.ts";
import { type Machine, PartnerProcess } from "./partner-for-tests.ts";
import { FAULTS, type Fault, HostileService, KIND } from "./service-for-tests.ts";
import { TestTime } from "./time-for-tests.ts";
import { Truth } from "./truth-for-tests.ts";

/** What is wrong for some time: with the service, with the network to it, or with the partner's files. */
export const TROUBLES = [...FAULTS, "down", "storesFail", "storesHang"] as const;
/** What happens at one moment. */
export const BLOWS = [
	"clockForward",
	"clockBack",
	"restart",
	"kill",
	"killAndTear",
	"killAndSwap",
	"killAndSetBack",
	"refuseCursors",
] as const;

export interface Step {
	readonly quietMs: number;
	readonly trouble: (typeof TROUBLES)[number];
	readonly lengthMs: number;
	/** Happens in the middle of the trouble. */
	readonly blow: (typeof BLOWS)[number] | null;
	/** How long the partner's process is gone. */
	readonly goneMs: number;
}

export interface Run {
	readonly seed: number;
	readonly steps: readonly Step[];
	readonly stores: Machine["stores"];
	readonly isOnSockets: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Requests that the partner's shop makes at once, with the key of the mirrors. */
const BURST = 80;

/** The first hours of a day, in all 24 of which every trouble and every blow comes several times. */
export function dayOf(seed: number, hours: number): Step[] {
	const random = createRandom(seed);
	const steps: Step[] = [];
	let troubles: Step["trouble"][] = [];
	let blows: Step["blow"][] = [];
	for (let left = hours * HOUR_MS; left > 0; ) {
		if (troubles.length === 0) troubles = TROUBLES.filter((trouble) => trouble !== "none");
		if (blows.length === 0) blows = [...BLOWS, null, null];
		const [trouble = "none"] = troubles.splice(random.below(troubles.length), 1);
		const [blow = null] = blows.splice(random.below(blows.length), 1);
		const lengthMs = random.between(trouble === "unauthorized" ? 10 : 1, 25) * MINUTE_MS;
		const step = {
			quietMs: random.between(1, 30) * MINUTE_MS,
			trouble,
			lengthMs,
			blow,
			goneMs: random.between(0, 15) * MINUTE_MS,
		};
		steps.push(step);
		left -= step.quietMs + step.lengthMs;
	}
	return steps;
}

/** Runs mirrors through all steps, and checks everything all the time. */
export async function liveThrough(run: Run): Promise<{ readonly oracle: Oracle; readonly service: HostileService }> {
	const world = new World(run);
	const network = run.isOnSockets ? await openSockets(world.service) : openMemory(world.service);
	try {
		await world.live(network, run.steps);
	} finally {
		world.process?.kill();
		await network.close();
	}
	return world;
}

class World {
	readonly oracle: Oracle;
	readonly service: HostileService;
	process: PartnerProcess | undefined;
	readonly #time = new TestTime();
	readonly #random: Random;
	readonly #truth: Truth;
	readonly #files: Machine["stores"];
	readonly #machine: Machine & { readonly stores: Readonly<Record<Mirrored, FaultyStore>> };

	constructor({ seed, stores }: Run) {
		this.#random = createRandom(seed);
		this.#truth = new Truth(this.#time, this.#random);
		this.service = new HostileService(this.#time, this.#random, this.#truth);
		this.oracle = new Oracle(this.#time, this.#truth, this.service);
		const storeOf = (of: Mirrored): FaultyStore =>
			faultyStore(this.#time, stores[of], {
				onLoad: (isAnswered) => this.oracle.onLoad(of, isAnswered),
				onSaved: () => this.oracle.onSaved(of),
			});
		this.#files = stores;
		this.#machine = {
			clockMs: 0,
			stores: { inventory: storeOf("inventory"), coa: storeOf("coa") },
			onAlert: (of, alert) => this.oracle.onAlert(of, alert),
			onRequest: (report) => this.oracle.onRequest(report),
		};
	}

	async live(network: Network, steps: readonly Step[]): Promise<void> {
		const { oracle } = this;
		const time = this.#time;
		const look = (): void => this.process && oracle.look(this.process);
		this.#truth.keepChanging();
		this.#shop();
		this.#boot(network);
		for (const step of steps) {
			await time.run(step.quietMs, look);
			if (!KIND.has(step.trouble as Fault)) oracle.kindSince = Number.POSITIVE_INFINITY;
			this.#setTrouble(step.trouble);
			if (step.trouble === "down") network.down();
			await time.run(step.lengthMs / 2, look);
			if (step.blow !== null) oracle.kindSince = Number.POSITIVE_INFINITY;
			await this.#strike(step, network);
			await time.run(Math.max(step.lengthMs / 2, step.goneMs + 1), look);
			if (step.trouble === "down") network.up();
			this.#setTrouble("none");
			oracle.kindSince = Math.min(oracle.kindSince, time.now);
		}
		await time.run(2 * EVERY_MS, look);
	}

	#boot(network: Network): void {
		for (const of of MIRRORED) this.oracle.memories[of].forget();
		const skus = Object.fromEntries(this.#truth.skus.map(({ name }) => [`my ${name}`, name]));
		this.process = new PartnerProcess(this.#time, network, this.#machine, skus);
		this.process.start();
	}

	#setTrouble(trouble: Step["trouble"]): void {
		this.service.fault = (FAULTS as readonly string[]).includes(trouble) ? (trouble as Fault) : "none";
		for (const store of Object.values(this.#machine.stores)) {
			store.fault = trouble === "storesFail" || trouble === "storesHang" ? trouble : null;
		}
	}

	async #strike({ blow, goneMs }: Step, network: Network): Promise<void> {
		if (blow === null) return;
		if (blow === "clockForward") return this.#setClock(HOUR_MS);
		if (blow === "clockBack") return this.#setClock(-HOUR_MS);
		if (blow === "refuseCursors") return this.service.refuseCursors();
		const gone = this.process;
		if (blow === "restart") gone?.stop();
		else gone?.kill();
		this.process = undefined;
		if (blow === "killAndSetBack") this.#setClock(-HOUR_MS);
		if (blow === "killAndTear" || blow === "killAndSwap") await this.#damageFiles(blow);
		this.#time.plan(goneMs, () => {
			gone?.kill();
			this.#boot(network);
		});
	}

	#setClock(byMs: number): void {
		this.#machine.clockMs += byMs;
		this.oracle.clockMs = this.#machine.clockMs;
		this.oracle.clockSetAt = this.#time.now;
	}

	async #damageFiles(how: "killAndTear" | "killAndSwap"): Promise<void> {
		const { inventory, coa } = this.#files;
		const own = (await inventory.load()) ?? "";
		const other = (await coa.load()) ?? "";
		await inventory.save(how === "killAndTear" ? own.slice(0, own.length / 2) : other);
		await coa.save(how === "killAndTear" ? other.slice(0, -1) : own);
		const { memories } = this.oracle;
		if (how === "killAndSwap") memories.inventory.swap(memories.coa);
		else for (const of of MIRRORED) memories[of].tear();
	}

	/** The partner's shop sends bursts of requests with the key of the mirrors. */
	#shop(): void {
		this.#time.plan(this.#random.between(10, 40) * MINUTE_MS, () => {
			const { holdfast } = this.process ?? {};
			for (let n = 0; n < BURST && holdfast; n++) holdfast.check([{ sku: "SKU-1", qty: 1 }]).catch(() => undefined);
			this.#shop();
		});
	}
}

interface FaultyStore extends MirrorStore {
	fault: "storesFail" | "storesHang" | null;
}

interface Uses {
	onLoad(isAnswered: boolean): void;
	onSaved(): void;
}

/** A store that fails, or does not answer, for some time. Its own files take no time of the test. */
function faultyStore(time: TestTime, store: MirrorStore, { onLoad, onSaved }: Uses): FaultyStore {
	const use = async <T>(act: () => Promise<T>): Promise<T> => {
		if (self.fault === null) return await time.during(act);
		if (self.fault === "storesHang") return await new Promise<never>(() => undefined);
		throw new Error("The disk is full.");
	};
	const self: FaultyStore = {
		fault: null,
		load() {
			onLoad(self.fault === null);
			return use(() => store.load());
		},
		save(text) {
			if (self.fault === null) onSaved();
			return use(() => store.save(text));
		},
	};
	return self;
}
