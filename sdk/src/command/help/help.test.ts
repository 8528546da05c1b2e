import { describe, expect, it } from "vitest";
import * as kit from "../../index.ts";
import * as webhooks from "../../webhooks/index.ts";
import { CODES } from "../../wire/__generated__/codes.ts";
import { PAGES } from "../../wire/__generated__/pages.ts";
import { partner } from "../run-for-tests.ts";
import { CLASSES, OF_KIT } from "./own-pages.ts";

describe("help CODE", () => {
	it.each(["reference_used", "connection_lost", "signature_mismatch", "unreadable", "OutcomeUnknown", "stale"])(
		"explains %s, which the SDK itself makes, without a service",
		async (code) => {
			const { when, todo } = { ...OF_KIT, ...CLASSES }[code as keyof typeof OF_KIT];
			const { code: exit, out } = await partner(["help", code], { env: { HOLDFAST_URL: "http://127.0.0.1:9" } });
			expect(exit).toBe(0);
			expect(out).toBe(`${code}, of the SDK\n\nWhen it happens:\n${when}\n\nWhat to do:\n${todo}\n`);
		},
	);

	it("explains a code of the service as its page does, names the page, and says what the SDK throws it for", async () => {
		const env = { HOLDFAST_URL: "http://127.0.0.1:9" };
		const { code, json } = await partner(["help", "KIT_incomplete", "--json"], { env });
		expect([code, json]).toEqual([
			0,
			{
				code: "kit_incomplete",
				by: "service",
				...PAGES.kit_incomplete,
				more: expect.stringContaining("`withHold`"),
				page: "http://127.0.0.1:9/docs/errors/kit_incomplete",
			},
		]);
	});

	it("has every code of the service's documents and every class of errors that the SDK exports", () => {
		expect(Object.keys(PAGES)).toEqual(CODES);
		for (const page of Object.values(PAGES)) expect(Math.min(page.when.length, page.todo.length)).toBeGreaterThan(20);
		const classes = Object.entries({ ...kit, ...webhooks }).filter(
			([, one]) => typeof one === "function" && one.prototype instanceof Error,
		);
		expect(classes.map(([name]) => name).toSorted()).toEqual(Object.keys(CLASSES).toSorted());
	});

	it("of a command is that command's, and of nothing lists them all", async () => {
		const ofCommand = await partner(["mirror", "check", "--help"]);
		expect(await partner(["help", "mirror", "check"])).toEqual(ofCommand);
		expect(await partner(["help"])).toEqual(await partner(["--help"]));
	});

	it("of a code that there is not says which was meant", async () => {
		expect(await partner(["help", "reference_usd"])).toMatchObject({
			code: 2,
			err: expect.stringContaining('Did you mean "reference_used"?'),
		});
	});
});
