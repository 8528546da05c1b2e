/** Characters of lines that are collected before they are written. */
const MOST_COLLECTED = 16_384;
/** Milliseconds after which they are written all the same: what a process that is killed outright may not have told. */
const COLLECTED_FOR_MS = 50;

/** Somewhere that lines go. */
interface Sink {
	write(text: string): unknown;
}

/** Lines on their way to a sink, some at a time: a write costs a loaded node as much as several lines do. */
export interface CollectedLines extends Sink {
	/** Writes what was collected, now. */
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
			else timer ??= setTimeout(writeOut, COLLECTED_FOR_MS).unref(); // it keeps no process alive
		},
		writeOut,
	};
}
