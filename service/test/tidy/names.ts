import ts from "typescript";
import type { Source } from "./source.ts";

const inService = ({ path }: Source): boolean => /^(service|cli)\/src\//.test(path) && !path.endsWith(".test.ts");

/**
 * Names of types that two files of the service or the command line export, so that a reader cannot tell which is meant.
 */
export function doubledTypeNames(house: readonly Source[]): string[] {
	const files = new Map<string, string[]>();
	for (const source of house.filter(inService)) {
		for (const name of exportedTypes(source)) files.set(name, [...(files.get(name) ?? []), source.path]);
	}
	return [...files].filter(([, of]) => of.length > 1).map(([name, of]) => `${name} is exported by ${of.join(" and ")}`);
}

function exportedTypes({ ast }: Source): string[] {
	return ast.statements.flatMap((statement) => {
		const named =
			ts.isInterfaceDeclaration(statement) ||
			ts.isTypeAliasDeclaration(statement) ||
			(ts.isClassDeclaration(statement) && statement.name !== undefined);
		if (!named || !statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
		return [(statement.name as ts.Identifier).text];
	});
}
