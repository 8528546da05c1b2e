import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_STATUS, SANDBOX_BRAND, SCOPES } from "../../src/glossary.ts";
import { restockSandboxes } from "../../src/upkeep/sandbox/restock-sandboxes.ts";
import { executeIn } from "../execute-in.ts";
import { type House, openHouse } from "../house.ts";
import { readGuides, type Sample, samplesOf } from "../samples.ts";
import { filesBelow, readText } from "../tidy/source.ts";

/*
 * Every code sample of the guides is executed as printed, against a real service, with a key of its own for each guide.
 * The test fills in only what a reader fills in: the address, the key, and `<token>`, the token of a hold.
 */

const ADDRESS = "http://127.0.0.1:4000";
const KEY = "pk_hf_sandbox_…:sk_hf_sandbox_…";
/** The sample that sets the address and the key: only the first guide has it. */
const BEGINNING = `BASE=${ADDRESS}\nKEY='${KEY}'`;

const GUIDES = readGuides().map((page) => ({ file: page.path, samples: samplesOf(page) }));
const RUN = GUIDES.map(({ file, samples }) => ({ file, samples: samples.filter(isRun) })).filter(
	({ samples }) => samples.length > 0,
);

function isRun({ language, notRun }: Sample): boolean {
	return language === "sh" && notRun === null;
}

let house: House;

beforeAll(async () => {
	house = await openHouse();
	await restockSandboxes(house.db, { timeZone: "UTC", executeIn });
});
afterAll(() => house.close());

/** A partner's key, of a separate partner for each guide, so that no guide sees what another one left. */
const newKey = async (): Promise<string> =>
	(
		await house.mint({
			environment: "sandbox",
			brandCode: SANDBOX_BRAND,
			sharedPool: false,
			scopes: [...SCOPES],
		})
	).token;

async function newHold(key: string): Promise<string> {
	const { json } = await house.call(key, "/api/v1/reserve", { body: { items: [{ sku: "SBX-PLENTY", qty: 1 }] } });
	return String(json.data.reservation_token);
}

const CUSTOMER = {
	name: "Ada Example",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

/** The preparations that a guide describes in words. */
const BEFORE: { readonly [file: string]: (key: string) => Promise<unknown> } = {
	"docs/partner/shipments.md": async (key) => {
		for (const ref of ["cart-1001", "cart-1002"]) {
			const body = { reservation_token: await newHold(key), customer: CUSTOMER };
			await house.call(key, "/api/v1/orders", { body, headers: { "idempotency-key": ref } });
		}
	},
};

interface Ran {
	readonly code: number;
	readonly out: string;
	readonly err: string;
}

const sh = (script: string): Promise<Ran> =>
	new Promise((resolve) => {
		execFile("bash", ["--norc", "-euo", "pipefail", "-c", script], (error, out, err) =>
			resolve({ code: error === null ? 0 : Number(error.code), out, err }),
		);
	});

/** Runs a sample as a reader of the preceding text would, and returns its output. */
async function carryOut({ text }: Sample, key: string): Promise<Ran> {
	const filledIn = (words: string): string => words.replaceAll(ADDRESS, house.api).replaceAll(KEY, key);
	const token = text.includes("<token>") ? await newHold(key) : "";
	return await sh(filledIn(`${BEGINNING}\n${text}`).replaceAll("<token>", token));
}

/** The bodies of replies in the output of curl, which may contain headers too. */
const bodiesOf = (out: string): string[] => out.split("\n").filter((line) => line.startsWith("{"));

describe("Every sample of the guides does what it says", () => {
	it("there are some in each guide that shows how to call", () => {
		expect(RUN.map(({ file }) => file)).toEqual(
			expect.arrayContaining(["README.md", "docs/partner/quickstart.md", "docs/partner/orders.md"]),
		);
	});

	it.each(RUN)("$file", async ({ file, samples }) => {
		const key = await newKey();
		await BEFORE[file]?.(key);
		for (const sample of samples) {
			if (sample.text === "npm ci\nnpm start") continue; // all tests of starting do this
			const { code, out, err } = await carryOut(sample, key);
			expect([sample.at, code, err]).toEqual([sample.at, 0, ""]);
			const calls = sample.text.match(/^\S*curl /gm)?.length ?? 0;
			const bodies = bodiesOf(out);
			expect([sample.at, out, bodies.length]).toEqual([sample.at, out, calls]);
			for (const body of bodies) expect(JSON.parse(body)).toHaveProperty("data");
		}
	});

	it("what a first reader is promised: the same sample again is the same hold", async () => {
		const key = await newKey();
		const samples = RUN.filter(({ file }) => /README|quickstart/.test(file))
			.flatMap((one) => one.samples)
			.filter(({ text }) => text.includes("/api/v1/reserve"));
		expect(samples.length).toBeGreaterThan(1);
		for (const sample of samples) {
			const [first, again] = [await carryOut(sample, key), await carryOut(sample, key)].map(
				({ out }) => JSON.parse(bodiesOf(out)[0] ?? "") as { data: { reservation_token: string; idempotent: boolean } },
			);
			expect(again?.data.reservation_token).toBe(first?.data.reservation_token);
			expect(again?.data.idempotent).toBe(true);
		}
	});
});

describe("Every other sample is well formed", () => {
	/** Programs are run by tests of their own, which read the guide. */
	const TESTS = filesBelow("service/test", ".test.ts").map((path) => ({ path, text: readText(path) }));
	const others = GUIDES.flatMap(({ samples }) => samples).filter((sample) => !isRun(sample) && sample.notRun === null);

	it.each(others.filter(({ language }) => language !== ""))("$at: $language", ({ at, language, text }) => {
		if (language === "json") return void JSON.parse(text);
		if (language !== "http") {
			const file = at.replace(/:\d+$/, "");
			const readers = TESTS.filter(({ text }) => text.includes(file)).map(({ path }) => path);
			expect(
				readers,
				`no test reads ${file} to run its ${language}: write one, or mark the sample as not-run`,
			).not.toEqual([]);
			return;
		}
		if (!text.startsWith("HTTP/")) {
			for (const line of text.split("\n")) expect(line).toMatch(/^(GET|HEAD|POST|PATCH|DELETE) \/\S+$/);
			return;
		}
		const [head = "", body = ""] = text.split("\n\n");
		const { error } = JSON.parse(body) as { error: { code: keyof typeof ERROR_STATUS; message: string } };
		expect(Object.keys(ERROR_STATUS)).toContain(error.code);
		expect(head).toMatch(/^HTTP\/1\.1 [45]\d\d /);
	});

	it("a fence that says something else is named", () => {
		expect(() => samplesOf({ path: "x.md", text: "a\n```sh later\nls\n```\n" })).toThrow(/^x\.md:2: /);
		expect(() => samplesOf({ path: "x.md", text: "```sh\nls\n" })).toThrow(/^x\.md:1 opens/);
		expect(samplesOf({ path: "x.md", text: "```sh not-run: it asks\nls\n```\n" })).toEqual([
			{ at: "x.md:1", language: "sh", notRun: "it asks", text: "ls" },
		]);
	});
});
