import { execFile } from "node:child_process";

/** The result of an operator's command. */
export interface Ran {
	/** Exit code; null: it was killed, by us or by another signal. */
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Milliseconds after which a command is killed; it waits for the database itself before it gives up. */
const PATIENCE_MS = 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs `holdfast …` in a process of its own. Never rejects because of the command's result. */
export function holdfast(
	launcher: string,
	env: NodeJS.ProcessEnv,
	args: readonly string[],
	patienceMs = PATIENCE_MS,
): Promise<Ran> {
	return new Promise((resolve) => {
		const options = { env, maxBuffer: MAX_OUTPUT, timeout: patienceMs, killSignal: "SIGKILL" as const };
		execFile(process.execPath, [launcher, ...args], options, (error, stdout, stderr) => {
			resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : null, stdout, stderr });
		});
	});
}

/** The document that a command printed; null when it printed none. */
export function printedBy({ stdout }: Ran): unknown {
	try {
		return JSON.parse(stdout) as unknown;
	} catch {
		return null;
	}
}

/** The same without tokens, which are kept only by the actor that uses them. */
export const withoutTokens = (printed: unknown): unknown =>
	JSON.parse(JSON.stringify(printed ?? null), (name, value: unknown) =>
		name === "token" ? undefined : value,
	) as unknown;

export const lastLine = (text: string): string | null => text.trim().split("\n").at(-1) || null;
