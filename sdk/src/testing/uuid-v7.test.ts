import { expect, it } from "vitest";
import { randomUUIDv7 } from "./uuid-v7.ts";

it("a UUID of version 7 begins with its time, and no two are the same", () => {
	const before = Date.now();
	const ids = Array.from({ length: 1_000 }, randomUUIDv7);
	for (const id of ids) {
		expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		const time = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
		expect(time).toBeGreaterThanOrEqual(before);
		expect(time).toBeLessThanOrEqual(Date.now());
	}
	expect(new Set(ids).size).toBe(ids.length);
});
