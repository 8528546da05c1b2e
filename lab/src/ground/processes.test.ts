import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { childrenOf, childWithPid, ended, identify, lives, signal } from "./processes.ts";

const sleeper = () => {
	const child = spawn("sleep", ["60"], { stdio: "ignore" });
	const found = identify(child.pid ?? 0);
	if (found === null) throw new Error("the process to watch did not start");
	return { child, found };
};

test("a process is signalled while it is the one meant", async () => {
	const { child, found } = sleeper();
	const gone = once(child, "exit");
	expect(signal(found, "SIGKILL")).toBe(true);
	await gone;
	expect(lives(found)).toBe(false);
	expect(signal(found, "SIGKILL")).toBe(false);
});

test("a number that was given out again is not taken for the process that had it before", async () => {
	const { child, found } = sleeper();
	const stranger = { pid: found.pid, born: "1" };
	expect(lives(stranger)).toBe(false);
	expect(signal(stranger, "SIGKILL")).toBe(false);
	expect(lives(found)).toBe(true);
	const gone = once(child, "exit");
	signal(found, "SIGKILL");
	await gone;
});

test("process 1 is never signalled", () => {
	const first = identify(1);
	expect(first === null ? false : signal(first, "SIGCONT")).toBe(false);
});

test("a child is told from a stranger", async () => {
	const { child, found } = sleeper();
	const ourselves = identify(process.pid);
	if (ourselves === null) throw new Error("we do not run");
	expect(childrenOf(ourselves)).toContainEqual(found);
	expect(childWithPid(ourselves, found.pid)).toEqual(found);
	expect(childWithPid(ourselves, process.pid)).toBeNull();
	expect(childWithPid(found, found.pid)).toBeNull();
	const gone = once(child, "exit");
	signal(found, "SIGKILL");
	await gone;
	expect(await ended([found], 1_000)).toEqual([]);
});
