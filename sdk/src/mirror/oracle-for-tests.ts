import type { Count, UnknownReason } from "../client/count.ts";
import type { RequestReport } from "../client/types.ts";
import type { Certificates } from "./coa-mirror.ts";
import { Memory } from "./memory-for-tests.ts";
import type { MirrorAlert, MirrorStatus } from "./options.ts";
import type { PartnerProcess } from "./partner-for-tests.ts";
import type { HostileService } from "./service-for-tests.ts";
import type { TestTime } from "./time-for-tests.ts";
import type { Status, Stock, Truth } from "./truth-for-tests.ts";

export const MIRRORED = ["inventory", "coa"] as const;
export type Mirrored = (typeof MIRRORED)[number];

export const EVERY_MS = 240_000;
const STALE_AFTER_MS = 600_000;
/**
 * Time within which a service that behaves has answered a refresh, even after a burst of other requests that are
 * repeated.
 */
const REFRESH_MS = 300_000;
const WINDOW_MS = 60_000;
const LIMIT = 60;
/** Attempts of a request: the first one and the client's retries. */
const ATTEMPTS = 3;

/** Looks at everything that a partner can see, and compares it with what the service had. Throws what is wrong. */
export class Oracle {
	/** Since when nothing hostile has happened. */
	kindSince = 0;
	/** The local clock: how far it is from the true time, and when it was set last. */
	clockMs = 0;
	clockSetAt = 0;
	readonly alerts: Record<Mirrored, MirrorAlert["kind"][]> = { inventory: [], coa: [] };
	readonly memories: Readonly<Record<Mirrored, Memory>>;
	#toldTwice: string | undefined;
	readonly #time: TestTime;
	readonly #truth: Truth;
	readonly #service: HostileService;

	constructor(time: TestTime, truth: Truth, service: HostileService) {
		this.#time = time;
		this.#truth = truth;
		this.#service = service;
		this.memories = { inventory: new Memory(time, this), coa: new Memory(time, this) };
	}

	onAlert(of: Mirrored, { kind }: MirrorAlert): void {
		const isTwice = this.memories[of].tell(kind);
		if (isTwice) this.#toldTwice = `${of} told ${kind} twice`; // a mirror ignores what onAlert throws
		this.alerts[of].push(kind);
	}

	onRequest({ operation, status, code, attempt }: RequestReport): void {
		const isRefused = code === "unauthorized" || code === "forbidden";
		const isGivenUp = (status === 401 || status === 403) && attempt === ATTEMPTS;
		if (!isRefused && !isGivenUp) return;
		const of = operation === "products.list" ? "inventory" : operation === "coa.list" ? "coa" : null;
		if (of !== null) this.memories[of].refuse();
	}

	onLoad(of: Mirrored, isAnswered: boolean): void {
		this.memories[of].load(isAnswered);
	}

	onSaved(of: Mirrored): void {
		this.memories[of].save(this.#service.readings[of].to);
	}

	/** Everything that must hold at any moment. */
	look(process: PartnerProcess): void {
		if (this.#toldTwice !== undefined) this.#fail(this.#toldTwice);
		this.#lookAtRate(process.sentAt);
		const { now } = this.#time;
		const sinceOf = (of: Mirrored): number =>
			now - STALE_AFTER_MS - this.memories[of].hiddenAgeMs(this.#service.readings[of].to);
		const { inventory, coa } = process;
		for (const { name, history } of this.#truth.skus)
			this.#lookAtCount(name, inventory.count(`my ${name}`), history.during(sinceOf("inventory"), now));
		this.#lookAtCertificates(coa.all(), sinceOf("coa"));
		for (const of of MIRRORED) this.#lookAtStatus(of, process);
		if (this.#service.readings.inventory.from >= this.kindSince) this.#lookForEqualCounts(process);
		if (this.#service.readings.coa.from >= this.kindSince) this.#lookForEqualCertificates(process);
		if (now - this.kindSince <= EVERY_MS + REFRESH_MS) return;
		for (const { to } of Object.values(this.#service.readings)) {
			if (to < now - EVERY_MS - REFRESH_MS) this.#fail("No refresh has ended.");
		}
	}

	#lookAtRate(sentAt: number[]): void {
		while ((sentAt[0] ?? this.#time.now) <= this.#time.now - WINDOW_MS) sentAt.shift();
		if (sentAt.length > LIMIT) this.#fail(`${sentAt.length} requests in 60 seconds`);
	}

	#lookAtCount(name: string, count: Count, had: readonly (Stock | undefined)[]): void {
		const isTrue =
			count.kind === "known"
				? had.includes(count.qty)
				: count.kind === "untracked"
					? had.includes(null)
					: count.why !== "unknown_sku" || had.includes("unlisted");
		if (!isTrue) this.#fail(`${name} is given as ${JSON.stringify(count)}; it had ${JSON.stringify(had)}`);
	}

	#lookAtCertificates(seen: Certificates, since: number): void {
		const given = seen.kind === "known" ? seen.items : [];
		for (const { product, batchNumber, status } of given) {
			const { history } = this.#certificate(`${product.slug} ${batchNumber}`);
			if (!history.during(since, this.#time.now).includes(status as Status))
				this.#fail(`${batchNumber} is given as ${status}`);
		}
	}

	#certificate(name: string): Truth["certificates"][number] {
		return this.#truth.certificates.find((one) => one.name === name) ?? this.#fail(`${name} does not exist`);
	}

	#lookAtStatus(of: Mirrored, process: PartnerProcess): void {
		const { kind } = process[of].status();
		const isShown = of === "coa" ? process.coa.all().kind === "known" : this.#hasCounts(process);
		if (isShown !== (kind === "fresh")) this.#fail(`${of} is ${kind}, and ${isShown ? "" : "not "}shown`);
		const isRefused = this.memories[of].refusedAt > this.#service.readings[of].to;
		if (isRefused && kind !== "unauthorized") this.#fail(`${of} is ${kind} although the key is refused`);
		if (!process.isStarted || this.#time.now - this.clockSetAt <= EVERY_MS + REFRESH_MS) return;
		const { told, isMistaken } = this.memories[of];
		if (!isMistaken && !SAID[kind].has(told)) this.#fail(`${of} is ${kind}, and people know: ${told}`);
	}

	#hasCounts({ inventory }: PartnerProcess): boolean {
		return this.#truth.skus.some(({ name }) => {
			const count = inventory.count(`my ${name}`);
			return count.kind !== "unknown" || count.why === "unknown_sku";
		});
	}

	/** One refresh after the last trouble, everything is shown as the service had it then. */
	#lookForEqualCounts({ inventory }: PartnerProcess): void {
		const { from, to } = this.#service.readings.inventory;
		for (const { name, history } of this.#truth.skus) {
			const count = inventory.count(`my ${name}`);
			const given: Stock | UnknownReason | undefined =
				count.kind === "known" ? count.qty : count.kind === "untracked" ? null : count.why;
			const had = history.during(from, to).map((stock) => (stock === "unlisted" ? "unknown_sku" : stock));
			if (!had.some((stock) => stock === given)) this.#fail(`${name} is ${given}, and had ${JSON.stringify(had)}`);
		}
		this.#lookForWellness("inventory");
	}

	#lookForEqualCertificates({ coa }: PartnerProcess): void {
		const { from, to } = this.#service.readings.coa;
		const seen = coa.all();
		const items = seen.kind === "known" ? seen.items : this.#fail("The certificates are unknown.");
		if (items.length !== this.#truth.certificates.length) this.#fail(`There are ${items.length} certificates.`);
		for (const { product, batchNumber, status } of items) {
			const had = this.#certificate(`${product.slug} ${batchNumber}`).history.during(from, to);
			if (!had.includes(status as Status)) this.#fail(`${batchNumber} is ${status}, and was ${had.join(" ")}`);
		}
		this.#lookForWellness("coa");
	}

	#lookForWellness(of: Mirrored): void {
		const { told, isMistaken } = this.memories[of];
		if (!isMistaken && told !== "recovered") this.#fail(`${of} is well, and people know: ${told}`);
	}

	#fail(message: string): never {
		throw new Error(`${new Date(this.#time.now).toISOString()}: ${message}`);
	}
}

/** What people may have been told last while a mirror is in a state. */
const SAID: Readonly<Record<MirrorStatus["kind"], ReadonlySet<MirrorAlert["kind"]>>> = {
	fresh: new Set(["recovered", "failing"]),
	stale: new Set(["stale"]),
	unauthorized: new Set(["unauthorized"]),
	empty: new Set(["failing", "stale"]),
};
