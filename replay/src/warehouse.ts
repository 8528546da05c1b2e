import { inOrder } from "./drive.ts";
import type { Left, Operator } from "./operator.ts";
import { kitsLeft, kitsOf, type OrderFile } from "./order-file.ts";
import type { Line } from "./split.ts";
import type { OrderTally } from "./tally.ts";
import { firstPartOf, type Work, workOf } from "./work.ts";

/** Maximum number of orders in work at a time. */
const HANDS = 8;
/** Retries for a box that is repacked while the warehouse works on it. */
const LOOKS = 20;
/** Invoices that begin before an order on hold is released. */
const HELD_FOR = 100;

interface Deps {
	readonly seed: number;
	readonly operator: Operator;
	/** By order id. */
	readonly files: ReadonlyMap<string, OrderFile>;
	readonly count: OrderTally;
	/** Formula ids of a file's lines. */
	readonly formulasOf: (file: OrderFile) => readonly string[];
}

type Task = () => Promise<void>;

/** Picks, packs and ships orders, each some time after its arrival, several at a time. */
export class Warehouse {
	readonly #deps: Deps;
	readonly #due = new Map<number, Task[]>();
	readonly #ready: Task[] = [];
	readonly #busy = new Set<Promise<void>>();
	#turn = 0;
	/** The run fails once a task fails. */
	readonly #failed = Promise.withResolvers<never>();

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#failed.promise.catch(() => undefined); // handled by those that await it
	}

	/** Rejects after an unexpected failure. */
	get failed(): Promise<never> {
		return this.#failed.promise;
	}

	/** Orders that wait or are in work. */
	get waiting(): number {
		return this.#ready.length + this.#busy.size + [...this.#due.values()].reduce((sum, { length }) => sum + length, 0);
	}

	arrived(file: OrderFile): void {
		const work = workOf(this.#deps.seed, file.ref);
		this.#later(work.delay, () => this.#begin(file, work));
	}

	/** Continues with an order that was on hold. */
	again(file: OrderFile): void {
		this.#later(0, () => this.#take(file, workOf(this.#deps.seed, file.ref)));
	}

	/** Called when another invoice begins: starts the tasks that are due. */
	turn(): void {
		this.#turn += 1;
		this.#ready.push(...(this.#due.get(this.#turn) ?? []));
		this.#due.delete(this.#turn);
		this.#takeUp();
	}

	/** Starts all waiting tasks at once; resolves when none is left. `progress`: the share that is done, 0 to 1. */
	async finish(progress: (share: number) => void): Promise<void> {
		while (this.waiting > 0) {
			const tasks = [...this.#ready.splice(0), ...[...this.#due.values()].flat()];
			this.#due.clear();
			let done = 0;
			const working = inOrder(tasks, HANDS, async (task) => {
				await task();
				done += 1;
				progress(done / tasks.length);
			});
			await Promise.race([this.failed, Promise.all([...this.#busy, working])]);
		}
	}

	#later(turns: number, task: Task): void {
		const at = this.#turn + 1 + turns;
		this.#due.set(at, [...(this.#due.get(at) ?? []), task]);
	}

	#takeUp(): void {
		while (this.#busy.size < HANDS) {
			const task = this.#ready.shift();
			if (task === undefined) return;
			const done = task()
				.catch(this.#failed.reject)
				.then(() => {
					this.#busy.delete(done);
					this.#takeUp();
				});
			this.#busy.add(done);
		}
	}

	async #begin(file: OrderFile, work: Work): Promise<void> {
		const { operator, count } = this.#deps;
		if (!work.hold || file.cancelled || (await operator.hold(file, "a question to the partner")) !== "done")
			return await this.#take(file, work);
		count.heldByOperator += 1;
		if (work.release) this.#later(HELD_FOR, () => this.#letGo(file, work));
	}

	async #letGo(file: OrderFile, work: Work): Promise<void> {
		if ((await this.#deps.operator.release(file, this.#deps.formulasOf(file), file.brand)) !== "done") return;
		file.releases += 1;
		await this.#take(file, work);
	}

	/** Does an order's work, as far as its state allows. */
	async #take(file: OrderFile, work: Work): Promise<void> {
		const { operator } = this.#deps;
		if (work.way === "nothing" || file.cancelled) return;
		if ((await operator.pick(file)) === "done") file.picked = true;
		if (work.way === "picked") return;
		if (work.label) await operator.label(file, `1Z${file.orderId.slice(0, 8)}`);
		if (work.way !== "whole") {
			const part = file.boxes.size === 0 ? firstPartOf(file.lines) : null;
			if (part !== null && !(await this.#ship(file, part))) return;
			if (work.way === "first part") return;
		}
		const left = await this.#ship(file, null);
		if (left === null || work.mistake === "none" || !(await this.#void(left))) return;
		if (work.mistake === "shipped again") await this.#ship(file, null);
	}

	/** Returns the box that it shipped in; null: nothing could be shipped. */
	async #ship(file: OrderFile, items: readonly Line[] | null): Promise<Left | null> {
		for (let looks = 1; looks <= LOOKS; looks += 1) {
			const left = await this.#deps.operator.ship(file.orderId, items);
			if (left === "wrong_state") return null;
			if (left === "again") continue;
			this.#note(left);
			return left;
		}
		return null;
	}

	#note({ boxId, orderIds, items }: Left): void {
		const { files, count } = this.#deps;
		count.boxes += 1;
		if (items !== null) count.parts += 1;
		for (const orderId of orderIds) {
			const file = files.get(orderId) as OrderFile;
			file.boxes.set(boxId, items === null ? kitsLeft(file) : kitsOf(items));
		}
	}

	async #void(left: Left): Promise<boolean> {
		for (let looks = 1; looks <= LOOKS; looks += 1) {
			const outcome = await this.#deps.operator.voidBox(left);
			if (outcome === "wrong_state") return false;
			if (outcome === "again") continue;
			for (const orderId of left.orderIds) this.#deps.files.get(orderId)?.boxes.delete(left.boxId);
			this.#deps.count.voided += 1;
			return true;
		}
		return false;
	}
}
