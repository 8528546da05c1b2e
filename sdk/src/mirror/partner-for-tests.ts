import { Holdfast } from "../client/holdfast.ts";
import type { Clock, RequestReport } from "../client/types.ts";
import { CoaMirror, InventoryMirror, type MirrorAlert, type MirrorStore } from "./index.ts";
import { type Network, REQUEST_ID } from "./network-for-tests.ts";
import type { TestTime } from "./time-for-tests.ts";

/** Milliseconds of the test's time after which an attempt without an answer is given up. */
const TIMEOUT_MS = 30_000;
/** Real milliseconds, which no attempt takes. */
const NEVER_MS = 3_600_000;
const NEVER = new Promise<never>(() => undefined);

/** Requests of all processes. */
let sent = 0;

/** The machine of a partner: its clock is set by people, its files outlive its processes. */
export interface Machine {
	clockMs: number;
	readonly stores: { readonly inventory: MirrorStore; readonly coa: MirrorStore };
	/** Called by each process of the machine, later ones too. */
	readonly onAlert: (of: "inventory" | "coa", alert: MirrorAlert) => void;
	readonly onRequest: (report: RequestReport) => void;
}

/** A process of the partner: a client, and both mirrors. When killed, it does nothing more, wherever it was. */
export class PartnerProcess {
	readonly holdfast: Holdfast;
	readonly inventory: InventoryMirror;
	readonly coa: CoaMirror;
	/** When it sent its requests. */
	readonly sentAt: number[] = [];
	/** Whether the first refresh of both mirrors has ended. */
	isStarted = false;
	readonly #time: TestTime;
	readonly #network: Network;
	#isAlive = true;
	/** Requests that only the test's clock ends, and the controllers that abort them. */
	readonly #silent = new Map<string, AbortController>();
	readonly #requests = new Map<string, AbortController>();

	constructor(time: TestTime, network: Network, machine: Machine, skus: Readonly<Record<string, string>>) {
		this.#time = time;
		this.#network = network;
		network.onSilence = (id) => this.#beSilent(id);
		network.onEndOfSilence = (id) => this.#endSilence(id);
		const steady: Clock = {
			now: () => time.now,
			sleep: (ms) => new Promise((resolve) => time.plan(ms, () => this.#isAlive && resolve())),
		};
		const clock: Clock = { now: () => time.now + machine.clockMs, sleep: steady.sleep };
		this.holdfast = new Holdfast({
			baseUrl: network.url,
			coaUrl: network.url,
			token: "pk_test:sk_test",
			timeoutMs: NEVER_MS,
			fetch: (url, init) => this.#fetch(url as string, init),
			onRequest: (report) => {
				if (!this.#isAlive) return;
				time.end();
				machine.onRequest(report);
			},
			clock: steady,
		});
		const optionsOf = (of: "inventory" | "coa") => ({
			holdfast: this.holdfast,
			clock,
			store: this.#whileAlive(machine.stores[of]),
			onAlert: (alert: MirrorAlert) => this.#isAlive && machine.onAlert(of, alert),
		});
		this.inventory = new InventoryMirror({ ...optionsOf("inventory"), skus });
		this.coa = new CoaMirror(optionsOf("coa"));
	}

	start(): void {
		void Promise.all([this.inventory.start(), this.coa.start()]).then(() => {
			this.isStarted = true;
		});
	}

	stop(): void {
		void Promise.all([this.inventory.stop(), this.coa.stop()]).then(() => this.kill());
	}

	kill(): void {
		this.#isAlive = false;
		const unanswered = [...this.#silent.values()];
		this.#silent.clear();
		for (const request of unanswered) request.abort();
	}

	async #fetch(url: string, init: RequestInit | undefined): Promise<Response> {
		if (!this.#isAlive) return await NEVER;
		const id = String(++sent);
		this.sentAt.push(this.#time.now);
		const headers = new Headers(init?.headers);
		headers.set(REQUEST_ID, id);
		const request = new AbortController();
		const signal = AbortSignal.any([request.signal, ...(init?.signal ? [init.signal] : [])]);
		const endSilence = (): void => this.#endSilence(id);
		signal.addEventListener("abort", endSilence);
		this.#time.begin(); // until onRequest
		this.#requests.set(id, request);
		try {
			return await this.#network.fetch(url, { ...init, headers, signal });
		} finally {
			signal.removeEventListener("abort", endSilence); // a signal with a listener is never garbage-collected
			this.#requests.delete(id);
		}
	}

	#beSilent(id: string): void {
		const request = this.#requests.get(id);
		if (!this.#isAlive || request === undefined) return;
		this.#silent.set(id, request);
		this.#time.plan(TIMEOUT_MS, () => this.#silent.has(id) && request.abort(new DOMException("late", "TimeoutError")));
		this.#time.end();
	}

	#endSilence(id: string): void {
		if (this.#silent.delete(id)) this.#time.begin();
	}

	#whileAlive(store: MirrorStore): MirrorStore {
		return {
			load: () => (this.#isAlive ? store.load() : NEVER),
			save: (text) => (this.#isAlive ? store.save(text) : NEVER),
		};
	}
}
