import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { signingKeyOf } from "../../src/partners/webhooks/secret.ts";
import { signedHeaders } from "../../src/partners/webhooks/sign.ts";
import { verifySigned } from "../../src/partners/webhooks/verify-signed.ts";
import { type Child, start, until } from "../processes/child.ts";
import { isAccepted } from "./signers.ts";

interface Case {
	readonly name: string;
	readonly valid: boolean;
	readonly now: number;
	readonly secrets: readonly string[];
	readonly id: string;
	readonly timestamp: string;
	readonly signature: string;
	readonly body: string;
}

const ROOT = join(import.meta.dirname, "../../..");
const { cases } = JSON.parse(await readFile(join(ROOT, "fixtures/webhook-signatures.json"), "utf8")) as {
	cases: Case[];
};
const guide = await readFile(join(ROOT, "docs/partner/webhooks.md"), "utf8");

const headersOf = ({ id, timestamp, signature }: Pick<Case, "id" | "timestamp" | "signature">) => ({
	"webhook-id": id,
	"webhook-timestamp": timestamp,
	"webhook-signature": signature,
});
const named = cases.map((one) => [one.name, one] as const);

describe("The fixtures", () => {
	afterEach(() => vi.useRealTimers());

	it.each(named)("%s: the independent library and our receiver judge as the fixture says", (_name, one) => {
		vi.useFakeTimers({ toFake: ["Date"], now: one.now * 1_000 });
		const post = { body: one.body, headers: headersOf(one) };
		const accepted = one.secrets.some((secret) => isAccepted(secret, post));
		expect(accepted).toBe(one.valid);
		expect(verifySigned(one, one.body, one.secrets, one.now) === null).toBe(one.valid);
	});

	it("what is signed here is what the fixtures hold", () => {
		const [valid] = cases;
		if (valid === undefined) throw new Error("there are no cases");
		const made = signedHeaders(
			{ eventId: valid.id, timestamp: Number(valid.timestamp), body: valid.body },
			valid.secrets.map(signingKeyOf),
		);
		expect(made).toEqual(headersOf(valid));
	});
});

const sample = (language: string): string =>
	new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
const has = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;

const RECEIVERS = [
	{ language: "js", file: "receiver.mjs", command: (file: string) => [process.execPath, file], installed: true },
	{ language: "python", file: "receiver.py", command: (file: string) => ["python3", file], installed: true },
	{
		language: "php",
		file: "receiver.php",
		command: (file: string, port: number) => ["php", "-S", `127.0.0.1:${port}`, file],
		installed: has("php"),
	},
] as const;

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

describe.each(RECEIVERS)("The receiver of the guide in $language", ({ language, file, command, installed }) => {
	let folder: string;
	let child: Child;
	let url: string;
	const [old, fresh] = [
		`whsec_${Buffer.alloc(32, 7).toString("base64")}`,
		`whsec_${Buffer.alloc(32, 8).toString("base64")}`,
	];

	beforeAll(async () => {
		if (!installed) return;
		folder = await mkdtemp(join(tmpdir(), "holdfast-receiver-"));
		const port = await freePort();
		await writeFile(join(folder, file), sample(language));
		const [program = "", ...args] = command(join(folder, file), port);
		const { PATH = "" } = process.env;
		child = start(program, args, { env: { ...process.env, PATH, PORT: String(port), WEBHOOK_SECRET: old } });
		url = `http://127.0.0.1:${port}/`;
		await until("the receiver", () =>
			fetch(url, { method: "POST", body: "" }).then(
				() => true,
				() => false,
			),
		);
	});
	afterAll(async () => {
		if (!installed) return;
		await child.kill();
		await rm(folder, { recursive: true, force: true });
	});

	/** The receiver's answer; the independent library must give the same verdict on each post. */
	const post = async (body: string, headers: Record<string, string>): Promise<number> => {
		const { status } = await fetch(url, { method: "POST", body, headers });
		expect(status === 200).toBe(isAccepted(old, { body, headers }));
		return status;
	};
	const body = '{"type":"order.held","data":{"detail":"Zürich €5"}}';
	const now = (): number => Math.floor(Date.now() / 1_000);
	const signed = (secrets: readonly string[], timestamp: number, eventId = "evt_1") =>
		signedHeaders({ eventId, timestamp, body }, secrets.map(signingKeyOf));

	it("is about thirty lines", () => {
		expect(sample(language).split("\n").length).toBeGreaterThan(20);
		expect(sample(language).split("\n").length).toBeLessThanOrEqual(40);
	});

	it.skipIf(!installed)("accepts what is signed, with either secret of a rotation, and refuses the rest", async () => {
		expect(await post(body, signed([old], now()))).toBe(200);
		expect(await post(body, signed([fresh, old], now()))).toBe(200);
		expect(await post(body, signed([fresh], now()))).toBe(401);
		expect(await post(`${body} `, signed([old], now()))).toBe(401);
		expect(await post(body, signed([old], now() - 600))).toBe(401);
		expect(await post(body, { ...signed([old], now()), "webhook-id": "evt_2" })).toBe(401);
		expect(await post(body, {})).toBe(401);
		if (language !== "php") expect(child.lines).toEqual(["order.held evt_1"]); // handled once, although it arrived twice
	});
});
