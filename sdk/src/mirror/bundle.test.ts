import { spawn } from "node:child_process";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";

/** What a mirror of one SKU needs of the service. */
const PAGE = JSON.stringify({
	data: {
		items: [{ sku: "A", tracks_inventory: true, availability: { atp_qty: 3 } }],
		next_cursor: "c",
		has_more: false,
		as_of: "2026-09-06T12:00:00.000Z",
	},
});
const PROGRAM = `
	const { Holdfast, InventoryMirror, memoryStore } = kit;
	const fetch = () => Promise.resolve(new Response(page));
	const holdfast = new Holdfast({ baseUrl: "https://api.example.com", token: "pk_a:sk_a", fetch });
	const mirror = new InventoryMirror({ holdfast, skus: { mine: "A" }, store: memoryStore(), onAlert() {} });
	await mirror.start();
`;

async function bundle(): Promise<string> {
	const input = "kit-and-mirror";
	const code = ["../index.ts", "./index.ts"].map(
		(entry) => `export * from ${JSON.stringify(join(import.meta.dirname, entry))};`,
	);
	const build = await rolldown({
		input,
		external: /^node:/,
		plugins: [
			{
				name: "both",
				resolveId: (id) => (id === input ? id : null),
				load: (id) => (id === input ? code.join("\n") : null),
			},
		],
	});
	const { output } = await build.generate({ format: "iife", name: "kit" });
	await build.close();
	return output[0].code;
}

it("A mirror works where there are only globals of the web", async () => {
	const web = {
		AbortController,
		AbortSignal,
		Headers,
		Response,
		URL,
		URLSearchParams,
		clearTimeout,
		crypto,
		performance,
		setTimeout,
	};
	const context = createContext({ ...web, page: PAGE });
	runInContext(await bundle(), context);
	const count = await runInContext(
		`(async () => { ${PROGRAM} await mirror.stop(); return mirror.count("mine"); })()`,
		context,
	);
	expect({ ...count }).toEqual({ kind: "known", qty: 3 });
});

it("A mirror does not keep a process alive", async () => {
	const from = (entry: string) => JSON.stringify(join(import.meta.dirname, entry));
	const program = `
		import * as client from ${from("../index.ts")};
		import * as mirrors from ${from("./index.ts")};
		const [kit, page] = [{ ...client, ...mirrors }, ${JSON.stringify(PAGE)}];
		${PROGRAM}
		console.log(JSON.stringify(mirror.count("mine")));
	`;
	const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { timeout: 60_000 });
	let out = "";
	child.stdout.on("data", (chunk: Buffer) => {
		out += chunk.toString();
	});
	const code = await new Promise((resolve) => child.on("close", resolve));
	expect({ code, out }).toEqual({ code: 0, out: '{"kind":"known","qty":3}\n' });
});
