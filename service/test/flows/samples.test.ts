import { execFile } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_STATUS, SANDBOX_BRAND, SCOPES } from "../../src/glossary.ts";
import { executeIn } from "../execute-in.ts";
import { type House, openHouse } from "../house.ts";
import { restockSandboxes } from "../restock-sandboxes.ts";
import { hasPython, readGuides, type Sample, samplesOf } from "../samples.ts";
import { openServerPlace } from "../server-place.ts";
import { filesBelow, ROOT, readText } from "../tidy/source.ts";

/*
 * Every code sample of the guides is executed as printed, against a real service, with a key of its own for each guide
 * and language. The test fills in only what a reader fills in: the addresses, the key, and `<token>`, the token of a
 * hold.
 */

const ADDRESS = "http://127.0.0.1:4000";
const COA_ADDRESS = "http://127.0.0.1:4001";
const KEY = "pk_hf_sandbox_…:sk_hf_sandbox_…";
/** The sample that sets the address and the key: only the first guide has it. */
const BEGINNING = `BASE=${ADDRESS}\nKEY='${KEY}'\nCART=cart-1001 # another one each time you go through this page`;

const GUIDES = readGuides().map((page) => ({ file: page.path, samples: samplesOf(page) }));

/** How samples of a language are run; a test of its own runs the programs in the others. */
const LANGUAGES = ["sh", "ts", "python"] as const;
type Language = (typeof LANGUAGES)[number];
/** Programs that other tests run, because they serve or follow something. */
const ELSEWHERE = /http\.server|from "hono"/;

const isRun = ({ language, notRun, text }: Sample): boolean =>
	LANGUAGES.includes(language as Language) && notRun === null && !ELSEWHERE.test(text);

const RUN = GUIDES.flatMap(({ file, samples }) =>
	LANGUAGES.map((language) => ({
		file,
		language,
		samples: samples.filter((sample) => sample.language === language && isRun(sample)),
	})),
).filter(({ samples }) => samples.length > 0);

let house: House;
/** Where programs are run: the SDK is found from here. */
let folder: string;

beforeAll(async () => {
	folder = await openServerPlace("samples");
	await mkdir(path.join(folder, "node_modules/@holdfast"), { recursive: true });
	await symlink(path.join(ROOT, "sdk"), path.join(folder, "node_modules/@holdfast/partner"));
	await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
	house = await openHouse();
	await restockSandboxes(house.db, { timeZone: "UTC", executeIn });
});
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true, force: true });
});

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
		for (const ref of ["boxes-1001", "boxes-1002"]) {
			const body = { reservation_token: await newHold(key), customer: CUSTOMER };
			await house.call(key, "/api/v1/orders", { body, headers: { "idempotency-key": ref } });
		}
	},
};

/** Modules that the guides leave to the reader. */
const READERS_OWN: { readonly [name: string]: string } = {
	"payments.ts": `
		export const charge = async (payment: { idempotencyKey: string; items: object[] }): Promise<"paid" | "declined" | "unknown"> => "paid";
		export const refund = async (payment: { idempotencyKey: string }): Promise<void> => {};
	`,
};

interface Ran {
	readonly code: number;
	readonly out: string;
	readonly err: string;
}

const run = (program: string, args: readonly string[], cwd?: string): Promise<Ran> =>
	new Promise((resolve) => {
		execFile(program, args, { cwd }, (error, out, err) =>
			resolve({ code: error === null ? 0 : Number(error.code), out, err }),
		);
	});

/** What the reader of a guide has filled in, and the samples of other guides that it uses. */
interface Desk {
	readonly folder: string;
	readonly key: string;
	filledIn(text: string): string;
}

/** The samples that are files, by their name, which their first line says: `// holdfast.ts`. */
const fileNameOf = ({ text }: Sample): string | undefined => /^(?:\/\/|#) ([\w.-]+\.(?:ts|py))\b/.exec(text)?.[1];

async function newDesk(file: string, language: Language): Promise<Desk> {
	const key = await newKey();
	await BEFORE[file]?.(key);
	const at = path.join(folder, `${path.basename(file, ".md")}-${language}`);
	await mkdir(at, { recursive: true });
	const filledIn = (text: string): string =>
		text.replaceAll(ADDRESS, house.api).replaceAll(COA_ADDRESS, house.coa).replaceAll(KEY, key);
	const quickstart = GUIDES.find((one) => one.file === "docs/partner/quickstart.md")?.samples ?? [];
	for (const sample of quickstart) {
		const name = fileNameOf(sample);
		if (name !== undefined) await writeFile(path.join(at, name), filledIn(sample.text));
	}
	for (const [name, text] of Object.entries(READERS_OWN)) await writeFile(path.join(at, name), text);
	return { folder: at, key, filledIn };
}

/** The text of a sample, with what its reader fills in. */
async function textOf({ text }: Sample, desk: Desk): Promise<string> {
	return desk.filledIn(text).replaceAll("<token>", text.includes("<token>") ? await newHold(desk.key) : "");
}

/** Runs a sample as a reader of the preceding text would, and returns its output. */
const carryOut = async (sample: Sample, desk: Desk): Promise<Ran> =>
	await run("bash", ["--norc", "-euo", "pipefail", "-c", `${desk.filledIn(BEGINNING)}\n${await textOf(sample, desk)}`]);

/** Run the programs that are their arguments one after the other, each as the main one. The first failure ends all. */
const RUNNERS = {
	ts: {
		program: process.execPath,
		args: ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval"],
		text: `for (const one of process.argv.slice(1)) {
	console.log("### " + one);
	await import(one);
}`,
	},
	python: {
		program: "python3",
		args: ["-c"],
		text: `import runpy, sys
for one in sys.argv[1:]:
    print("### " + one)
    runpy.run_path(one, run_name="__main__")`,
	},
};

/** Goes before a program that lists requests: one is listed from about a second after its reply. */
const PAUSES = {
	ts: "await new Promise((resolve) => setTimeout(resolve, 1_000));",
	python: "import time; time.sleep(1)",
};
const listsRequests = ({ text }: Sample): boolean => /sandbox[./]requests/.test(text);

/** Runs programs of a guide in one process, and returns what each printed. */
async function runPrograms(
	language: keyof typeof RUNNERS,
	samples: readonly Sample[],
	desk: Desk,
): Promise<{ readonly sample: Sample; readonly out: string }[]> {
	const programs = samples.map((sample, n) => {
		const name = fileNameOf(sample) ?? `sample-${n}.${language === "ts" ? "ts" : "py"}`;
		return { sample, file: path.join(desk.folder, name) };
	});
	for (const { sample, file } of programs) {
		const before = listsRequests(sample) ? `${PAUSES[language]}\n` : "";
		await writeFile(file, before + (await textOf(sample, desk)));
	}
	const { program, args, text } = RUNNERS[language];
	const { code, out, err } = await run(program, [...args, text, ...programs.map(({ file }) => file)], desk.folder);
	expect([code, err, out]).toEqual([0, "", out]);
	const printed = out.split(/^### .+\n/m).slice(1);
	return programs.map(({ sample }, n) => ({ sample, out: printed[n] ?? "" }));
}

/** The bodies of replies in the output of curl, which may contain headers too. */
const bodiesOf = (out: string): string[] => out.split("\n").filter((line) => line.startsWith("{"));

describe("Every sample of the guides does what it says", () => {
	it("there are some in each guide that shows how to call", () => {
		expect(RUN.map(({ file }) => file)).toEqual(
			expect.arrayContaining(["README.md", "docs/partner/quickstart.md", "docs/partner/orders.md"]),
		);
	});

	it.each(RUN.filter(({ language }) => language !== "python" || hasPython()))(
		"$file, $language",
		async ({ file, language, samples }) => {
			const desk = await newDesk(file, language);
			if (language !== "sh") {
				for (const { sample, out } of await runPrograms(language, samples, desk)) {
					if (fileNameOf(sample) === undefined)
						expect([sample.at, out]).toEqual([sample.at, expect.stringMatching(/\S/)]);
				}
				return;
			}
			for (const sample of samples) {
				if (sample.text === "npm ci\nnpm start") continue; // all tests of starting do this
				const { code, out, err } = await carryOut(sample, desk);
				expect([sample.at, code, err, out]).toEqual([sample.at, 0, "", out]);
				const calls = sample.text.match(/^\S*curl /gm)?.length ?? 0;
				const bodies = bodiesOf(out);
				expect([sample.at, out, bodies.length]).toEqual([sample.at, out, calls]);
				for (const body of bodies) expect(JSON.parse(body)).toHaveProperty("data");
			}
		},
	);

	it("each step of a guide that is shown with curl is shown in the other languages", () => {
		const alone = GUIDES.filter(({ file }) => file.startsWith("docs/partner/")).flatMap(({ samples }) =>
			samples.filter(
				({ language, text }, at) => language === "sh" && text.includes("curl ") && samples[at + 1]?.language !== "ts",
			),
		);
		expect(alone.map(({ at }) => at)).toEqual([]);
	});

	it("what a first reader is promised: the same sample again is the same hold", async () => {
		const samples = RUN.filter(({ file, language }) => /README|quickstart/.test(file) && language === "sh")
			.flatMap((one) => one.samples)
			.filter(({ text }) => text.includes("/api/v1/reserve"));
		expect(samples.length).toBeGreaterThan(1);
		const desk = await newDesk("README.md", "sh");
		for (const sample of samples) {
			const [first, again] = [await carryOut(sample, desk), await carryOut(sample, desk)].map(
				({ out }) => JSON.parse(bodiesOf(out)[0] ?? "") as { data: { reservation_token: string; idempotent: boolean } },
			);
			expect(again?.data.reservation_token).toBe(first?.data.reservation_token);
			expect(again?.data.idempotent).toBe(true);
		}
	});
});

describe("Every other sample is well formed", () => {
	/** Programs are run by tests of their own, which read the guide. */
	const TESTS = [...filesBelow("service/test", ".test.ts"), ...filesBelow("sdk/src", ".test.ts")].map((path) => ({
		path,
		text: readText(path),
	}));
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
