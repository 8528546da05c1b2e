import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { bundleTesting } from "./src/testing/bundle.ts";

/*
 * Builds sdk/dist, the package as it would be published: every entry by tsc, file by file, but `/testing`, which
 * contains the service's own rules, as one bundle. `node sdk/build.ts [folder]` builds it elsewhere; `npm run sdk:pack`
 * builds it and makes the file that partners install.
 */

const HERE = import.meta.dirname;
const dist = path.resolve(process.argv[2] ?? path.join(HERE, "dist"));
const run = promisify(execFile);
const FORMAT: ts.FormatDiagnosticsHost = {
	getCanonicalFileName: (name) => name,
	getCurrentDirectory: () => HERE,
	getNewLine: () => "\n",
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await tsc("--outDir", dist);
await buildTesting(path.join(dist, "testing"));
await renameImports();
await writePackage();
for (const file of ["sdk/README.md", "LICENSE"])
	await cp(path.join(HERE, "..", file), path.join(dist, path.basename(file)));

async function tsc(...options: readonly string[]): Promise<void> {
	const compiler = path.join(HERE, "../node_modules/.bin/tsc");
	await run(compiler, ["-p", path.join(HERE, "tsconfig.json"), ...options]).catch(
		(error: { readonly stdout: string }) => {
			throw new Error(`tsc: ${error.stdout}`);
		},
	);
}

async function buildTesting(folder: string): Promise<void> {
	const { code, notices } = await bundleTesting();
	await mkdir(folder, { recursive: true });
	await writeFile(path.join(folder, "index.js"), code);
	await writeFile(path.join(folder, "LICENSES.txt"), `${notices}\n`);
	// its declarations name nothing of the service, so each can be made from its file alone
	for (const file of ["index", "types"]) {
		const source = await readFile(path.join(HERE, "src/testing", `${file}.ts`), "utf8");
		const compilerOptions = { isolatedDeclarations: true, stripInternal: true };
		const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
			compilerOptions,
			reportDiagnostics: true,
		});
		if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT));
		await writeFile(path.join(folder, `${file}.d.ts`), outputText);
	}
}

/** Declarations name files as they were: `.ts`. */
async function renameImports(): Promise<void> {
	for (const file of await readdir(dist, { recursive: true })) {
		if (!file.endsWith(".d.ts")) continue;
		const text = await readFile(path.join(dist, file), "utf8");
		await writeFile(path.join(dist, file), text.replaceAll(/(from |import\()"(\.{1,2}\/[^"]+)\.ts"/g, '$1"$2.js"'));
	}
}

/** The package's own package.json, and the launcher, with the addresses that files have in the package. */
async function writePackage(): Promise<void> {
	const text = await readFile(path.join(HERE, "package.json"), "utf8");
	const {
		private: _private,
		exports: entries,
		devDependencies: _devDependencies,
		scripts: _scripts,
		...rest
	} = JSON.parse(text) as {
		readonly private: boolean;
		readonly exports: Readonly<Record<string, string>>;
		readonly devDependencies: object;
		readonly scripts: object;
	};
	const published = Object.entries(entries).map(([name, file]) => [name, file.endsWith(".ts") ? built(file) : file]);
	const manifest = { ...rest, exports: Object.fromEntries(published) };
	await writeFile(path.join(dist, "package.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	await mkdir(path.join(dist, "bin"), { recursive: true });
	for (const file of await readdir(path.join(HERE, "bin"))) {
		const launcher = await readFile(path.join(HERE, "bin", file), "utf8");
		const moved = launcher.replaceAll(/\.\.\/src\/([\w/-]+)\.ts\b/g, "../$1.js");
		await writeFile(path.join(dist, "bin", file), moved, { mode: 0o755 });
	}
}

function built(source: string): { readonly types: string; readonly default: string } {
	const base = source.replace(/^\.\/src\//, "./").replace(/\.ts$/, "");
	return { types: `${base}.d.ts`, default: `${base}.js` };
}
