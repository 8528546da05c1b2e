import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { BUGS } from "./bugs.ts";
import { edited, SERVICE } from "./plant.ts";

/*
 * A bug must compile: otherwise the service would not start, or would fail in another way than the bug's name says.
 * Renamed identifiers of the service show here.
 */

const OPTIONS: ts.CompilerOptions = {
	...ts.parseJsonConfigFileContent(
		ts.readConfigFile(path.resolve(SERVICE, "../tsconfig.json"), ts.sys.readFile).config,
		ts.sys,
		path.resolve(SERVICE, ".."),
	).options,
	noEmit: true,
	noUnusedLocals: false,
	noUnusedParameters: false,
};

it("every planted bug compiles", () => {
	const host = ts.createCompilerHost(OPTIONS);
	const read = host.getSourceFile.bind(host);
	const unchanged = new Map<string, ts.SourceFile | undefined>();
	let planted = new Map<string, string>();
	host.getSourceFile = (file, options) => {
		const text = planted.get(file);
		if (text !== undefined) return ts.createSourceFile(file, text, options);
		if (!unchanged.has(file)) unchanged.set(file, read(file, options));
		return unchanged.get(file);
	};
	const roots = ["src/main.ts", "../cli/src/program.ts"].map((file) => path.join(SERVICE, file));
	let program = ts.createProgram(roots, OPTIONS, host);
	const problems = BUGS.flatMap(({ name, edits }) => {
		planted = new Map();
		for (const edit of edits) {
			const file = path.join(SERVICE, edit.file);
			planted.set(file, edited(planted.get(file) ?? readFileSync(file, "utf8"), edit, name));
		}
		program = ts.createProgram(roots, OPTIONS, host, program);
		return [...planted.keys()].flatMap((file) => {
			const source = program.getSourceFile(file);
			if (source === undefined) return file.endsWith(".ts") ? [`${name}: ${file} is not part of the service`] : [];
			return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
				({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
			);
		});
	});
	expect(problems).toEqual([]);
}, 120_000);
