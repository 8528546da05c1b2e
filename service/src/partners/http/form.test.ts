import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { errorOf, mountExamples } from "../../../test/example-operations.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { BodyBudget, FORM_LIMITS } from "./body-budget.ts";
import { boundaryOf, MAX_FORM_BYTES, readForm } from "./form.ts";

const MB = 1024 * 1024;

let database: TestDatabase;
let doors: Doors;
let token: string;
const forms = new BodyBudget(FORM_LIMITS);

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db, { extend: mountExamples, forms });
	({ token } = await doors.mint());
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

const put = (body: RequestInit["body"], headers: Record<string, string> = {}, path = "/api/v1/deliver") =>
	fetch(doors.origin + path, {
		method: path.endsWith("echo") ? "POST" : "PUT",
		headers: { authorization: `Bearer ${token}`, ...headers },
		body: body ?? null,
	});
const formOf = (parts: readonly (readonly [name: string, value: string | File])[]): FormData => {
	const form = new FormData();
	for (const [name, value] of parts) {
		if (typeof value === "string") form.append(name, value);
		else form.append(name, value, value.name);
	}
	return form;
};
/** Bytes that the reply, which repeats them as JSON, has no need to escape. */
const letters = (length: number) => new Uint8Array(length).fill(0x61);

describe("A form", () => {
	it("brings files beside its data, in their order, and a refusal lists what is wrong; without files it is JSON", async () => {
		const files = [
			["file", new File(["%PDF-1"], "a.pdf")],
			["data", '{"note":"hi"}'],
			["file", new File(["é\r\n--x"], 'ü "b".csv')],
		] as const;
		const read = await (await put(formOf(files))).json();
		expect(read).toEqual({
			data: {
				note: "hi",
				files: [
					{ name: "a.pdf", text: "%PDF-1" },
					{ name: 'ü "b".csv', text: Buffer.from("é\r\n--x").toString("latin1") },
				],
			},
		});
		const wrong = ["a", "b"].map((name) => ["file", new File(["wrong"], name)] as const);
		const refused = await put(formOf(wrong));
		expect([refused.status, await refused.json()]).toEqual([
			400,
			{
				error: {
					code: "invalid_input",
					message: "Some files are wrong.",
					problems: ["a", "b"].map((at) => ({ at, message: "is wrong" })),
				},
			},
		]);
		const json = await put('{"note":"bare"}', { "content-type": "application/json" });
		expect(await json.json()).toEqual({ data: { note: "bare", files: [] } });
		const alone = await put(formOf([["file", new File([], "empty")]]));
		expect(await alone.json()).toEqual({ data: { note: null, files: [{ name: "empty", text: "" }] } });
	});

	it("is refused when it has other parts, too many files, data that does not fit, or no end", async () => {
		const file = (name: string): File => new File(["x"], name);
		const refused = async (parts: readonly (readonly [string, string | File])[]) =>
			(await errorOf(await put(formOf(parts)))).slice(0, 2);
		const many = ["a", "b", "c"].map((name) => ["file", file(name)] as const);
		expect(await refused(many)).toEqual([400, "bad_request"]);
		expect(await refused([["other", "x"]])).toEqual([400, "bad_request"]);
		expect(await refused([["file", "no file"]])).toEqual([400, "bad_request"]);
		expect(await refused([["data", "{"]])).toEqual([400, "bad_request"]);
		expect(await refused([["file", file("x".repeat(256))]])).toEqual([400, "bad_request"]);
		expect(await refused([["data", '{"nope":1}']])).toEqual([400, "invalid_input"]);
		expect(await refused([["data", `{"note":"${"x".repeat(MB)}"}`]])).toEqual([400, "bad_request"]);
		const type = { "content-type": "multipart/form-data; boundary=x" };
		for (const body of ["", "--x", "--x\r\n", "--y--", '--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n{}'])
			expect((await errorOf(await put(body, type))).slice(0, 2), body).toEqual([400, "bad_request"]);
		const long = `--x\r\nContent-Disposition: form-data; name="data"\r\nX: ${"y".repeat(5_000)}\r\n\r\n{}\r\n--x--`;
		expect((await errorOf(await put(long, type))).slice(0, 2)).toEqual([400, "bad_request"]);
	});

	it("is refused by operations that declare no files", async () => {
		const [status, code, message] = await errorOf(await put(formOf([["data", "{}"]]), {}, "/api/v1/echo"));
		expect([status, code]).toEqual([400, "bad_request"]);
		expect(message).not.toContain("multipart");
	});

	it("may be 32 MiB long, and is refused with 413 from the announcement of more", async () => {
		const big = await put(formOf([["file", new File([letters(MAX_FORM_BYTES - 1_000)], "big")]]));
		expect(big.status).toBe(200);
		await big.arrayBuffer();
		const { socket, answer } = begin(token, MAX_FORM_BYTES + 1);
		expect(await answer).toMatch(/^HTTP\/1.1 413 /);
		socket.destroy();
	});
});

/** Announces a form of `length` bytes and sends nothing of it. */
function begin(key: string, length: number): { readonly socket: Socket; readonly answer: Promise<string> } {
	const socket = connect(doors.port, "127.0.0.1");
	socket.on("error", () => undefined);
	socket.write(
		`PUT /api/v1/deliver HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n--x`,
	);
	const answer = new Promise<string>((resolve) => {
		socket.once("data", (chunk) => resolve(chunk.toString("latin1")));
	});
	return { socket, answer };
}

it("a slow form costs only its sender: others' forms and bodies pass, and its room is free when it hangs up", async () => {
	const other = (await doors.mint()).token;
	const { socket } = begin(token, MAX_FORM_BYTES);
	await until("the form to be counted", () => forms.inFlight > 0);
	const more = begin(token, MB);
	expect(await more.answer).toMatch(/^HTTP\/1.1 429 /);
	const file = new File([letters(MB)], "f");
	expect((await put(formOf([["file", file]]), { authorization: `Bearer ${other}` })).status).toBe(200);
	expect((await put('{"note":"x"}', { "content-type": "application/json" })).status).toBe(200);
	socket.destroy();
	more.socket.destroy();
	await until("the room to be given back", () => forms.inFlight === 0);
	expect((await put(formOf([["file", file]]))).status).toBe(200);
});

it("reads what the platform's own encoder writes, whatever bytes and names there are", async () => {
	const name = fc
		.string({ unit: "binary", minLength: 1, maxLength: 20 })
		.map((text) => text.replace(/[\p{Cc}/\\%]/gu, "_"));
	const file = fc.record({ name, bytes: fc.uint8Array({ maxLength: 300 }) });
	await fc.assert(
		fc.asyncProperty(fc.array(file, { maxLength: 4 }), fc.json(), async (files, data) => {
			const form = new FormData();
			form.append("data", data);
			for (const one of files) form.append("file", new File([new Uint8Array(one.bytes)], one.name), one.name);
			const encoded = new Response(form);
			const boundary = boundaryOf(encoded.headers.get("content-type") ?? "") ?? "";
			const read = readForm(Buffer.from(await encoded.arrayBuffer()), boundary, 4);
			if ("problem" in read) throw new Error(read.problem);
			expect(read.data?.toString()).toBe(data.replace(/\r?\n|\r/g, "\r\n"));
			expect(read.files.map((one) => [one.name, one.bytes.toString("hex")])).toEqual(
				files.map((one) => [one.name.toWellFormed(), Buffer.from(one.bytes).toString("hex")]),
			);
		}),
	);
});
