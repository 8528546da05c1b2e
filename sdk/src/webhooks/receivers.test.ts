import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Child, start, until } from "../../../service/test/processes/child.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "fixtures/receivers");
const guide = readFileSync(join(ROOT, "docs/partner/webhooks.md"), "utf8");

/** How each is started; `says`: it prints the type and the id of an event that it handles. */
const RECEIVERS: readonly Receiver[] = [
	{ language: "js", file: "receiver.mjs", start: (path) => [process.execPath, path], says: true },
	{ language: "python", file: "receiver.py", start: (path) => ["python3", path], says: true },
	{
		language: "php",
		file: "receiver.php",
		start: (path, port) => ["php", "-S", `127.0.0.1:${port}`, path],
		says: false,
	},
	{ language: "go", file: "receiver.go", start: (path) => ["go", "run", path], says: true },
];
interface Receiver {
	readonly language: string;
	readonly file: string;
	readonly start: (path: string, port: number) => [program: string, ...args: string[]];
	readonly says: boolean;
}

const isInstalled = (program: string): boolean =>
	spawnSync(program, [program === "go" ? "version" : "--version"]).status === 0;

const [OLD, NEW] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`) as [string, string];
const BODY = '{"type":"order.held","data":{"detail":"Zürich €5"}}';

/** Headers by the independent library. */
function signed(secrets: readonly string[], ageSeconds = 0, id = "evt_1"): Record<string, string> {
	const at = new Date(Date.now() - ageSeconds * 1_000);
	return {
		"webhook-id": id,
		"webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
		"webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, BODY)).join(" "),
	};
}

/** Headers that anybody can make: signed with no key at all. */
function signedWithNothing(): Record<string, string> {
	const { "webhook-id": id, "webhook-timestamp": timestamp } = signed([OLD], 0, "evt_forged");
	const mac = createHmac("sha256", "").update(`${id}.${timestamp}.${BODY}`).digest("base64");
	return { ...signed([OLD], 0, "evt_forged"), "webhook-signature": `v1,${mac}` };
}

/** What a stranger may send. */
const HOSTILE: Readonly<Record<string, { readonly headers?: Record<string, string>; readonly body?: string }>> = {
	"a signature of other letters": { headers: { "content-length": "0", "webhook-signature": `v1,${"é".repeat(44)}` } },
	"a time of other digits": { headers: { "content-length": "0", "webhook-timestamp": "²" } },
	"a body that is cut off": { headers: { "content-length": "9" }, body: "{" },
	"a body that is too large": { headers: { "content-length": "2000000" }, body: "x".repeat(2_000_000) },
	"a length that is no number": { headers: { "content-length": "²" } },
};

/** Sends bytes as no HTTP client does, and resets the connection once there is an answer, or none for a while. */
async function sendAndLeave(port: number, headers: Record<string, string>, body: string): Promise<void> {
	const all = Object.entries({ host: "a", ...headers });
	const head = ["POST / HTTP/1.1", ...all.map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");
	const socket = connect(port, "127.0.0.1");
	await new Promise<void>((resolve) => {
		socket.on("error", () => resolve()).on("data", () => resolve());
		socket.on("close", () => resolve()).setTimeout(1_000, resolve);
		socket.write(head, "latin1");
		socket.write(body);
	});
	socket.resetAndDestroy();
}

/** Ends a receiver and its group, because `go run` starts the receiver as another process. */
async function end(child: Child): Promise<void> {
	try {
		process.kill(-child.pid, "SIGKILL");
	} catch {
		// it has ended by itself
	}
	await child.exited;
}

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

it("The guide prints the receivers as they are", () => {
	const printed = [...guide.matchAll(/```(js|python|php|go)\n([\s\S]*?)```/g)];
	expect(printed.map(([, language]) => language)).toEqual(RECEIVERS.map(({ language }) => language));
	for (const [, language, text] of printed) {
		const { file = "" } = RECEIVERS.find((one) => one.language === language) ?? {};
		expect(text).toBe(readFileSync(join(FOLDER, file), "utf8"));
	}
});

describe.each(RECEIVERS)("$file", ({ file, start: commandOf, says }) => {
	const [program] = commandOf(file, 0);
	const installed = isInstalled(program);

	describe.skipIf(!installed)(installed ? "runs" : `is not run: ${program} is not installed`, () => {
		let child: Child;
		let url: string;

		beforeAll(async () => {
			const port = await freePort();
			url = `http://127.0.0.1:${port}/`;
			const [, ...args] = commandOf(join(FOLDER, file), port);
			const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: `${OLD} ` };
			child = start(program, args, { env, detached: true });
			await until("the receiver", () =>
				post("", {}).then(
					(status) => status === 401,
					() => false,
				),
			);
		});
		afterAll(() => end(child));

		const post = async (body: string, headers: Record<string, string>): Promise<number> =>
			(await fetch(url, { method: "POST", body, headers })).status;

		it("accepts what is signed, with either secret of a rotation, and refuses the rest", async () => {
			expect(await post(BODY, signed([OLD]))).toBe(200);
			expect(await post(BODY, signed([NEW, OLD]))).toBe(200);
			expect(await post(BODY, signed([NEW]))).toBe(401);
			expect(await post(`${BODY} `, signed([OLD]))).toBe(401);
			expect(await post(BODY, signed([OLD], 600))).toBe(401);
			expect(await post(BODY, signed([OLD], -600))).toBe(401);
			expect(await post(BODY, { ...signed([OLD]), "webhook-id": "evt_2" })).toBe(401);
			expect(await post(BODY, { ...signed([OLD]), "webhook-timestamp": "now" })).toBe(401);
			expect(await post(BODY, {})).toBe(401);
			expect(await post(BODY, signed([OLD], 0, "evt_3"))).toBe(200);
			if (!says) return;
			await until("the events", () => child.lines.includes("order.held evt_3"));
			expect(child.lines).toEqual(["order.held evt_1", "order.held evt_3"]); // once, although evt_1 arrived twice
		});

		it("refuses what the empty key signs, although a blank follows the secret", async () => {
			expect(await post(BODY, signedWithNothing())).toBe(401);
			expect(await post(BODY, signed([OLD], 0, "evt_4"))).toBe(200);
		});

		it.each(Object.entries(HOSTILE))("goes on after %s", async (_what, { headers = {}, body = "" }) => {
			await sendAndLeave(Number(new URL(url).port), { ...signed([OLD]), ...headers }, body);
			expect(await post(BODY, signed([OLD], 0, "evt_5"))).toBe(200);
		});

		it.each([
			["no secret", ""],
			["a secret that is cut off", "whsec_"],
			["a placeholder", "whsec_…"],
			["a second secret that is cut off", `${OLD} whsec_`],
		])("accepts nothing with %s", async (_what, secret) => {
			const port = await freePort();
			const [, ...args] = commandOf(join(FOLDER, file), port);
			const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
			const other = start(program, args, { env, detached: true });
			let exit: number | string | null = null;
			void other.exited.then((code) => (exit = code));
			const forged = { method: "POST", body: BODY, headers: signedWithNothing() };
			const answer = (): Promise<number | null> =>
				fetch(`http://127.0.0.1:${port}/`, forged).then(
					({ status }) => status,
					() => null,
				);
			const said = await until("its end, or an answer", async () => exit ?? (await answer()));
			expect(said).toBe(program === "php" ? 500 : 1);
			await end(other);
		});
	});
});
