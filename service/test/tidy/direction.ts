import path from "node:path";
import { type LocalImport, localImports, type Offence, offence, type Source } from "./source.ts";

const SRC = "service/src/";
const CLI = "cli/src/";

/** The floors of the service and the rooms of each, from the lowest up. Imports go only downwards. */
const FLOORS: { readonly [floor: string]: readonly string[] } = {
	ground: ["lib", "pg", "embedded", "engine", "jobs"],
	partners: ["http", "admin", "runs", "keys", "operators", "people", "versions", "webhooks"],
	inventory: ["catalog", "prepaid", "certificates", "stock", "demand", "holds", "orders", "recall", "shipping"],
	upkeep: [
		"import",
		"certificate-import",
		"ledger",
		"backup",
		"sandbox",
		"series",
		"traffic",
		"customers",
		"golive",
		"console",
		"health",
	],
};

/** The folders of src/ from the lowest up, without its name. */
const FOLDERS: readonly string[] = [
	...Object.entries(FLOORS).flatMap(([floor, rooms]) => rooms.map((room) => `${floor}/${room}`)),
	"assembly",
];

/** The folders with rules: for every file in them it must be known whether it waits. */
export const ROOMS: readonly string[] = FOLDERS.filter(
	(folder) =>
		/^(inventory|upkeep)\//.test(folder) ||
		["partners/keys", "partners/operators", "partners/people", "partners/webhooks"].includes(folder),
);

/** The files directly in src/, and what each may import. `*`: everything except files above it. */
const TOP_FILES: { readonly [file: string]: (target: string) => boolean } = {
	"glossary.ts": () => false,
	"config.ts": (target) => target === "glossary.ts" || target.startsWith("ground/lib/"),
	"deps.ts": (target) => !["main.ts", "service.ts"].includes(target),
	"service.ts": (target) => target !== "main.ts",
	"main.ts": () => true,
};

const HTTP = "partners/http";
/** The files of the gate that every room may import: those about the caller and its requests. */
const CALLERS: readonly string[] = [`${HTTP}/caller.ts`, `${HTTP}/answered.ts`];
/** The files that use the gate: the only ones above the floor `partners` that may import http/. */
const GATE_FACING = /^((.+-)?contract|routes|admin)\.ts$/;
/** The files for the wiring: only service.ts and assembly/ import them. */
const WIRED = /^(routes|admin|tasks|jobs)\.ts$/;

/**
 * A room's statements are its own. Only these files of statements are run, or extended, by other rooms, each with the
 * reason. Types of rows may be imported anywhere.
 */
export const SHARED_STATEMENTS: {
	readonly [target: string]: { readonly by: readonly string[]; readonly why: string };
} = {
	"ground/jobs/carried-jobs-sql.ts": { by: ["upkeep/backup"], why: "a backup carries jobs" },
	"ground/jobs/private-tables-sql.ts": { by: ["upkeep/backup"], why: "a backup locks the table of jobs" },
	"partners/keys/sql.ts": { by: ["upkeep/import"], why: "an import compares partners by name" },
	"partners/keys/stored-peppers-sql.ts": {
		by: ["upkeep/backup", "upkeep/health", "cli"],
		why: "a backup, the doctor and its like behind the API check that the key ring fits the keys",
	},
	"partners/webhooks/record-sql.ts": {
		by: ["inventory/certificates"],
		why: "the statement that retires certificates records the events: it alone knows which they are",
	},
	"inventory/catalog/sandbox-pools-sql.ts": {
		by: ["inventory/certificates", "inventory/recall", "upkeep/console"],
		why: "which pools are sandboxes is said once",
	},
	"inventory/catalog/list-catalog-sql.ts": { by: ["inventory/demand"], why: "a store sells from a brand's pool" },
	"inventory/prepaid/sql.ts": { by: ["inventory/stock"], why: "the summary shows prepaid units beside the counts" },
	"inventory/certificates/certified-sql.ts": {
		by: ["inventory/stock", "upkeep/ledger"],
		why: "units without a certificate may not count, and explain says so",
	},
	"inventory/certificates/change-sql.ts": {
		by: ["upkeep/certificate-import"],
		why: "an import names certificates without a lot",
	},
	"inventory/stock/sql.ts": {
		by: ["inventory/holds", "assembly"],
		why: "counts and the sweep find overdue holds by the same mark; a batch reads its instant with the lots",
	},
	"inventory/stock/count-units-sql.ts": { by: ["upkeep/series"], why: "figures over time sample the units of pools" },
	"inventory/stock/needed-lots-sql.ts": { by: ["assembly"], why: "lots of all rooms are locked in one statement" },
	"inventory/stock/find-lot-sql.ts": {
		by: ["inventory/recall", "upkeep/import"],
		why: "lots are found by their batch in one way",
	},
	"inventory/holds/sql.ts": {
		by: ["inventory/orders", "assembly"],
		why: "an order is a hold, and the lots of holds are locked with the others",
	},
	"inventory/orders/sql.ts": {
		by: ["inventory/recall"],
		why: "a preview of a recall names the orders that it takes from",
	},
	"inventory/orders/operator-sql.ts": {
		by: ["inventory/recall"],
		why: "a preview reads the instant that orders are judged by",
	},
	"inventory/orders/box-sql.ts": {
		by: ["inventory/shipping"],
		why: "labels, papers and the queue are made of boxes",
	},
	"inventory/orders/find-order-sql.ts": { by: ["inventory/shipping"], why: "labels and papers are made of orders" },
	"partners/runs/sql.ts": { by: ["inventory/recall"], why: "a recall is a run" },
};

/** Imports that violate the direction of the floors and rooms. */
export function wrongImports(source: Source): Offence[] {
	if (source.path.endsWith(".test.ts")) return [];
	if (source.path.startsWith(CLI)) return wrongImportsOfCommands(source);
	if (!source.path.startsWith(SRC)) return [];
	const from = source.path.slice(SRC.length);
	return localImports(source).flatMap((found) => {
		if (!found.target.startsWith(SRC))
			return [offence(source, found.node, `${from} imports ${found.target}, outside src`)];
		const target = found.target.slice(SRC.length);
		const reason =
			wrongFolder(from, target, found) ?? wrongFurniture(from, target) ?? wrongStatements(from, target, found);
		return reason === undefined ? [] : [offence(source, found.node, reason)];
	});
}

/** Parts that commands may reach only through the operator's API: the database, the engine, and the wiring. */
const BEHIND_THE_API = /^(ground\/(pg|engine|jobs)|assembly)\//;

/** Commands are clients of the operator's API; what they import from the service is pure. */
function wrongImportsOfCommands(source: Source): Offence[] {
	const isCommand = source.path.startsWith(`${CLI}commands/`);
	return localImports(source).flatMap((found) => {
		if (!found.target.startsWith(SRC)) return [];
		const target = found.target.slice(SRC.length);
		const isBehind = isCommand && !found.typesOnly && BEHIND_THE_API.test(target);
		const reason = isBehind
			? `${source.path} must not import ${target}: a command calls the operator's API`
			: wrongStatements(source.path, target, found);
		return reason === undefined ? [] : [offence(source, found.node, reason)];
	});
}

function wrongFolder(from: string, target: string, { typesOnly }: LocalImport): string | undefined {
	const folder = folderOf(from);
	const targetFolder = folderOf(target);
	if (folder === "") {
		const allows = TOP_FILES[from];
		if (!allows)
			return `${from}: files directly in src/ are ${Object.keys(TOP_FILES).join(", ")}; this one needs a room`;
		return allows(target) ? undefined : `${from} must not import ${target}`;
	}
	const height = FOLDERS.indexOf(folder);
	if (height < 0) return `${folder}/ is not in the list of rooms: give it its place in service/test/tidy/direction.ts`;
	if (targetFolder === folder || target === "glossary.ts") return undefined;
	if (targetFolder === "") return wrongTopFile(from, target, typesOnly);
	if (FOLDERS.indexOf(targetFolder) >= height)
		return `${folder}/ must not import ${targetFolder}/, which stands above it`;
	return undefined;
}

function wrongTopFile(from: string, target: string, typesOnly: boolean): string | undefined {
	if (target === "config.ts" && typesOnly) return undefined;
	return `${from} must not import ${target}: wiring is handed in, not fetched`;
}

function wrongFurniture(from: string, target: string): string | undefined {
	const [name, targetName] = [path.posix.basename(from), path.posix.basename(target)];
	const [folder, targetFolder] = [folderOf(from), folderOf(target)];
	const wires = ["", "assembly"].includes(folder);
	if (WIRED.test(targetName) && targetFolder !== "" && !wires) {
		return `${from} must not import ${target}: only service.ts and assembly/ mount and start things`;
	}
	if (
		targetFolder === HTTP &&
		!CALLERS.includes(target) &&
		!wires &&
		!folder.startsWith("partners/") &&
		!GATE_FACING.test(name)
	) {
		return `${from} must not import ${target}: only contracts and routes know the gate`;
	}
	if (name === "sql.ts" && (GATE_FACING.test(targetName) || WIRED.test(targetName))) {
		return `${from} must not import ${target}: statements know nothing of what calls them`;
	}
	return undefined;
}

function wrongStatements(from: string, target: string, { typesOnly }: LocalImport): string | undefined {
	const folder = folderOf(from);
	if (typesOnly || !target.endsWith("sql.ts") || folder === folderOf(target)) return undefined;
	if (SHARED_STATEMENTS[target]?.by.includes(folder)) return undefined;
	return `${from} must not import ${target}: a room's statements are its own (SHARED_STATEMENTS has the exceptions)`;
}

/** Exceptions that are no longer used: `<importing folder> <target>`. */
export function unusedExceptions(house: readonly Source[]): string[] {
	const used = new Set(
		house
			.filter(({ path: file }) => (file.startsWith(SRC) || file.startsWith(CLI)) && !file.endsWith(".test.ts"))
			.flatMap((source) =>
				localImports(source)
					.filter(({ typesOnly }) => !typesOnly)
					.map(({ target }) => `${folderOf(withoutSrc(source.path))} ${target.slice(SRC.length)}`),
			),
	);
	const allowed = Object.entries(SHARED_STATEMENTS).flatMap(([target, { by }]) =>
		by.map((room) => `${room} ${target}`),
	);
	return allowed.filter((one) => !used.has(one));
}

const withoutSrc = (file: string): string => (file.startsWith(SRC) ? file.slice(SRC.length) : file);

/**
 * The folder of a file: `inventory/stock` for `inventory/stock/lot.ts`, `assembly` for `assembly/rows.ts`, none for a
 * file directly in src/.
 */
export function folderOf(file: string): string {
	const [first, second] = file.split("/");
	if (first === undefined || second === undefined) return "";
	return first in FLOORS ? `${first}/${second}` : first;
}
