import { monotonicMs } from "../../../service/src/ground/lib/clock.ts";
import { complain } from "./output.ts";

/** Receives the progress of long work. */
export interface Progress {
	/** Called when a new stage of `total` rows begins. */
	readonly stage: (name: string, total: number) => void;
	readonly advance: (rows: number) => void;
	readonly end: () => void;
}

/** Milliseconds before the first plain line and between lines, so that short work prints none. */
const LINE_EVERY_MS = 2_000;

/** A progress bar on a terminal, plain lines elsewhere; always on standard error. */
export async function createProgress(): Promise<Progress> {
	return process.stderr.isTTY ? await bars() : lines();
}

async function bars(): Promise<Progress> {
	const { progress } = await import("@clack/prompts");
	let bar: ReturnType<typeof progress> | null = null;
	let label = "";
	const end = (): void => {
		bar?.stop(label);
		bar = null;
	};
	return {
		stage: (name, total) => {
			end();
			if (total === 0) return;
			label = `${name}: ${total}`;
			bar = progress({ max: total, output: process.stderr });
			bar.start(label);
		},
		advance: (rows) => bar?.advance(rows),
		end,
	};
}

function lines(): Progress {
	let last = monotonicMs();
	let stage = { name: "", total: 0, done: 0 };
	const sayAtTimes = (): void => {
		if (monotonicMs() - last < LINE_EVERY_MS) return;
		last = monotonicMs();
		complain(`${stage.name}: ${stage.done} of ${Math.max(stage.done, stage.total)}`); // a total may be an estimate
	};
	return {
		stage: (name, total) => {
			stage = { name, total, done: 0 };
			if (total > 0) sayAtTimes();
		},
		advance: (rows) => {
			stage.done += rows;
			sayAtTimes();
		},
		end: () => undefined,
	};
}
