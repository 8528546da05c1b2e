import { describe, expect, it } from "vitest";
import type { ApiVersion, Introspection, WebhookDelivery, WebhookEndpoint } from "../../client/types.ts";
import { exitOf } from "./doctor.ts";
import { judgeClock, judgeEndpoint, judgeEnds, judgeVersions } from "./judge.ts";
import { judgeScopes } from "./scopes.ts";

const NOW = Date.parse("2026-12-01T00:00:00Z");

describe("A clock", () => {
	it.each([
		[0, "ok", "agrees"],
		[9_999, "ok", "agrees"],
		[-10_001, "warn", "10 seconds behind"],
		[61_000, "warn", "61 seconds ahead of"],
		[300_000, "fail", "every event would be refused"],
		[-3_600_000, "fail", "3600 seconds behind"],
		[null, "warn", "no Date"],
	] as const)("%j ms ahead: %s", (ms, verdict, words) => {
		expect(judgeClock(ms)).toMatchObject({ verdict, says: expect.stringContaining(words) });
	});
});

describe("API dates", () => {
	const version = (date: string, status: ApiVersion["status"], sunsetOn: string | null = null): ApiVersion => ({
		version: date,
		status,
		sunsetOn,
	});
	const NEWER = version("2027-03-01", "current");

	it.each([
		[[version("2026-09-06", "current")], "ok", "current API date"],
		[[version("2026-09-06", "supported"), NEWER], "ok", "which is supported"],
		[[version("2026-09-06", "deprecated", "2026-12-11"), NEWER], "warn", "10 more days"],
		[[NEWER], "fail", "the service accepts 2027-03-01"],
		[[], "fail", "accepts"],
	] as const)("%j: %s", (versions, verdict, words) => {
		expect(judgeVersions(versions, "2026-09-06", NOW)).toMatchObject({ verdict, says: expect.stringContaining(words) });
	});
});

describe("A key's ends", () => {
	const ending = (expiresAt: string | null, secretExpiresAt: string | null): Introspection =>
		({
			active: true,
			expiresAt: expiresAt && new Date(expiresAt),
			secretExpiresAt: secretExpiresAt && new Date(secretExpiresAt),
		}) as Introspection;

	it.each([
		[ending(null, null), []],
		[ending("2026-12-20T00:00:00Z", null), []],
		[ending("2026-12-10T00:00:00Z", null), ["The key ends at 2026-12-10T00:00:00Z."]],
		[ending(null, "2026-12-02T00:00:00Z"), ["The secret in the token ends at 2026-12-02T00:00:00Z."]],
		[{ active: false } as Introspection, []],
	])("%j", (key, says) => {
		expect(judgeEnds(key, NOW).map((finding) => finding.says)).toEqual(says);
	});
});

describe("Scopes", () => {
	it.each([
		[["atp.products", "atp.inventory", "atp.check"], ["atp.reserve"], "ok", "it lacks atp.reserve"],
		[["atp.products"], [], "ok", "every scope"],
		[["atp.products", "atp.check"], ["atp.inventory"], "warn", "it lacks atp.inventory"],
		[[], ["atp.products", "atp.inventory", "atp.check"], "fail", "no scope"],
	] as const)("%j without %j: %s", (may, mayNot, verdict, words) => {
		expect(judgeScopes(may, mayNot)).toMatchObject({ verdict, says: expect.stringContaining(words) });
	});
});

describe("An endpoint", () => {
	const active = {
		url: "https://shop/hook",
		status: "active",
		inactiveReason: null,
		endpointId: "e1",
	} as WebhookEndpoint;
	const gone = { ...active, status: "inactive", inactiveReason: "gone" } as WebhookEndpoint;
	const delivery = (...statuses: (number | null)[]): WebhookDelivery =>
		({
			attempts: statuses.map((status) => ({ status, error: status === null ? "timed out" : null })),
		}) as WebhookDelivery;
	const answer = (status: number | null) => ({ status, ms: 1, error: status === null ? "no route" : null });

	it.each([
		["that refuses a bad signature", active, [], [], answer(401), "ok", "refuses an event with a bad signature"],
		["with a delivery under way", active, [delivery()], [], answer(400), "ok", "is active"],
		["that is inactive", gone, [], [], null, "fail", "inactive (gone)"],
		["that answers 500", active, [delivery(200, 500)], [], answer(401), "fail", "it answered 500"],
		["that the service cannot reach", active, [delivery(null)], [], answer(401), "fail", "timed out"],
		["that this machine cannot reach", active, [], [], answer(null), "warn", "no route"],
		["that accepts a bad signature", active, [], [], answer(200), "fail", "anybody could forge events"],
		["that answers 410", active, [], [], answer(410), "fail", "ends the endpoint"],
		["with deliveries that were given up", active, [], [delivery(500)], answer(401), "warn", "given up"],
	] as const)("%s", (_name, endpoint, pending, exhausted, answered, verdict, words) => {
		expect(judgeEndpoint(endpoint, pending, exhausted, answered)).toMatchObject({
			verdict,
			says: expect.stringContaining(words),
		});
	});
});

it.each([
	[
		[
			["clock", "ok"],
			["scopes", "warn"],
		],
		0,
	],
	[[["webhooks", "fail"]], 1],
	[
		[
			["webhooks", "fail"],
			["key", "fail"],
		],
		3,
	],
	[[["address", "fail"]], 3],
	[[["key", "warn"]], 0],
] as const)("%j ends with %d", (findings, exit) => {
	expect(exitOf(findings.map(([check, verdict]) => ({ check, verdict })))).toBe(exit);
});
