import { describe, expect, it } from "vitest";
import type { Wrong } from "./findings.ts";
import { Story } from "./story.ts";

/** A story of keys, and what is wrong in it. */
interface Told {
	readonly title: string;
	readonly story: () => Story;
	readonly wrongs: readonly Wrong[];
}

const revoke = { what: "revoke", key: "open-web", secretsBelow: null };

const HONEST: readonly Told[] = [
	{
		title: "a hold that was made while the revocation of its key was still being committed",
		story: () =>
			new Story()
				.reserve([0, 9_000], { token: "t" })
				.errand([0, 2_000], ["keys", "revoke"], revoke)
				.found("t", { createdAt: 2_800 })
				.keysFound([{ name: "open-web", keyId: "id of open-web", revokeAt: 100, secrets: 1 }]),
		wrongs: [],
	},
];

const LATE: readonly Told[] = [
	{
		title: "a key that is served more than a second after it was revoked",
		story: () => new Story().errand([0, 100], ["keys", "revoke"], revoke).check([1_200, 1_210], "LAST", 6),
		wrongs: ["late revocation"],
	},
	{
		title: "the old secret of a key that was rotated without an overlap",
		story: () =>
			new Story()
				.errand([0, 100], ["keys", "rotate"], { ...revoke, what: "rotate", secretsBelow: 1 })
				.check([1_200, 1_210], "LAST", 6),
		wrongs: ["late revocation"],
	},
	{
		title: "a hold that the database made more than a second after its key was revoked",
		story: () =>
			new Story()
				.reserve([0, 9_000], { token: "t" })
				.found("t", { createdAt: 5_000 })
				.keysFound([{ name: "open-web", keyId: "id of open-web", revokeAt: 100, secrets: 1 }]),
		wrongs: ["late revocation"],
	},
	{
		title: "a hold that the database made more than a second after a slow revocation was acknowledged",
		story: () =>
			new Story()
				.reserve([0, 9_000], { token: "t" })
				.errand([0, 2_000], ["keys", "revoke"], revoke)
				.found("t", { createdAt: 3_200 })
				.keysFound([{ name: "open-web", keyId: "id of open-web", revokeAt: 100, secrets: 1 }]),
		wrongs: ["late revocation"],
	},
	{
		title: "a good key that is refused",
		story: () => new Story().check([5_000, 5_010], "LAST", 6, { status: 401 }),
		wrongs: ["unexpected"],
	},
	{
		title: "a hold that is consumed after its end",
		story: () => new Story().reserve([0, 10], { token: "t", lastsMs: 60_000 }).consume([61_000, 61_010], "t", "c"),
		wrongs: ["unexpected"],
	},
];

describe("the checker of keys", () => {
	it.each(HONEST)("finds nothing wrong with $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});

	it.each(LATE)("finds $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
});
