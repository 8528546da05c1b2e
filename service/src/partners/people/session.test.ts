import { describe, expect, it } from "vitest";
import { newRecoveryCodes, plainRecoveryCode } from "./one-time.ts";
import { endsAt, freshUntil, isLive, type LiveSession } from "./session.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const session = (change: Partial<LiveSession>): LiveSession => ({
	sessionId: "s",
	digest: Buffer.alloc(32),
	personId: "p",
	name: "anna",
	role: "operator",
	state: "active",
	hasFactor: false,
	address: "",
	userAgent: "",
	createdAt: 0,
	seenAt: 0,
	endedAt: null,
	...change,
});

describe("a session", () => {
	it.each([
		["idle for a working day", session({}), 8 * HOUR - 1, true],
		["idle for longer", session({}), 8 * HOUR, false],
		["of an admin, idle for half an hour", session({ role: "admin" }), 30 * MINUTE, false],
		["of an admin, used since", session({ role: "admin", seenAt: 29 * MINUTE }), 58 * MINUTE, true],
		["a day old, however busy", session({ seenAt: 24 * HOUR - 1 }), 24 * HOUR, false],
		["that was ended", session({ endedAt: 1 }), 2, false],
		["of a suspended person", session({ state: "suspended" }), 2, false],
		["of a person who is to set up anew", session({ state: "invited" }), 2, false],
	])("%s", (_what, one, nowMs, live) => expect(isLive(one, nowMs)).toBe(live));

	it("ends a day after its sign-in at the latest, and is fresh for ten minutes", () => {
		expect(endsAt({ createdAt: 0, seenAt: 20 * HOUR }, "viewer")).toBe(24 * HOUR);
		expect(freshUntil({ createdAt: 5 })).toBe(10 * MINUTE + 5);
	});
});

it("recovery codes differ, and are read however they are typed", () => {
	const codes = newRecoveryCodes();
	expect(new Set(codes).size).toBe(10);
	for (const code of codes) {
		expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
		expect(plainRecoveryCode(` ${code.toLowerCase().replaceAll("-", "")} `)).toBe(code);
	}
});
