import { expect, test } from "vitest";
import type { Seen } from "./processes.ts";
import {
	createWatch,
	MOST_RECOVERIES,
	NO_PID_FILE_MS,
	NO_STARTUP_MS,
	type Sight,
	STARTUP_STILL_MS,
	STOP_STILL_MS,
	UNSEEN_MS,
	type WatchVerdict,
} from "./watch.ts";

const SERVER = 4_000;
const HOUR_MS = 3_600_000;

const child = (pid: number, title: string, ticks = 0): Seen => ({
	pid,
	parent: SERVER,
	startedAt: String(pid),
	ticks,
	title: `postgres: ${title}`,
});
const CHECKPOINTER = child(4_001, "checkpointer");
const recovering = (atMs: number, ...children: Seen[]): Sight => ({ pid: SERVER, status: "ready", children, atMs });
const stopping = (atMs: number, ...children: Seen[]): Sight => ({ pid: SERVER, status: "stopping", children, atMs });

/** The verdict after the last of several observations. */
function lastOf(sights: readonly Sight[]): WatchVerdict | undefined {
	const watch = createWatch();
	return sights.map(watch).at(-1);
}

test("a server that recovers without a startup process is ended after ten seconds, not before", () => {
	expect(lastOf([recovering(0, CHECKPOINTER), recovering(NO_STARTUP_MS - 1, CHECKPOINTER)])?.kind).toBe("wait");
	expect(lastOf([recovering(0, CHECKPOINTER), recovering(NO_STARTUP_MS, CHECKPOINTER)])).toEqual({
		kind: "end",
		doing: "has been recovering without a startup process for 10 s",
	});
});

test("a startup process that comes in time begins the ten seconds anew", () => {
	const sights = [
		recovering(0),
		recovering(9_000, child(5_000, "startup")),
		recovering(10_000),
		recovering(10_000 + NO_STARTUP_MS - 1),
	];
	expect(lastOf(sights)?.kind).toBe("wait");
});

test("a recovery that gets on is waited for as long as it takes", () => {
	const sights = Array.from({ length: 100 }, (_, hour) => recovering(hour * HOUR_MS, child(5_000, "startup", hour)));
	expect(lastOf(sights)?.kind).toBe("wait");
	const told = Array.from({ length: 100 }, (_, hour) =>
		recovering(hour * HOUR_MS, child(5_000, `startup recovering ${hour}`)),
	);
	expect(lastOf(told)?.kind).toBe("wait");
});

test("a startup process that neither works nor says how far it is is stuck after five minutes", () => {
	const still = child(5_000, "startup recovering 000000010000000000000001", 7);
	expect(lastOf([recovering(0, still), recovering(STARTUP_STILL_MS - 1, still)])?.kind).toBe("wait");
	expect(lastOf([recovering(0, still), recovering(STARTUP_STILL_MS, still)])?.kind).toBe("end");
});

test("a connection that is being refused is not taken for the startup process, nor one's user of that name", () => {
	const refused = child(6_000, "holdfast postgres [local] startup");
	expect(lastOf([recovering(0, refused), recovering(NO_STARTUP_MS, refused)])?.kind).toBe("end");
});

test("the name of a cluster before the title does not hide the startup process", () => {
	const sights = [recovering(0), recovering(NO_STARTUP_MS, child(5_000, "main: startup", 1))];
	expect(lastOf(sights)?.kind).toBe("wait");
});

test("a server that stops is waited for while it writes, and ended when it stands still with nobody using it", () => {
	const writing = Array.from({ length: 20 }, (_, minute) =>
		stopping(minute * STOP_STILL_MS, child(4_001, "checkpointer", minute)),
	);
	expect(lastOf(writing)?.kind).toBe("wait");
	expect(lastOf([stopping(0, CHECKPOINTER), stopping(STOP_STILL_MS, CHECKPOINTER)])?.kind).toBe("end");
});

test("a server that stops and waits for those who use it is left to them", () => {
	const user = child(7_000, "holdfast postgres [local] idle");
	const verdict = lastOf([stopping(0, CHECKPOINTER, user), stopping(STOP_STILL_MS, CHECKPOINTER, user)]);
	expect(verdict).toEqual({
		kind: "give up",
		doing: "has been stopping while 1 connections still use it for 60 s",
	});
});

test("connections that come and are refused do not prolong the wait for a server that stops", () => {
	const sights = Array.from({ length: 61 }, (_, second) =>
		stopping(second * 1_000, CHECKPOINTER, child(8_000 + second, "holdfast postgres [local] initializing", second)),
	);
	expect(lastOf(sights)?.kind).toBe("end");
});

test("a server that crashes again and again is given up", () => {
	const sights = Array.from({ length: MOST_RECOVERIES + 1 }, (_, at) =>
		recovering(at * 1_000, child(5_000 + at, "startup")),
	);
	expect(lastOf(sights.slice(0, -1))?.kind).toBe("wait");
	expect(lastOf(sights)?.kind).toBe("give up");
});

test("a new server has a minute to write its pid file, and is not ended by what it does not show yet", () => {
	const fresh = (atMs: number): Sight => ({ pid: SERVER, status: null, children: [], atMs });
	expect(lastOf([fresh(0), fresh(NO_PID_FILE_MS - 1)])?.kind).toBe("wait");
	expect(lastOf([fresh(0), fresh(NO_PID_FILE_MS)])?.kind).toBe("give up");
});

test("a server whose processes cannot be seen is never ended, and given up after ten minutes", () => {
	const unseen = (atMs: number): Sight => ({ pid: SERVER, status: "ready", children: null, atMs });
	expect(lastOf([unseen(0), unseen(UNSEEN_MS - 1)])?.kind).toBe("wait");
	expect(lastOf([unseen(0), unseen(UNSEEN_MS)])?.kind).toBe("give up");
});
