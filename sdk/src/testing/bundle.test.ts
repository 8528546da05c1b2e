import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { bundleTesting } from "./bundle.ts";

it("the published file needs no package: neither one of the service's, nor any other", async () => {
	const { code, imports, packages, notices } = await bundleTesting();
	const builtIn = new Set(builtinModules.map((name) => `node:${name}`));
	expect(imports.filter((name) => !builtIn.has(name))).toEqual([]);
	expect(packages).toEqual(["csv-stringify", "ipaddr.js", "lru-cache", "typebox"]);
	for (const name of packages) expect(notices).toContain(name);

	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-testing-"));
	try {
		const file = path.join(folder, "testing.mjs");
		await writeFile(file, code);
		const { createFakeHoldfast } = (await import(pathToFileURL(file).href)) as typeof import("./index.ts");
		const { fetch, token } = createFakeHoldfast({ world: { stock: { "SERUM-30": 12 } } });
		const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
		const body = JSON.stringify({ items: [{ sku: "SERUM-30", qty: 2 }] });
		const reply = await fetch("https://holdfast.test/api/v1/reserve", { method: "POST", headers, body });
		expect(reply.status).toBe(201);
	} finally {
		await rm(folder, { recursive: true });
	}
});
