/** A host: a network, a disk that outlives its power, and processes that end with it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, ended, identify, type Process, signal } from "../ground/processes.ts";
import { Cable } from "./network.ts";

/** A program that the host's init starts, and starts again a moment after it has ended. */
export interface Program {
	readonly name: string;
	readonly command: readonly string[];
	/** The account that it runs as. */
	readonly account: string;
	readonly env: Readonly<Record<string, string>>;
}

export interface HostPlan {
	readonly name: string;
	readonly address: string;
	/** Folder of the host's disks. */
	readonly disk: string;
	/** Folders of the host that are on its disk, with the account that owns them. */
	readonly folders: Readonly<Record<string, string>>;
	readonly programs: readonly Program[];
	/** Folder of the logs, one file for each program. */
	readonly logs: string;
}

/** Milliseconds from the end of a program to its next start, as with systemd's RestartSec=1. */
const RESTART_MS = 1_000;
/** Milliseconds for all processes of a host to vanish. */
const GONE_MS = 10_000;
const LOOK_EVERY_MS = 20;
const BOOT_MS = 10_000;
const OWN_NAMESPACES = ["--pid", "--ipc", "--mount", "--mount-proc", "--fork", "--kill-child"];
/** The file that says that the host has started. */
const STARTED = "/run/started";

export class Host {
	readonly plan: HostPlan;
	readonly cable: Cable;
	#power: ChildProcess | null = null;
	#init: Process | null = null;
	/** Programs that are kept from being started. */
	readonly #held = new Set<string>();
	/** The `nsenter` of each program. */
	readonly #entered = new Map<string, ChildProcess>();

	constructor(plan: HostPlan) {
		this.plan = plan;
		this.cable = new Cable(plan.name, plan.address);
	}

	get name(): string {
		return this.plan.name;
	}

	get address(): string {
		return this.plan.address;
	}

	get isOn(): boolean {
		return this.#power !== null;
	}

	/** Starts the host and its programs. */
	async powerOn(): Promise<void> {
		this.cable.plugIn();
		for (const folder of Object.keys(this.plan.folders))
			mkdirSync(path.join(this.plan.disk, folder), { recursive: true });
		const out = openSync(path.join(this.plan.logs, `${this.name}-power.log`), "a");
		const power = spawn(
			"nsenter",
			[this.cable.enter, "unshare", ...OWN_NAMESPACES, "sh", "-ec", bootScript(this.plan)],
			{ stdio: ["ignore", out, out], detached: true },
		);
		closeSync(out);
		this.#power = power;
		this.#init = null;
		const gone = once(power, "exit").then(() => {
			throw new Error(`host ${this.name} did not start`);
		});
		gone.catch(() => undefined);
		this.#init = await Promise.race([this.#awaitInit(power), gone]);
		this.#held.clear();
		for (const program of this.plan.programs) this.#launch(program, power);
	}

	/** Ends every process of the host at the same moment, and cuts its link: nothing is flushed, nobody is told. */
	async powerOff(): Promise<void> {
		const power = this.#power;
		if (power === null) return;
		const all = this.processes();
		this.#power = null;
		this.cable.pullOut();
		const off = power.exitCode !== null || power.signalCode !== null ? null : once(power, "exit");
		// the kernel ends a process namespace with its first process, once each process in it was reaped by its parent
		this.continue([]);
		if (this.#init !== null) signal(this.#init, "SIGKILL");
		else power.kill("SIGKILL");
		await off;
		const left = await ended(all, GONE_MS);
		if (left.length > 0) throw new Error(`${left.length} processes of host ${this.name} did not end`);
	}

	/** Keeps a program from being started again when it ends, or lets it. */
	hold(name: string): void {
		this.#held.add(name);
	}

	release(name: string): void {
		this.#held.delete(name);
	}

	/** Continues stopped processes. `nsenter` stops itself with its child, and must be woken too. */
	continue(processes: readonly Process[]): void {
		for (const one of processes) signal(one, "SIGCONT");
		for (const child of this.#entered.values()) child.kill("SIGCONT");
	}

	/** Runs a command on the host; resolves with its exit code and output. */
	async run(command: readonly string[], account: string, env: Readonly<Record<string, string>>): Promise<string> {
		const child = spawn("nsenter", [...this.#enter(), ...asAccount(account), ...command], {
			env: { ...PATHS, ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		const chunks: string[] = [];
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
		const [code] = (await once(child, "close")) as [number | null];
		if (code !== 0) throw new Error(`${command.join(" ")} on ${this.name} ended with ${code}: ${chunks.join("")}`);
		return chunks.join("");
	}

	/** The processes of the host, with their command lines. */
	processesWith(pattern: RegExp): Process[] {
		return this.processes().filter(({ pid }) => pattern.test(commandOf(pid)));
	}

	processes(): Process[] {
		if (this.#init === null) return [];
		const mine = namespaceOf(this.#init.pid);
		if (mine === null) return [];
		return readdirSync("/proc")
			.filter((entry) => /^\d+$/.test(entry) && namespaceOf(Number(entry)) === mine)
			.map((entry) => identify(Number(entry)))
			.filter((process) => process !== null);
	}

	async #awaitInit(power: ChildProcess): Promise<Process> {
		const latest = performance.now() + BOOT_MS;
		for (;;) {
			const outer = power.pid === undefined ? null : identify(power.pid);
			const [init] = outer === null ? [] : childrenOf(outer);
			if (init !== undefined && isStarted(init.pid)) return init;
			if (performance.now() > latest) throw new Error(`host ${this.name} did not start in ${BOOT_MS} ms`);
			await sleep(LOOK_EVERY_MS);
		}
	}

	/** Runs a program until the power that it was started with is gone. */
	#launch(program: Program, power: ChildProcess): void {
		if (this.#power !== power) return;
		const again = (): void => void setTimeout(() => this.#launch(program, power), RESTART_MS);
		if (this.#held.has(program.name)) return again();
		const out = openSync(path.join(this.plan.logs, `${this.name}-${program.name}.log`), "a");
		const child = spawn("nsenter", [...this.#enter(), ...asAccount(program.account), ...program.command], {
			env: { ...PATHS, ...program.env },
			stdio: ["ignore", out, out],
			detached: true, // a Ctrl-C at the terminal is for the lab
		});
		closeSync(out);
		this.#entered.set(program.name, child);
		child.once("error", () => undefined); // shows as a program that does not run
		child.once("exit", again);
	}

	#enter(): string[] {
		const { pid } = this.#init ?? {};
		if (pid === undefined) throw new Error(`host ${this.name} is off`);
		return [this.cable.enter, `--target=${pid}`, "--pid", "--ipc", "--mount", "--"];
	}
}

const PATHS = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
const asAccount = (name: string): string[] =>
	name === "root" ? [] : ["setpriv", `--reuid=${name}`, `--regid=${name}`, "--init-groups", "--"];

/** Puts the host's disk in its place. The loop stays as the host's first process, which reaps orphans. */
function bootScript({ disk, folders }: HostPlan): string {
	const mounts = Object.entries(folders).flatMap(([folder, account]) => [
		`mkdir -p ${folder}`,
		`chown ${account}: ${path.join(disk, folder)}`,
		`mount --bind ${path.join(disk, folder)} ${folder}`,
	]);
	return [
		"mount -t tmpfs tmpfs /run",
		"mount -t tmpfs -o mode=1777 tmpfs /dev/shm",
		"mkdir -p /run/postgresql",
		"chown postgres: /run/postgresql",
		...mounts,
		`touch ${STARTED}`,
		"set +e",
		"while sleep 3600; do :; done",
	].join("\n");
}

function isStarted(pid: number): boolean {
	try {
		readFileSync(`/proc/${pid}/root${STARTED}`);
		return true;
	} catch {
		return false;
	}
}

function namespaceOf(pid: number): string | null {
	try {
		return readlinkSync(`/proc/${pid}/ns/pid`);
	} catch {
		return null;
	}
}

/** The command line of a process, with spaces between the arguments. */
function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
	} catch {
		return "";
	}
}
