import { beforeAll, describe, expect, it } from "vitest";
import { SURFACES } from "../../src/assembly/surfaces.ts";
import { ERROR_STATUS } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { createApiDates } from "../../src/partners/http/api-date.ts";
import { openSite } from "../../src/partners/http/docs/site.ts";
import type { Site } from "../../src/partners/http/docs/site-files.ts";
import { openApi } from "../../src/partners/http/openapi/document.ts";
import { partnerCodes } from "../partner-codes.ts";

/* Which error codes /docs tells partners about. */

const received = partnerCodes().toSorted() as string[];
let site: Site;

const textAt = async (address: string): Promise<string> => must(await site.find(address), address).body.toString();
const codesIn = (text: string, pattern: RegExp): string[] =>
	[...new Set([...text.matchAll(pattern)].map(([, code = ""]) => code))].toSorted();

beforeAll(async () => {
	const { document: surface, operations } = must(SURFACES[0], "the partner API");
	const document = openApi(surface, operations, createApiDates().current);
	site = await openSite({ title: "Test", document, origin: "", coa: "", at: "" });
});

describe("/docs tells partners of the codes that they can receive, and of no other", () => {
	it.each([
		["the navigation", "/docs", /href="(?:docs\/)?errors\/(\w+)"/g],
		["the list of codes", "/docs/errors", /<code>(\w+)<\/code><\/a><\/td>/g],
		["llms.txt", "/docs/llms.txt", /\(errors\/(\w+)\.md\)/g],
		["llms-full.txt", "/docs/llms-full.txt", /^# `(\w+)`$/gm],
	])("in %s", async (_where, address, pattern) => {
		expect(received).toContain("no_inventory");
		expect(codesIn(await textAt(address), pattern)).toEqual(received);
	});

	it("in the search", async () => {
		const entries = JSON.parse(await textAt("/docs/search.json")) as { readonly to: string }[];
		const found = entries.flatMap(({ to }) => /^\/errors\/(\w+)$/.exec(to)?.[1] ?? []);
		expect(found.toSorted()).toEqual(received);
	});

	it("and no word of its pages names another one", async () => {
		const others = Object.keys(ERROR_STATUS).filter((code) => !received.includes(code));
		expect(others.length).toBeGreaterThan(0);
		const full = await textAt("/docs/llms-full.txt");
		expect(others.filter((code) => full.includes(`\`${code}\``))).toEqual([]);
	});

	it("and still shows the page of every code, to which the error links", async () => {
		for (const code of Object.keys(ERROR_STATUS)) {
			expect([code, await textAt(`/docs/errors/${code}`)]).toEqual([
				code,
				expect.stringContaining(`<code>${code}</code>`),
			]);
		}
	});
});
