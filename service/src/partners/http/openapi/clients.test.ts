import { describe, expect, it } from "vitest";
import { partnerCodes } from "../../../../test/partner-codes.ts";
import { readText } from "../../../../test/tidy/source.ts";
import { documentsOf, SURFACES } from "../../../assembly/surfaces.ts";
import { CHOSEN_EVENT_TYPES } from "../../webhooks/endpoint.ts";
import { PORTABLE_PATTERNS } from "../text.ts";

interface Documented {
	readonly paths: object;
	readonly components: object;
	readonly webhooks?: { readonly [type: string]: { readonly post: { readonly requestBody: object } } };
}
const DOCUMENTS = SURFACES.flatMap(documentsOf).map(
	({ file, text }) => [file, JSON.parse(text) as Documented] as const,
);

/** Every object in a document, with its pointer. */
function everyPart(part: object, at = ""): [string, Record<string, unknown>][] {
	const below = Object.entries(part).flatMap(([name, one]) =>
		typeof one === "object" && one !== null ? everyPart(one, `${at}/${name}`) : [],
	);
	return Array.isArray(part) ? below : [[at, part as Record<string, unknown>], ...below];
}
/** Examples have fields that are not schemas. */
const schemasOf = (document: Documented) => everyPart(document).filter(([at]) => !/\/examples?(\/|$)/.test(at));

describe.each(DOCUMENTS)("What clients are made of %s", (_file, document) => {
	it("describes every field", () => {
		const bare = schemasOf(document).flatMap(([at, { type, properties }]) =>
			type !== "object" || typeof properties !== "object" || properties === null
				? []
				: Object.entries(properties as Record<string, object>)
						.filter(([name, field]) => !["data", "error"].includes(name) && !("description" in field))
						.map(([name]) => `${at}/${name}`),
		);
		expect(bare).toEqual([]);
	});

	it("has patterns that every engine knows: no look-around, no Unicode class, no \\u", () => {
		const patterns = schemasOf(document).flatMap(([, { pattern }]) => (typeof pattern === "string" ? [pattern] : []));
		expect(patterns.filter((one) => /\(\?|\\[pPu]|\\[1-9]/.test(one))).toEqual([]);
		for (const one of patterns) expect(() => new RegExp(one, "u")).not.toThrow();
	});

	it("leaves replies open, so that a later field breaks no client", () => {
		const closed = schemasOf(document).filter(
			([at, { additionalProperties }]) => at.includes("/responses/") && additionalProperties === false,
		);
		expect(closed.map(([at]) => at)).toEqual([]);
		const { schemas = {} } = document.components as { schemas?: Record<string, { additionalProperties?: boolean }> };
		const replies = JSON.stringify(everyPart(document.paths).filter(([at]) => at.endsWith("/responses")));
		const named = Object.entries(schemas).filter(([name]) => replies.includes(`#/components/schemas/${name}"`));
		expect(named.filter(([, schema]) => schema.additionalProperties === false).map(([name]) => name)).toEqual([]);
	});
});

it("a portable pattern takes what the checked one takes, of text without half a surrogate pair", () => {
	const texts = ["", "a", ".", "..", "...", "..a", ".a", "a.", "a b", "é", "\0", "a\0", "😀", "-", "/", "./"];
	for (const [checked, portable] of Object.entries(PORTABLE_PATTERNS)) {
		const verdicts = (pattern: string) => texts.map((text) => [text, new RegExp(pattern, "u").test(text)]);
		expect(verdicts(portable)).toEqual(verdicts(checked));
	}
});

it("the guide on errors says of every code of partners what to do", () => {
	const guide = readText("docs/partner/errors.md");
	const [, table = ""] = guide.split("## Every code");
	expect(partnerCodes().filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
});

it("the partner document has every event that is posted", () => {
	const [, document] = DOCUMENTS.find(([file]) => file.startsWith("partner/")) ?? [];
	expect(Object.keys(document?.webhooks ?? {})).toEqual([...CHOSEN_EVENT_TYPES, "webhook.test"]);
});
