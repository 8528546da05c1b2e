import { describe, expect, it } from "vitest";
import { keyStateAt, refuseEnded } from "./key-state.ts";

const NOW = 1_800_000_000_000;
const LIVE_SECRET = { digest: "", pepperId: "", createdAt: 0, expiresAt: null };
const ENDED_SECRET = { ...LIVE_SECRET, expiresAt: 0 };
const KEY = { pk: "pk_hf_live_x", suspended: false, expiresAt: null, revokeAt: null, secrets: [LIVE_SECRET] };

describe("A key is", () => {
	it.each([
		["live", {}],
		["live", { expiresAt: NOW + 1, revokeAt: NOW + 1 }],
		["live", { secrets: [ENDED_SECRET] }],
		["live", { revokeAt: NOW + 1, secrets: [ENDED_SECRET, LIVE_SECRET] }],
		["suspended", { suspended: true }],
		["expired", { expiresAt: NOW }],
		["expired", { expiresAt: NOW, suspended: true, revokeAt: NOW + 1 }],
		["revoked", { revokeAt: NOW }],
		["revoked", { revokeAt: NOW, expiresAt: NOW, suspended: true }],
		["revoked", { revokeAt: NOW + 1, secrets: [ENDED_SECRET] }],
	] as const)("%s: %j", (state, facts) => {
		const key = { ...KEY, ...facts, secrets: [...("secrets" in facts ? facts.secrets : KEY.secrets)] };
		expect(keyStateAt(key, NOW)).toBe(state);
		const ended = state === "revoked" || state === "expired";
		expect(refuseEnded(key, NOW)?.refusal ?? null).toBe(ended ? "wrong_state" : null);
	});
});
