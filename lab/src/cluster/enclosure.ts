/**
 * The trial of a cluster runs in namespaces of its own: of networks, processes, mounts and shared memory. Everything
 * that it starts, mounts and connects ends with the namespaces, however the trial ends.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Marks the command line of the process inside. */
export const ENCLOSED = "--enclosed";
const NAMESPACES = ["--net", "--pid", "--ipc", "--mount", "--mount-proc", "--fork", "--kill-child"];
/** Exit code of a process that was killed. */
const KILLED = 137;

/** Runs this program again inside; resolves with its exit code. */
export async function runEnclosed(program: string, args: readonly string[]): Promise<number> {
	const child = spawn("unshare", [...NAMESPACES, process.execPath, program, ...args, ENCLOSED], {
		stdio: ["inherit", "inherit", "inherit", "ipc"],
	});
	// a Ctrl-C at the terminal reaches the process inside by itself; other signals are handed on
	let signals = 0;
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.on(name, () => {
			if (signals++ > 0) child.kill("SIGKILL");
			else if (name !== "SIGINT" || !process.stdin.isTTY) child.send("stop", () => undefined);
		});
	}
	const [code] = (await once(child, "exit")) as [number | null];
	return code ?? KILLED;
}

/** Aborts when the process outside asks for the end, or is gone. */
export function untilStopped(): AbortSignal {
	const stopped = new AbortController();
	const stop = (why: string): void => stopped.abort(new Error(`${why}: stopped before the end`));
	process.once("SIGINT", () => stop("SIGINT"));
	process.once("SIGTERM", () => stop("SIGTERM"));
	process.once("message", () => stop("a signal"));
	process.once("disconnect", () => stop("the starting process ended"));
	return stopped.signal;
}
