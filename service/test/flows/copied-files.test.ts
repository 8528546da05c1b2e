import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Child, start, until } from "../processes/child.ts";
import { openServerPlace } from "../server-place.ts";
import { ROOT, readText } from "../tidy/source.ts";
import { COPIED, copyTo } from "./copied.ts";

/*
 * The service started from exactly the files that deploy/Containerfile copies, with the packages of an installation
 * without tools.
 */

/** The top-level packages that `npm ci --omit=dev` installs. */
const PACKAGES = Object.entries(
	(JSON.parse(readText("package-lock.json")) as { packages: Record<string, { dev?: boolean; link?: boolean }> })
		.packages,
).flatMap(([file, { dev, link }]) => {
	const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(file) ?? [];
	return name === undefined || dev === true || link === true ? [] : [name];
});

let folder: string;
let service: Child;
let api: string;
let coa: string;
let token: string;

const ENV = () => ({
	PATH: process.env.PATH ?? "",
	HOME: folder,
	HOLDFAST_PORT: "0",
	HOLDFAST_COA_PORT: "0",
	HOLDFAST_DATA_DIR: path.join(folder, "data"),
});
const serve = (): Child => start(process.execPath, ["cli/bin/holdfast.js", "start"], { cwd: folder, env: ENV() });

beforeAll(async () => {
	folder = await openServerPlace("copied");
	await copyTo(folder, COPIED);
	const installed = await readdir(path.join(ROOT, "node_modules"));
	for (const name of PACKAGES.filter((one) => installed.includes(one.split("/")[0] ?? ""))) {
		const link = path.join(folder, "node_modules", name);
		await mkdir(path.dirname(link), { recursive: true });
		await symlink(path.join(ROOT, "node_modules", name), link);
	}
	service = serve();
	[, api = "", coa = ""] = await until("it to serve", () => {
		if (service.process.exitCode !== null) throw new Error(service.errors.join("\n"));
		return service.errors.map((line) => /API at (\S+?), the COA feed at (\S+?)[,.]?$/.exec(line)).find(Boolean);
	});
	[token = ""] = await until("the key", () =>
		service.errors.map((line) => /pk_hf_sandbox_\w+:sk_hf_sandbox_\w+/.exec(line)).find(Boolean),
	);
});
afterAll(async () => {
	await service?.stop();
	await rm(folder, { recursive: true, force: true });
});

const ask = (address: string, init: RequestInit = {}) =>
	fetch(address, { ...init, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" } });

describe("The files that the container file copies are enough", () => {
	it("install.md lists them", () => {
		const listed = readText("docs/operator/install.md");
		for (const file of COPIED) expect(listed).toContain(`\`${file}\``);
	});

	it("to reserve", async () => {
		const body = JSON.stringify({ items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref: "copied" });
		expect((await ask(`${api}/api/v1/reserve`, { method: "POST", body })).status).toBe(201);
	});

	const PAGES = [
		"/docs",
		"/docs/json",
		"/docs/guides/holds",
		"/docs/errors/hold_race",
		"/docs/changelog",
		"/docs/search.json",
		"/docs/fixtures/webhook-signatures.json",
		"/docs/fixtures/collections/postman.json",
		"/docs/llms.txt",
		"/docs/llms-full.txt",
		"/docs/guides/holds.md",
	];
	it.each(PAGES)("to show %s at both addresses", async (page) => {
		for (const at of [api, coa]) expect([at, (await fetch(at + page)).status]).toEqual([at, 200]);
	});

	it("to answer a browser at / and at unknown pages with a page, and everybody else with 404", async () => {
		for (const at of [api, coa]) {
			const look = async (page: string, accept: string) => {
				const reply = await fetch(at + page, { headers: { Accept: accept } });
				return [reply.status, reply.headers.get("content-type"), (await reply.text()).includes("<h1>")];
			};
			expect(await look("/", "text/html,*/*")).toEqual([200, "text/html; charset=utf-8", true]);
			expect(await look("/docs/nothing", "text/html,*/*")).toEqual([404, "text/html; charset=utf-8", true]);
			for (const page of ["/", "/docs/nothing"])
				expect(await look(page, "*/*")).toEqual([404, "application/json; charset=utf-8", false]);
		}
	});

	it("to make the PDF of a sample certificate, whose lot the look-up knows", async () => {
		const reply = await fetch(`${coa}/coa/lookup?lot=SANDBOX`, { headers: { Accept: "application/json" } });
		const { data } = (await reply.json()) as { data: { items: { certificate_url: string }[] } };
		const pdf = await fetch(data.items.at(-1)?.certificate_url ?? "");
		expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
		expect(
			Buffer.from(await pdf.arrayBuffer())
				.subarray(0, 5)
				.toString(),
		).toBe("%PDF-");
	});

	it("to read the feed of certificates", async () => {
		const feed = await ask(`${coa}/api/partner/v1/coa`);
		expect([feed.status, await feed.json()]).toMatchObject([200, { data: { items: expect.any(Array) } }]);
	});

	it("and no start without the documents: a sentence names what is missing", async () => {
		await service.stop();
		await rm(path.join(folder, "CHANGELOG.md"));
		const failing = serve();
		expect(await failing.exited).toBe(1);
		expect(failing.errors.join("\n")).toMatch(/shown at \/docs are missing in .*: CHANGELOG\.md\. Copy them/);
	});
});
