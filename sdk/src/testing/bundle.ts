import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";

/** `@holdfast/partner/testing` as it is published: one file, with the service's rules in it. */
export interface TestingBundle {
	readonly code: string;
	/** What the file imports. */
	readonly imports: readonly string[];
	/** Names of the packages whose code is in it. */
	readonly packages: readonly string[];
	/** The licences of these packages, which must accompany their code. */
	readonly notices: string;
}

/** Leaves out what the fake does not use: drivers and frameworks, which modules of the service import beside rules. */
export async function bundleTesting(): Promise<TestingBundle> {
	const bundle = await rolldown({
		input: path.join(import.meta.dirname, "index.ts"),
		platform: "node",
		treeshake: { moduleSideEffects: false },
		plugins: [IDS_FOR_NODE_22],
	});
	const { output } = await bundle.generate({ format: "es" });
	await bundle.close();
	const [chunk, ...others] = output;
	if (others.length > 0) throw new Error("the bundle has more than one file");
	const packages = packagesIn(chunk);
	const notices = await Promise.all([...packages].map(([name, folder]) => noticeOf(name, folder)));
	return { code: chunk.code, imports: chunk.imports, packages: [...packages.keys()], notices: notices.join("\n\n") };
}

const IDS = "/service/src/ground/lib/ids.ts";
const MAKES_IDS = 'randomUUIDv7 } from "node:crypto"';

/** Node 22 has no `randomUUIDv7`. */
const IDS_FOR_NODE_22: Plugin = {
	name: "ids-for-node-22",
	transform(code, id) {
		if (!id.endsWith(IDS)) return null;
		if (!code.includes(MAKES_IDS)) throw new Error(`${IDS} imports no randomUUIDv7: remove this plugin`);
		const own = path.join(import.meta.dirname, "uuid-v7.ts");
		return `import { randomUUIDv7 } from ${JSON.stringify(own)};\n${code.replace(MAKES_IDS, '} from "node:crypto"')}`;
	},
};

/** The packages of which code is left in the file, by name, with their folders. */
function packagesIn({ modules }: OutputChunk): Map<string, string> {
	const found = new Map<string, string>();
	for (const [file, { renderedLength }] of Object.entries(modules)) {
		const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(file) ?? [];
		if (folder !== undefined && name !== undefined && renderedLength > 0) found.set(name, folder);
	}
	return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function noticeOf(name: string, folder: string): Promise<string> {
	const licence = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
	if (licence === undefined) throw new Error(`${name} has no licence file`);
	return `${name}\n\n${(await readFile(path.join(folder, licence), "utf8")).trim()}`;
}
