import { flushCompileCache } from "node:module";
import { type Config, readEnv, systemdSocket, toConfig } from "./config.ts";
import { openStore } from "./ground/embedded/store.ts";
import { monotonicMs, wait } from "./ground/lib/clock.ts";
import { notifySystemd } from "./ground/lib/notify-systemd.ts";
import { OperatorError } from "./ground/lib/operator-error.ts";
import { isConnectionLoss } from "./ground/pg/faults.ts";
import { loadKeyRing } from "./partners/keys/load-key-ring.ts";
import type { Service } from "./service.ts";

/** Signals that stop the service; npm and terminals send one each. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/**
 * Signals that follow one another within this many milliseconds count as one: npm forwards Ctrl-C, so it arrives
 * twice.
 */
const ONE_SIGNAL_MS = 1_000;

/** Milliseconds between the ticks of a timer that only keeps the process alive; any value will do. */
const KEEP_ALIVE_MS = 60_000;

/** One line for the person at the terminal; standard output is for the log. */
const say = (line: string): void => console.error(line);

/**
 * Serves until a signal stops it. Problems that the operator can fix are printed without a stack trace, and the exit
 * code is 1.
 */
export async function main(): Promise<void> {
	const began = monotonicMs();
	const stop = stopSignal();
	setInterval(() => undefined, KEEP_ALIVE_MS); // keeps the process alive, also while it waits for a database
	try {
		const config = toConfig(readEnv());
		const socket = systemdSocket();
		const service = await open(config, stop);
		try {
			const { api, coa, metrics } = await service.start();
			if (socket !== undefined) notifySystemd(socket, "ready", say);
			say(
				`Holdfast serves the partner API at ${api}, the COA feed at ${coa}${metrics ? `, metrics at ${metrics}` : ""}.`,
			);
			say(`Ready after ${Math.round(monotonicMs() - began)} ms. The API's documentation: ${api}/docs`);
			for (const line of (await service.welcome().catch(notWelcomed)) ?? []) say(line);
			flushCompileCache(); // makes the next start faster even if this process is killed
			await aborted(stop);
			if (socket !== undefined) notifySystemd(socket, "stopping", say);
			await announce(service, config.stopDelaySeconds);
		} finally {
			await service.dispose();
		}
		say("Stopped.");
		process.exit(0);
	} catch (error) {
		if (error !== stop.reason) die(error);
		say("Stopped before it was ready.");
		process.exit(0);
	}
}

/** A service that serves must not end because its database is away for a moment: the next start does the rest. */
function notWelcomed(error: unknown): readonly string[] {
	if (!isConnectionLoss(error)) throw error;
	return ["The database was lost before this start was complete. The service continues; the next start does the rest."];
}

/** Starts the database in its own processes while the rest of the service is loaded. */
async function open(config: Config, signal: AbortSignal): Promise<Service> {
	// Fails before the database is migrated: without a configured key ring, the service would only fail afterwards.
	if (config.databaseUrl !== null && config.secretKeys === null) await loadKeyRing(config);
	const { promise: waiting, resolve: onWaiting } = Promise.withResolvers<void>();
	const store = openStore(config, { role: "service", say, onEvicted: die, signal, onWaiting });
	store.catch(() => undefined).finally(onWaiting); // awaited below
	try {
		// loading blocks this process for a while, so the database's processes are started first
		if (config.databaseUrl === null) await waiting;
		const { createService } = await import("./service.ts");
		return await createService(config, { say, store });
	} catch (error) {
		await store.then(
			(opened) => opened.close(),
			() => undefined,
		);
		throw error;
	}
}

/** Announces the stop to the load balancer, and keeps serving its requests for a while. */
async function announce(service: Service, seconds: number): Promise<void> {
	service.announceStop();
	if (seconds === 0) return;
	say(`Not ready any more (/readyz answers 503); requests are served for another ${seconds} s.`);
	await wait(seconds * 1_000);
	say("Accepting no more requests.");
}

/**
 * Aborted by the first signal, which also cancels a start that waits for its database. A second signal, unless it
 * follows within ONE_SIGNAL_MS, ends the process at once.
 */
function stopSignal(): AbortSignal {
	const stop = new AbortController();
	let first = Number.NaN;
	const onSignal = (signal: NodeJS.Signals): void => {
		const now = monotonicMs();
		if (Number.isNaN(first)) {
			first = now;
			say(`${signal}: finishing the requests in progress. A second signal ends the service at once.`);
			stop.abort();
		} else if (now - first > ONE_SIGNAL_MS) {
			say("Ended at once. The embedded PostgreSQL keeps running, and the next start takes it over.");
			process.exit(1);
		}
	};
	for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
	return stop.signal;
}

const aborted = (signal: AbortSignal): Promise<void> =>
	new Promise((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener("abort", () => resolve());
	});

function die(error: unknown): void {
	say(error instanceof OperatorError ? error.message : String(error instanceof Error ? error.stack : error));
	process.exit(1);
}

if (import.meta.main) await main();
