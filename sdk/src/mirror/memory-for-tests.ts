import type { MirrorAlert } from "./options.ts";
import type { TestTime } from "./time-for-tests.ts";

/** What a process knows about the past. */
interface Knowledge {
	/** The last alert; null: the mirror does not know it, and knows that. */
	readonly told: MirrorAlert["kind"] | null;
	/** When the key was refused last; 0: not known. */
	readonly refusedAt: number;
	/** Milliseconds by which the loaded copy is older than the mirror can know. */
	readonly hiddenAgeMs: number;
}

/** The text in a store. */
interface Text extends Knowledge {
	/** The store whose mirror wrote it; null: it is damaged. */
	readonly of: Memory | null;
	readonly savedAt: number;
	/** What the local clock showed then. */
	readonly shownAt: number;
}

/** The local clock: how far it is from the true time. */
interface LocalClock {
	readonly clockMs: number;
}

const LOST: Knowledge = { told: null, refusedAt: 0, hiddenAgeMs: 0 };

/** What people were told by a mirror, and what its process and the text in its store know about the past. */
export class Memory {
	/** The last alert that people got. */
	told: MirrorAlert["kind"] = "recovered";
	readonly #time: TestTime;
	readonly #clock: LocalClock;
	#known: Knowledge = { told: "recovered", refusedAt: 0, hiddenAgeMs: 0 };
	#loadedAt = 0;
	#text: Text;

	constructor(time: TestTime, clock: LocalClock) {
		this.#time = time;
		this.#clock = clock;
		this.#text = this.#newText();
	}

	/** @returns whether the process knew that people were told the same */
	tell(kind: MirrorAlert["kind"]): boolean {
		const isKnown = this.#known.told === kind;
		this.told = kind;
		this.#known = { ...this.#known, told: kind };
		return isKnown;
	}

	refuse(): void {
		this.#known = { ...this.#known, refusedAt: this.#time.now };
	}

	/** Another process starts, which knows nothing. */
	forget(): void {
		this.#known = LOST;
	}

	/** Each process does this when it starts, and again until the store or the service has answered. */
	load(isAnswered: boolean): void {
		const { of, savedAt, shownAt, ...known } = this.#text;
		this.#loadedAt = this.#time.now;
		if (!isAnswered || of !== this) return;
		const agedMs = this.#time.now - savedAt;
		const shownMs = this.#time.now + this.#clock.clockMs - shownAt;
		this.#known = {
			told: this.#known.told ?? known.told,
			refusedAt: Math.max(this.#known.refusedAt, known.refusedAt),
			// a time in the future shows that the clock was set back; then the copy is not given
			hiddenAgeMs: shownMs < 0 ? 0 : known.hiddenAgeMs + agedMs - shownMs,
		};
	}

	save(readAt: number): void {
		this.#known = { ...this.#known, hiddenAgeMs: this.hiddenAgeMs(readAt) };
		this.#text = this.#newText();
	}

	tear(): void {
		this.#text = { ...this.#text, of: null };
	}

	/** Exchanges the texts of two stores. */
	swap(other: Memory): void {
		[this.#text, other.#text] = [other.#text, this.#text];
	}

	get refusedAt(): number {
		return this.#known.refusedAt;
	}

	/** Whether an earlier process could not save its last alert, so that this one takes an older alert for the last. */
	get isMistaken(): boolean {
		return this.#known.told !== null && this.#known.told !== this.told;
	}

	/**
	 * Milliseconds by which the copy is older than the mirror can know: not 0 if no process saved for some time and the
	 * clock was then set back by less than that. `readAt`: when the service was last read to the end.
	 */
	hiddenAgeMs(readAt: number): number {
		return readAt >= this.#loadedAt ? 0 : Math.max(0, this.#known.hiddenAgeMs);
	}

	#newText(): Text {
		const { now } = this.#time;
		return { ...this.#known, of: this, savedAt: now, shownAt: now + this.#clock.clockMs };
	}
}
