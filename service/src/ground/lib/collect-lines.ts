/** Characters collected before they are written. */
const MOST_COLLECTED = 16_384;
/** Milliseconds after which collected lines are written anyway; a process that is killed loses them. */
const COLLECTED_FOR_MS = 50;

interface Sink {
	write(text: string): unknown;
}

/** Collects lines and writes several at once: on a loaded node one write costs as much as several lines. */
export interface CollectedLines extends Sink {
	/** Writes the collected lines now. */
	writeOut(): void;
}

export function collectLines(sink: Sink): CollectedLines {
	let collected = "";
	let timer: NodeJS.Timeout | null = null;
	const writeOut = (): void => {
		if (timer !== null) clearTimeout(timer);
		timer = null;
		if (collected === "") return;
		const text = collected;
		collected = "";
		sink.write(text);
	};
	return {
		write(line) {
			collected += line;
			if (collected.length >= MOST_COLLECTED) writeOut();
			else timer ??= setTimeout(writeOut, COLLECTED_FOR_MS).unref(); // unref: the timer must not keep the process alive
		},
		writeOut,
	};
}
