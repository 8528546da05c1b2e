import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_BRAND, SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { StartGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { newPartner } from "../doors.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { hasPython, samplesOf } from "../samples.ts";
import { openServerPlace } from "../server-place.ts";
import { ROOT } from "../tidy/source.ts";

/*
 * Every sample of the reference in /docs is executed as its page prints it, against the service that serves the page.
 * The test fills in what a reader fills in: the key, and where the example names a hold, an order, an endpoint or a
 * certificate of somebody else, one of the reader's own.
 */

const LANGUAGES = ["sh", "ts", "python"] as const;
type Language = (typeof LANGUAGES)[number];
const KEY = "pk_hf_sandbox_…:sk_hf_sandbox_…";

/** Ids of the examples, which are nobody's. */
const TOKEN = "0199f0a0-1111-7000-8000-000000000001";
const ENDPOINT = "0199f0a0-0000-7000-8000-0000000000d1";
const DELIVERY = "0199f0a0-0000-7000-8000-0000000000f1";
const SHOP = "https://shop.example.com/";
/** Nobody answers there. */
const OWN_SHOP = "http://127.0.0.1:9/";
const FILE = /0199f0a0-0000-7000-8000-0000000000c1\/[0-9a-f]{64}/;

/** A page of the reference, as it is served. */
interface ReferencePage {
	readonly operation: string;
	readonly samples: ReadonlyMap<string, string>;
}

/** What an operation needs before its sample can do what it says. `key`: the reader's. */
type Prepare = (key: { readonly token: string; readonly pk: string }) => Promise<(text: string) => string>;

let house: House;
let folder: string;
let pages: ReferencePage[];

beforeAll(async () => {
	folder = await openServerPlace("samples-reference");
	await mkdir(path.join(folder, "node_modules/@holdfast"), { recursive: true });
	await symlink(path.join(ROOT, "sdk"), path.join(folder, "node_modules/@holdfast/partner"));
	await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
	house = await openHouse({ env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" } });
	await operate({ socket: house.socket }, RestockOperatorSandbox, {});
	pages = (await Promise.all([house.api, house.coa].map(readReference))).flat();
});
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true, force: true });
});

async function readReference(base: string): Promise<ReferencePage[]> {
	const index = await (await fetch(`${base}/docs/llms.txt`)).text();
	return await Promise.all(
		[...index.matchAll(/\((\S*reference\/(\w+)\.md)\)/g)].map(async ([, at = "", operation = ""]) => {
			const text = await (await fetch(new URL(at, `${base}/docs/llms.txt`))).text();
			const samples = samplesOf({ path: at, text }).map(({ language, text }) => [language, text] as const);
			return { operation, samples: new Map(samples.reverse()) }; // the first of a language is the request
		}),
	);
}

const asIs = (text: string): string => text;
const putInPlace =
	(example: string | RegExp, own: string) =>
	(text: string): string =>
		text.replace(new RegExp(example, "g"), own);

const post = async (token: string, at: string, body: object, headers: Record<string, string> = {}) =>
	(await house.call(token, `/api/v1${at}`, { body, headers })).json.data;

const newHold = async (token: string, externalRef?: string): Promise<string> =>
	(
		await post(token, "/reserve", {
			items: [{ sku: "SBX-PLENTY", qty: 1 }],
			...(externalRef !== undefined && { external_ref: externalRef }),
		})
	).reservation_token;

async function placeOrders(token: string, ...refs: readonly string[]): Promise<void> {
	const ship_to = { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
	for (const ref of refs) {
		const body = { reservation_token: await newHold(token), customer: { name: "Ada Example", ship_to } };
		await post(token, "/orders", body, { "idempotency-key": ref });
	}
}

const ownHold: Prepare = async ({ token }) => putInPlace(TOKEN, await newHold(token));
const ownOrders: Prepare = async ({ token }) => {
	await placeOrders(token, "cart-1001", "cart-1002");
	return asIs;
};

async function newEndpoint(token: string): Promise<string> {
	const made = await post(token, "/webhook-endpoints", { url: `${OWN_SHOP}hook` });
	keepSecretsOf(made.secret);
	return made.endpoint_id;
}
const ownEndpoint: Prepare = async ({ token }) => putInPlace(ENDPOINT, await newEndpoint(token));
const ownRun: Prepare = async ({ pk }) => {
	await operate({ socket: house.socket }, StartGoLive, { body: { key: pk } });
	return asIs;
};

const PREPARED: { readonly [operation: string]: Prepare } = {
	release: ownHold,
	consume: ownHold,
	readHold: ownHold,
	placeOrder: ownHold,
	confirm: ownHold,
	findHold: async ({ token }) => {
		await newHold(token, "cart-1001");
		return asIs;
	},
	reverseConsume: async ({ token }) => {
		await post(token, "/consume", { reservation_token: await newHold(token), external_ref: "sale-1001" });
		return asIs;
	},
	getOrder: ownOrders,
	cancelOrder: ownOrders,
	combineShipments: ownOrders,
	advanceSandbox: ownOrders,
	getWebhookEndpoint: ownEndpoint,
	changeWebhookEndpoint: ownEndpoint,
	deleteWebhookEndpoint: ownEndpoint,
	rotateWebhookSecret: ownEndpoint,
	testWebhookEndpoint: ownEndpoint,
	listWebhookDeliveries: ownEndpoint,
	recoverWebhookEvents: ownEndpoint,
	resendWebhookDelivery: async ({ token }) => {
		const endpoint = await newEndpoint(token);
		await post(token, `/webhook-endpoints/${endpoint}/test`, {});
		const { json } = await house.call(token, `/api/v1/webhook-endpoints/${endpoint}/deliveries`);
		const [delivery] = json.data.items;
		return (text) => putInPlace(ENDPOINT, endpoint)(putInPlace(DELIVERY, delivery.delivery_id)(text));
	},
	readGoLive: ownRun,
	startDrill: ownRun,
	postShown: ownRun,
	coaFile: async () => {
		const reply = await fetch(`${house.coa}/coa/lookup?lot=SANDBOX`, {
			headers: { accept: "application/json" },
		});
		const { data } = (await reply.json()) as { data: { items: { certificate_url: string }[] } };
		return putInPlace(FILE, must(data.items[0], "a certificate").certificate_url.split("/").slice(-2).join("/"));
	},
};

/** Runs programs of a language one after the other, in one process of an interpreter, each as a file of its own. */
const RUN: { readonly [language in Language]: readonly [program: string, ...args: string[]] } = {
	sh: [
		"bash",
		"--norc",
		"-c",
		'for one in "$@"; do echo "### $one"; bash --norc -euo pipefail "$one" 2>&1; echo; echo "=> $?"; done',
		"-",
	],
	ts: [process.execPath, "--disable-warning=ExperimentalWarning", "run.mjs"],
	python: ["python3", "run.py"],
};
const RUNNERS = {
	"run.mjs": `for (const one of process.argv.slice(2)) {
	console.log("### " + one);
	console.log("=> " + (await import("./" + one).then(() => 0, (error) => \`\${error.status} \${error.code}: \${error.message}\`)));
}
process.exit(0);`,
	"run.py": `import runpy, sys, traceback
for one in sys.argv[1:]:
    print("### " + one)
    try:
        runpy.run_path(one)
        print("=> 0")
    except Exception:
        print("=> " + traceback.format_exc())
`,
};

/** What each program printed, and how it ended: `0` if it succeeded. */
async function runAll(language: Language, files: readonly string[], cwd: string): Promise<Map<string, Ended>> {
	for (const [name, text] of Object.entries(RUNNERS)) await writeFile(path.join(cwd, name), text);
	const [program, ...args] = RUN[language];
	const out = await new Promise<string>((resolve) => {
		execFile(program, [...args, ...files], { cwd }, (_error, out, err) => resolve(out + err));
	});
	const parts = out.split(/^### (.+)$/m).slice(1);
	return new Map(
		files.map((file) => {
			const [, printed = "", end = "nothing"] =
				/^([\s\S]*)^=> ([\s\S]*)$/m.exec(parts[parts.indexOf(file) + 1] ?? "") ?? [];
			return [file, { printed: printed.trim(), end: end.trim() }];
		}),
	);
}

interface Ended {
	readonly printed: string;
	readonly end: string;
}

/** What a sample prints when it succeeded: curl the reply, Python the status before it. */
const SUCCEEDED: { readonly [language in Language]: (operation: string) => RegExp } = {
	sh: (operation) => (operation === "coaFile" ? /^$/ : /^\{"data":/),
	ts: () => /^/,
	python: (operation) => (operation === "coaFile" ? /^$/ : /^20\d \{"data":/),
};
const ENDINGS = { sh: "sh", ts: "ts", python: "py" };

/** Writes the samples of a language to files, with what a reader fills in. Each operation has a key of its own. */
async function writeSamples(language: Language, at: string): Promise<Map<string, string>> {
	const partner = newPartner();
	const files = new Map<string, string>();
	for (const { operation, samples } of pages) {
		const text = samples.get(language);
		if (text === undefined) continue;
		const key = await house.mint({
			name: operation,
			partner,
			environment: "sandbox",
			brandCode: SANDBOX_BRAND,
			sharedPool: false,
			scopes: [...SCOPES],
		});
		const withOwn = await (PREPARED[operation] ?? (async () => asIs))(key);
		const own = withOwn(text).replaceAll(SHOP, OWN_SHOP).replaceAll(KEY, key.token);
		const file = `${operation}.${ENDINGS[language]}`;
		files.set(operation, file);
		await writeFile(path.join(at, file), language === "sh" ? `KEY='${key.token}'\n${own}` : own);
	}
	return files;
}

describe("Every sample of the reference does what its page says", () => {
	it("there are three of each operation, or two where the SDK has no method", () => {
		expect(pages.length).toBeGreaterThan(40);
		for (const { operation, samples } of pages)
			expect([operation, samples.has("sh"), samples.has("python")]).toEqual([operation, true, true]);
	});

	it.each(LANGUAGES.filter((language) => language !== "python" || hasPython()))("in %s", async (language) => {
		const at = path.join(folder, language);
		await mkdir(at);
		const files = await writeSamples(language, at);
		const ended = await runAll(language, [...files.values()], at);
		for (const [operation, file] of files) {
			const { printed, end } = must(ended.get(file), file);
			expect([operation, printed, end]).toEqual([
				operation,
				expect.stringMatching(SUCCEEDED[language](operation)),
				"0",
			]);
		}
		if (language !== "ts")
			expect((await readFile(path.join(at, "certificate.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
	});
});
