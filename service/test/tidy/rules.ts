import path from "node:path";
import ts from "typescript";
import { folderOf, ROOMS, wrongImports } from "./direction.ts";
import { lineOf, localImports, nodes, type Offence, offence, type Source } from "./source.ts";
import { waits } from "./waiting-files.ts";

/** A rule that is checked for each file. */
export interface Rule {
	readonly name: string;
	/** The purpose of the rule; printed with every violation. */
	readonly why: string;
	readonly find: (source: Source) => Offence[];
}

/** Maximum number of lines of a function, and of a file. */
const MAX_FUNCTION_LINES = 70;
const MAX_FILE_LINES = 400;
/** Maximum width of a line, with tabs as wide as for the formatter. */
const MAX_COMMENT_COLUMNS = 120;
const TAB = "    ";

const inService = ({ path: file }: Source): boolean => /^(service|cli)\/src\//.test(file) && !isTest(file);
const isTest = (file: string): boolean => file.endsWith(".test.ts") || file.startsWith("service/test/");

/** Files that may draw random bytes themselves, and for what: secrets are created next to their format. */
const DRAWS_SECRETS: { readonly [file: string]: string } = {
	"service/src/partners/keys/token.ts": "the secret half of a key",
	"service/src/partners/keys/key-ring.ts": "a pepper, for `holdfast secrets generate` and the first start",
	"service/src/partners/keys/ring-sealer.ts": "the nonce that a stored text is encrypted with",
	"service/src/partners/webhooks/secret.ts": "the secret of a webhook endpoint",
	"service/src/partners/keys/authenticate.ts": "a digest to compare with when the key is unknown",
	"service/src/partners/people/one-time.ts":
		"cookies, set-up links, recovery codes, and what passwords are salted with",
	"service/src/upkeep/backup/seal-archive.ts": "salt and nonces of an encrypted backup",
	"service/src/upkeep/backup/seal-key-ring.ts": "salt and nonce of a key ring in a backup",
	"service/src/ground/embedded/cluster.ts": "the embedded server's password",
};

/** The only files that use undocumented parts of a library or of Node, and for what. */
const REACHES_IN: { readonly [file: string]: string } = {
	"service/src/ground/pg/driver-internals.ts": "queries that write their own messages, with pg",
	"service/src/ground/jobs/private-tables-sql.ts": "payloads of jobs, in the tables of graphile-worker",
	"service/src/partners/http/node-internals.ts": "the reply on a socket, and bytes that its reader has not taken",
	"service/src/inventory/shipping/sheet.ts": "which characters a font of pdfkit can print",
};

export const RULES: readonly Rule[] = [
	{
		name: "imports run one way",
		why: "a room that imports what stands on top of it can no longer be read, tested or replaced alone",
		find: wrongImports,
	},
	{
		name: "process.env is read in config.ts alone",
		why: "a setting read elsewhere is neither checked at start nor shown by `holdfast config`",
		find: (source) =>
			inService(source) && source.path !== "service/src/config.ts"
				? matching(source, isProcessEnv, "reads process.env")
				: [],
	},
	{
		name: "clocks and randomness come from lib/",
		why: "the database clock decides; every use of another must be seen in one place",
		find: (source) =>
			inService(source) && !source.path.startsWith("service/src/ground/lib/") && !(source.path in DRAWS_SECRETS)
				? matching(source, isClockOrRandom, "takes time or randomness from the process")
				: [],
	},
	{
		name: "one file reaches into a library",
		why: "a new version of a library may change what it never promised: the file names the version that was tried",
		find: (source) =>
			inService(source) && !(source.path in REACHES_IN)
				? matching(source, isPrivatePart, "reaches into a library")
				: [],
	},
	{
		name: "SQL stands in sql.ts, pg/ and migrations/",
		why: "whoever changes a table must find every statement on it",
		find: (source) =>
			inService(source) && !mayHoldSql(source.path) ? matching(source, isSql, "holds a SQL statement") : [],
	},
	{
		name: "pure rules neither wait nor know the database",
		why: "a decision that waits sees a world that has changed; a pure one can be tested by the million",
		find: impureRules,
	},
	{
		name: "a use case is named after its file",
		why: "one verb, one file: whoever looks for `reserve` opens reserve.ts",
		find: misnamedVerbs,
	},
	{
		name: "only stock/move.ts changes quantities",
		why: "a unit that moves without a line in the ledger cannot be explained",
		find: quantityWrites,
	},
	{
		name: "no default exports",
		why: "a thing has one name, wherever it is used",
		find: (source) =>
			source.path.endsWith(".config.ts") ? [] : matching(source, isDefaultExport, "exports a default"),
	},
	{
		name: "no enum, namespace or decorator",
		why: "types are stripped, not compiled: these need code to be made",
		find: (source) =>
			matching(
				source,
				(node) => ts.isEnumDeclaration(node) || ts.isDecorator(node) || isRunningNamespace(node),
				"is not erasable",
			),
	},
	{
		name: "no barrels but for the entries of the kit",
		why: "an import must name the file that holds the thing, or the direction of imports cannot be seen",
		find: (source) =>
			/^sdk\/src\/(\w+\/)?index\.ts$/.test(source.path)
				? []
				: matching(source, (node) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined, "re-exports"),
	},
	{
		name: `a function has at most ${MAX_FUNCTION_LINES} lines`,
		why: "what does not fit a screen is not read",
		find: longFunctions,
	},
	{
		name: `a comment has at most ${MAX_COMMENT_COLUMNS} columns`,
		why: "the formatter leaves comments as they are, and a long line is not read to its end",
		find: longComments,
	},
	{
		name: `a file has at most ${MAX_FILE_LINES} lines`,
		why: "a file is one idea",
		find: ({ text }) => {
			const lines = text.trimEnd().split("\n").length;
			return lines > MAX_FILE_LINES ? [{ line: lines, what: `has ${lines} lines` }] : [];
		},
	},
];

function matching(source: Source, test: (node: ts.Node) => boolean, what: string): Offence[] {
	return nodes(source.ast)
		.filter(test)
		.map((node) => offence(source, node, `${what}: ${excerpt(source, node)}`));
}

const excerpt = (source: Source, node: ts.Node): string => node.getText(source.ast).replace(/\s+/g, " ").slice(0, 80);

function isProcessEnv(node: ts.Node): boolean {
	if (ts.isPropertyAccessExpression(node)) return node.name.text === "env" && node.expression.getText() === "process";
	if (ts.isElementAccessExpression(node)) {
		return node.expression.getText() === "process" && /^["'`]env["'`]$/.test(node.argumentExpression.getText());
	}
	if (ts.isVariableDeclaration(node) && node.initializer?.getText() === "process") {
		return ts.isObjectBindingPattern(node.name) && /\benv\b/.test(node.name.getText());
	}
	return ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === "env" && fromModule(node, "process");
}

const CLOCK_CALLS = /^(Date\.now|performance\.now|process\.hrtime(\.bigint)?|Math\.random|Date|Temporal\.Now\.\w+)$/;
const RANDOM_NAMES = /^(randomUUID|randomUUIDv7|randomBytes|randomInt|randomFillSync|randomFill|getRandomValues)$/;

function isClockOrRandom(node: ts.Node): boolean {
	if (ts.isNewExpression(node)) return node.expression.getText() === "Date" && (node.arguments?.length ?? 0) === 0;
	if (ts.isImportSpecifier(node)) return RANDOM_NAMES.test((node.propertyName ?? node.name).text) && fromCrypto(node);
	if (!ts.isCallExpression(node)) return false;
	const { expression } = node;
	if (CLOCK_CALLS.test(expression.getText())) return true;
	return ts.isPropertyAccessExpression(expression) && RANDOM_NAMES.test(expression.name.text);
}

const fromCrypto = (node: ts.ImportSpecifier): boolean => fromModule(node, "crypto");

const fromModule = (node: ts.ImportSpecifier, name: string): boolean => {
	const { moduleSpecifier } = node.parent.parent.parent as ts.ImportDeclaration;
	return ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.replace(/^node:/, "") === name;
};

/** Undocumented names of pg; names that begin with an underscore are private everywhere. */
const PRIVATE_NAMES = /^(_.+|prepareValue|Submittable)$/;

function isPrivatePart(node: ts.Node): boolean {
	if (ts.isPropertyAccessExpression(node)) return PRIVATE_NAMES.test(node.name.text);
	if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) {
		return PRIVATE_NAMES.test(node.name.getText());
	}
	if (ts.isBindingElement(node)) {
		return ts.isObjectBindingPattern(node.parent) && PRIVATE_NAMES.test((node.propertyName ?? node.name).getText());
	}
	if (ts.isElementAccessExpression(node)) return /^["'`]_/.test(node.argumentExpression.getText());
	if (ts.isQualifiedName(node)) return PRIVATE_NAMES.test(node.right.text);
	return /\bgraphile_worker\._/.test(textOf(node) ?? "");
}

const mayHoldSql = (file: string): boolean =>
	path.posix.basename(file) === "sql.ts" ||
	file.endsWith("-sql.ts") ||
	/^service\/src\/ground\/(pg|embedded)\//.test(file);

/** The beginnings of SQL statements, in lower or upper case, but not capitalised as in a sentence. */
const SQL_STATEMENT = new RegExp(
	[
		String.raw`^(select|SELECT)\b[\s\S]*\b(from|FROM)\b`,
		String.raw`^(select|SELECT) \w+\(`,
		String.raw`^(with|WITH)\s+(recursive\s+)?\w+(\s*\([^)]*\))?\s+(as|AS)\b`,
		String.raw`^(insert into|INSERT INTO)\s`,
		String.raw`^(update|UPDATE)\s+\w+(\s+\w+)?\s+(set|SET)\s`,
		String.raw`^(delete from|DELETE FROM|truncate|TRUNCATE|copy|COPY)\s+\w+`,
		String.raw`^(create|alter|drop|lock|CREATE|ALTER|DROP|LOCK)\s+(table|index|role|database|unique|sequence|schema)\b`,
		String.raw`^(begin|commit|rollback|BEGIN|COMMIT|ROLLBACK)\b(\s+(isolation|read|\w+_\w+)|$)`,
		String.raw`^(listen|notify|LISTEN|NOTIFY)\s+\w+_\w+`,
	].join("|"),
);

function isSql(node: ts.Node): boolean {
	const text = textOf(node);
	return text !== undefined && SQL_STATEMENT.test(text.trim());
}

function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	return node.head.text + node.templateSpans.map((span) => `x${span.literal.text}`).join("");
}

const IN_ROOM = /^service\/src\/((?:[a-z]+\/)+)([a-z0-9-]+)\.ts$/;
const FURNITURE = /^(contract|routes|admin|tasks|sql|.*-sql|rows|.*-rows)$/;

function roomFile(source: Source): { room: string; name: string } | undefined {
	const [, folders, name] = IN_ROOM.exec(source.path) ?? [];
	if (folders === undefined || name === undefined) return undefined;
	const folder = folderOf(`${folders}x.ts`);
	if (!ROOMS.includes(folder) || `${folder}/` !== folders || FURNITURE.test(name)) return undefined;
	return { room: path.posix.basename(folder), name };
}

/** A file waits if, and only if, its name says so. */
function impureRules(source: Source): Offence[] {
	const file = roomFile(source);
	if (!file) return [];
	const found = impurities(source);
	if (!waits(file)) return found;
	return found.length > 0 ? [] : [{ line: 1, what: "is pure, and its name says that it waits (waiting-files.ts)" }];
}

/** Lines on which a file waits, or uses the database. */
function impurities(source: Source): Offence[] {
	const awaiting = nodes(source.ast).filter(
		(node) =>
			node.kind === ts.SyntaxKind.AsyncKeyword ||
			ts.isAwaitExpression(node) ||
			(ts.isForOfStatement(node) && node.awaitModifier),
	);
	const reaches = localImports(source)
		.filter(
			({ target, typesOnly }) =>
				target.startsWith("service/src/ground/pg/") || (!typesOnly && target.endsWith("sql.ts")),
		)
		.map(({ node }) => node);
	return [...awaiting, ...reaches].map((node) => offence(source, node, `not pure: ${excerpt(source, node)}`));
}

function misnamedVerbs(source: Source): Offence[] {
	const file = roomFile(source);
	if (!file || !waits(file)) return [];
	const camel = file.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
	const names = exportedNames(source);
	if (names.some((name) => name.toLowerCase().includes(camel.toLowerCase()))) return [];
	return [{ line: 1, what: `exports ${names.join(", ") || "nothing"}; expected \`${camel}\` or a name with it` }];
}

function exportedNames(source: Source): string[] {
	return source.ast.statements.flatMap((statement) => {
		const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
		if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
		if (ts.isFunctionDeclaration(statement)) return statement.name ? [statement.name.text] : [];
		if (!ts.isVariableStatement(statement)) return [];
		return statement.declarationList.declarations.map(({ name }) => name.getText(source.ast));
	});
}

const QUANTITIES = /^(received|corrected|available|held|allocated|consumed|shipped|quarantined|destroyed)$/;
const WRITES_LOT =
	/\b(update\s+(only\s+)?lot|(insert|merge)\s+into\s+(lot|unit_move)|delete\s+from\s+(lot|unit_move))\b/i;

function quantityWrites(source: Source): Offence[] {
	if (!inService(source)) return [];
	const found: Offence[] = [];
	for (const node of nodes(source.ast)) {
		const text = textOf(node);
		if (text !== undefined && WRITES_LOT.test(text) && source.path !== "service/src/inventory/stock/save-sql.ts") {
			found.push(offence(source, node, "writes lots or the ledger in SQL; stock/save-sql.ts alone does"));
		}
		if (source.path !== "service/src/inventory/stock/move.ts" && assignsQuantity(node)) {
			found.push(offence(source, node, `changes a quantity of a lot: ${excerpt(source, node)}`));
		}
	}
	return found;
}

function assignsQuantity(node: ts.Node): boolean {
	if (ts.isBinaryExpression(node)) {
		const { kind } = node.operatorToken;
		const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
		return assigns && isQuantity(node.left);
	}
	if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return false;
	const steps = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken;
	return steps && isQuantity(node.operand);
}

function isQuantity(target: ts.Node): boolean {
	if (ts.isPropertyAccessExpression(target)) return QUANTITIES.test(target.name.text) && isLot(target.expression);
	return ts.isElementAccessExpression(target) && isLot(target.expression);
}

/** A name for one lot: `lot`, `newLot`, `part.lot`; not `lots[...]`, which changes a list. */
const isLot = (node: ts.Node): boolean => /(^|\.|\b)(\w*L|l)ot!?$/.test(node.getText());

function isDefaultExport(node: ts.Node): boolean {
	if (ts.isExportAssignment(node)) return true;
	if (ts.isExportSpecifier(node)) return node.name.text === "default";
	const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
	return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false;
}

const isRunningNamespace = (node: ts.Node): boolean =>
	ts.isModuleDeclaration(node) &&
	!(ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) &&
	!ts.isModuleBlock(node.parent);

function longFunctions(source: Source): Offence[] {
	const found: Offence[] = [];
	for (const node of nodes(source.ast)) {
		if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined || isSuite(node)) continue;
		const whole = linesOf(source, node);
		const lines = whole > MAX_FUNCTION_LINES ? whole - linesOfData(source, node) : whole;
		if (lines > MAX_FUNCTION_LINES) found.push(offence(source, node, `a function of ${lines} lines`));
	}
	return found;
}

const linesOf = (source: Source, node: ts.Node): number =>
	source.ast.getLineAndCharacterOfPosition(node.end).line + 2 - lineOf(source, node);

/** Lines of object literals without code, except for the first of each: a list of fields does not count as steps. */
function linesOfData(source: Source, node: ts.Node): number {
	let lines = 0;
	ts.forEachChild(node, (child) => {
		const isData = ts.isObjectLiteralExpression(child) && !nodes(child).some(ts.isFunctionLike);
		lines += isData ? linesOf(source, child) - 1 : linesOfData(source, child);
	});
	return lines;
}

/** Lines that contain only a comment; an address in them cannot be wrapped. */
function longComments({ text }: Source): Offence[] {
	return text.split("\n").flatMap((line, at) => {
		const columns = line.replaceAll("\t", TAB).length;
		const isLong = columns > MAX_COMMENT_COLUMNS && /^\s*(\/\*\*?|\*|\/\/) /.test(line) && !line.includes("://");
		return isLong ? [{ line: at + 1, what: `a comment of ${columns} columns` }] : [];
	});
}

/** The callback of a `describe`, which counts as a chapter, not as a function. */
const isSuite = (node: ts.Node): boolean =>
	ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText());
