import { expect, it } from "vitest";
import { nameFrom, newId, newRequestId, secondOfRequest } from "./ids.ts";

it("a request id has at least 64 random bits, and says nothing of the ids before and after it", () => {
	const ids = Array.from({ length: 20_000 }, () => newRequestId());
	for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{24}$/);
	expect(new Set(ids).size).toBe(ids.length);
	// detects counters and constant bytes: every random bit changes from one id to the next about every second time
	const bits = ids.map((id) => BigInt(`0x${id.slice(12)}`));
	for (let bit = 0n; bit < 64n; bit++) {
		const flips = bits.filter((value, at) => at > 0 && ((value ^ (bits[at - 1] ?? 0n)) >> bit) & 1n).length;
		expect(Math.abs(flips / ids.length - 0.5)).toBeLessThan(0.05);
	}
});

it("a request id names the second of its creation", () => {
	const before = Math.floor(Date.now() / 1_000) * 1_000;
	const second = secondOfRequest(newRequestId());
	expect(second).toBeGreaterThanOrEqual(before);
	expect(second).toBeLessThanOrEqual(Date.now());
	for (const text of ["", "req_", `req_${"0".repeat(23)}`, `req_${"g".repeat(24)}`, newId()]) {
		expect(secondOfRequest(text)).toBeNull();
	}
});

it("a name made from an id is a uuid, always the same, and another for each id and role", () => {
	const ids = [newId(), newId()];
	const names = ids.flatMap((id) => [nameFrom(id, "one"), nameFrom(id, "other")]);
	for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
	expect(new Set([...ids, ...names]).size).toBe(6);
	expect(nameFrom(ids[0] as string, "one")).toBe(names[0]);
});
