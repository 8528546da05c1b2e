import ts from "typescript";

/** The settings of a partner's project: `strict`, and nothing of our own. */
export const OPTIONS: ts.CompilerOptions = {
	target: ts.ScriptTarget.ESNext,
	module: ts.ModuleKind.NodeNext,
	strict: true,
	noEmit: true,
	skipLibCheck: true,
	allowImportingTsExtensions: true,
	types: ["node"],
};

/** Compiles several programs together, each as a file in memory. Returns the errors of each, by path. */
export function compileInMemory(
	programs: ReadonlyMap<string, string>,
	options: ts.CompilerOptions = OPTIONS,
): Map<string, readonly ts.Diagnostic[]> {
	const host = ts.createCompilerHost(options);
	const { getSourceFile, fileExists, readFile } = host;
	host.fileExists = (file) => programs.has(file) || fileExists(file);
	host.readFile = (file) => programs.get(file) ?? readFile(file);
	host.getSourceFile = (file, ...more) => {
		const text = programs.get(file);
		return text === undefined
			? getSourceFile(file, ...more)
			: ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
	};
	const program = ts.createProgram([...programs.keys()], options, host);
	return new Map(
		[...programs.keys()].map((file) => {
			const source = program.getSourceFile(file);
			return [file, [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]];
		}),
	);
}

/** An error as the compiler prints it. */
export function textOf({ code, messageText, start, file }: ts.Diagnostic): string {
	const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
	return `${file?.fileName}:${line} TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}
