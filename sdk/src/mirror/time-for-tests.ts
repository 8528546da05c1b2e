interface Planned {
	readonly at: number;
	readonly happen: () => unknown;
}

/**
 * The true time of a test. It moves to the next planned event only when nothing is in progress: code that waits for a
 * socket or a file says so by `begin` and `end`, so that real input and output take no time of this clock.
 */
export class TestTime {
	now = Date.UTC(2026, 8, 6);
	#planned: Planned[] = [];
	#underWay = 0;
	#whenIdle: () => void = () => undefined;

	plan(afterMs: number, happen: () => unknown): void {
		const event = { at: this.now + Math.max(0, afterMs), happen };
		const at = this.#planned.findLastIndex((other) => other.at <= event.at) + 1;
		this.#planned.splice(at, 0, event);
	}

	begin(): void {
		this.#underWay++;
	}

	end(): void {
		this.#underWay--;
		if (this.#underWay < 0) throw new Error("More ended than began.");
		if (this.#underWay === 0) this.#whenIdle();
	}

	async during<T>(work: () => Promise<T>): Promise<T> {
		this.begin();
		try {
			return await work();
		} finally {
			this.end();
		}
	}

	/** Runs for this time. `look` is called whenever everything waits for the time. */
	async run(ms: number, look: () => void): Promise<void> {
		const end = this.now + ms;
		await this.#settle();
		look();
		for (let next = this.#planned[0]; next !== undefined && next.at <= end; next = this.#planned[0]) {
			this.#planned.shift();
			this.now = next.at;
			await next.happen();
			await this.#settle();
			if ((this.#planned[0]?.at ?? end + 1) > this.now) look();
		}
		this.now = end;
	}

	async #settle(): Promise<void> {
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (this.#underWay === 0) return;
			await new Promise<void>((resolve) => {
				this.#whenIdle = resolve;
			});
		}
	}
}

/** The values that something had, by time. */
export class History<T> {
	readonly #changes: { readonly at: number; readonly value: T }[] = [];

	set(at: number, value: T): void {
		this.#changes.push({ at, value });
	}

	get last(): T | undefined {
		return this.#changes.at(-1)?.value;
	}

	/** Every value that it had from a time to another one, both included. A change at a time has two values at it. */
	during(from: number, to: number): (T | undefined)[] {
		const first = this.#changes.findLast(({ at }) => at < from)?.value;
		return [first, ...this.#changes.filter(({ at }) => at >= from && at <= to).map(({ value }) => value)];
	}
}
