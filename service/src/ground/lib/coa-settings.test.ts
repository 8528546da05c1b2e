import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { COA_SETTINGS, coaSettingsOf, storeName } from "./coa-settings.ts";
import { readSettings, shownSettings } from "./setting.ts";

function read(env: Readonly<Record<string, string>>) {
	const wrong: string[] = [];
	const values = readSettings(COA_SETTINGS, env, (problem) => wrong.push(problem.slice(0, problem.indexOf(":"))));
	return { settings: coaSettingsOf(values, "/data"), wrong };
}

it("without any setting PDFs are in the data folder, nothing is required, and the page is nobody's", () => {
	const { settings, wrong } = read({});
	expect(wrong).toEqual([]);
	expect(settings).toMatchObject({
		store: { kind: "folder", path: "/data/coa" },
		required: false,
		archiveSoldOut: false,
	});
	expect([settings.name, settings.logo, settings.contact]).toEqual([null, null, null]);
});

it("a store is a folder or a bucket, and is told as it was given", () => {
	expect(read({ HOLDFAST_COA_STORE: "/srv/coa" }).settings.store).toEqual({ kind: "folder", path: "/srv/coa" });
	for (const address of [
		"s3://acme-coa/",
		"s3://acme-coa/a/b/?region=eu-central-1",
		"s3://b.c/x/?endpoint=https%3A%2F%2Fs3.example%3A9000",
	]) {
		const { store } = read({ HOLDFAST_COA_STORE: address }).settings;
		expect([store.kind, storeName(store)]).toEqual(["s3", address]);
	}
	expect(read({ HOLDFAST_COA_STORE: "s3://acme-coa/a?region=r" }).settings.store).toEqual({
		kind: "s3",
		bucket: "acme-coa",
		prefix: "a/",
		region: "r",
		endpoint: null,
	});
});

it("what cannot be is named, all at once", async () => {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-logo-"));
	const [large, logo] = [path.join(folder, "large.png"), path.join(folder, "logo.svg")];
	await writeFile(large, Buffer.alloc(300 * 1024));
	await writeFile(logo, "<svg xmlns='http://www.w3.org/2000/svg'/>");
	for (const [name, values] of Object.entries({
		HOLDFAST_COA_STORE: [
			"ftp://x/y",
			"s3://",
			"s3://UPPER/x",
			"s3://ok-bucket/x?key=secret",
			"s3://ok-bucket/?endpoint=file:///etc",
		],
		HOLDFAST_COA_REQUIRED: ["yes", "2"],
		HOLDFAST_COA_ARCHIVE_SOLD_OUT: ["TRUE"],
		HOLDFAST_COA_COLOUR: ["red", "#fff", "#12345g"],
		HOLDFAST_COA_LOGO: [large, path.join(folder, "none.png"), path.join(folder, "logo.txt")],
		HOLDFAST_COA_NAME: [" ", "x".repeat(201)],
		HOLDFAST_COA_CONTACT: ["x".repeat(501)],
	})) {
		for (const value of values) expect([value, read({ [name]: value }).wrong]).toEqual([value, [name]]);
	}
	const { settings } = read({ HOLDFAST_COA_LOGO: logo, HOLDFAST_COA_COLOUR: "#ABCDEF" });
	expect(settings.logo).toMatch(/^data:image\/svg\+xml;base64,/);
	expect(settings.colour).toBe("#abcdef");
	expect(shownSettings(COA_SETTINGS, settings).HOLDFAST_COA_LOGO).toBe("data:image/svg+xml;base64,…");
	await rm(folder, { recursive: true });
});
