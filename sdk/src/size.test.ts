import path from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";

/** Bytes, minified and compressed. */
const MOST = { client: 8_000, counts: 500 };

/** What a bundler makes of a program that imports these names of the package's first entry. */
async function sizeOf(names: string): Promise<number> {
	const program = `export { ${names} } from "./index.ts";`;
	const build = await rolldown({
		input: "program",
		plugins: [
			{
				name: "program",
				resolveId: (id) => (id === "program" ? path.join(import.meta.dirname, "program.ts") : null),
				load: (id) => (id.endsWith("/program.ts") ? program : null),
			},
		],
	});
	const { output } = await build.generate({ format: "es", minify: true });
	await build.close();
	return gzipSync(output[0].code).length;
}

it("The whole client has at most 8 kB, minified and compressed", async () => {
	expect(await sizeOf("Holdfast, HoldfastError, Unauthorized, isKnown, shown")).toBeLessThanOrEqual(MOST.client);
});

it("Whoever imports only what shows a count gets nothing of the client", async () => {
	expect(await sizeOf("isKnown, shown")).toBeLessThanOrEqual(MOST.counts);
});
