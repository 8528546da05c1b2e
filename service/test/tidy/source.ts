import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** The root of the repository. */
export const ROOT = path.resolve(import.meta.dirname, "../../..");

/** One TypeScript file in the form that the rules examine. */
export interface Source {
	/** From the root of the repository, with forward slashes: `service/src/inventory/holds/hold.ts`. */
	readonly path: string;
	readonly text: string;
	readonly ast: ts.SourceFile;
}

/** A line that breaks a rule. */
export interface Offence {
	/** One-based. */
	readonly line: number;
	readonly what: string;
}

export const parse = (file: string, text: string): Source => ({
	path: file,
	text,
	ast: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS),
});

/** Every TypeScript file of the workspaces that was written by hand. */
export function readHouse(): Source[] {
	return ["service", "cli", "bench", "replay", "lab", "release", "deploy", "sdk", "examples"]
		.flatMap((workspace) => filesBelow(workspace, ".ts"))
		.filter((file) => !file.includes("/__generated__/") && !file.startsWith("sdk/dist/"))
		.map((file) => parse(file, readText(file)));
}

/** Paths of the files below a folder whose names have this ending; from the root of the repository. */
export function filesBelow(folder: string, ending: string): string[] {
	return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
		.map((file) => `${folder}/${file.replaceAll(path.sep, "/")}`)
		.filter((file) => file.endsWith(ending) && !file.includes("node_modules/"))
		.toSorted();
}

export const readText = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

export const lineOf = (source: Source, node: ts.Node): number =>
	source.ast.getLineAndCharacterOfPosition(node.getStart(source.ast)).line + 1;

export const offence = (source: Source, node: ts.Node, what: string): Offence => ({ line: lineOf(source, node), what });

/** Nodes of files, by file: every rule looks at all of them. */
const nodesOf = new WeakMap<ts.SourceFile, readonly ts.Node[]>();

/** Every node below this one, depth first. */
export function nodes(parent: ts.Node): readonly ts.Node[] {
	const known = ts.isSourceFile(parent) ? nodesOf.get(parent) : undefined;
	if (known !== undefined) return known;
	const found: ts.Node[] = [];
	const visit = (node: ts.Node): void => {
		found.push(node);
		ts.forEachChild(node, visit);
	};
	ts.forEachChild(parent, visit);
	if (ts.isSourceFile(parent)) nodesOf.set(parent, found);
	return found;
}

/**
 * An import of another file of this repository, resolved to its path; `typesOnly` if nothing of it remains at run time.
 */
export interface LocalImport {
	readonly node: ts.Node;
	readonly target: string;
	readonly typesOnly: boolean;
}

export function localImports(source: Source): LocalImport[] {
	const found: LocalImport[] = [];
	for (const node of nodes(source.ast)) {
		const specifier = importedFrom(node);
		if (specifier === undefined || !specifier.startsWith(".")) continue;
		const target = path.posix.join(path.posix.dirname(source.path), specifier);
		found.push({ node, target, typesOnly: ts.isImportDeclaration(node) && isTypesOnly(node) });
	}
	return found;
}

function importedFrom(node: ts.Node): string | undefined {
	if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
		return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : undefined;
	}
	if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
		const [argument] = node.arguments;
		return argument && ts.isStringLiteral(argument) ? argument.text : undefined;
	}
	return undefined;
}

function isTypesOnly({ importClause }: ts.ImportDeclaration): boolean {
	if (!importClause) return false;
	if (importClause.isTypeOnly) return true;
	const { name, namedBindings } = importClause;
	if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
	return namedBindings.elements.every((element) => element.isTypeOnly);
}
