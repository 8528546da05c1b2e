import path from "node:path";
import { type LocalImport, localImports, type Offence, offence, type Source } from "./source.ts";

const SRC = "service/src/";
const PARTNER_ROOMS = ["catalog", "prepaid", "certificates", "stock", "holds", "orders"];
const TOP_ROOMS = ["sandbox", "import", "ledger", "backup"];
const ENGINE = ["pg", "engine"];
/** All that stands below assembly. */
const EVERY_ROOM = [
	...ENGINE,
	"jobs",
	"keys",
	"versions",
	"http",
	"webhooks",
	"demand",
	"shipping",
	...PARTNER_ROOMS,
	...TOP_ROOMS,
];

/**
 * Which folder may import which others (itself always; glossary.ts, lib/ and keys/key.ts are everyone's).
 * Partner rooms import leftwards only: catalog, stock, holds, orders. demand stands right of stock, shipping right of orders and demand; jobs is low, as engine is; webhooks stands beside the rooms: they leave events there. sandbox, import and ledger stand on top of them. engine is low: it
 * knows no room. assembly puts together what all rooms export; it stands above them and below service.ts.
 */
const MAY_IMPORT: { readonly [folder: string]: readonly string[] } = {
	lib: [],
	pg: [],
	engine: ["pg"],
	jobs: ["pg"],
	keys: ["pg"],
	versions: [],
	http: ["pg", "keys"],
	catalog: ["pg"],
	prepaid: ["pg", "catalog"],
	certificates: ENGINE,
	stock: [...ENGINE, "catalog", "prepaid", "certificates"],
	holds: [...ENGINE, "catalog", "stock"],
	demand: [...ENGINE, "catalog", "stock"],
	webhooks: [...ENGINE, "jobs", "keys"],
	orders: [...ENGINE, "catalog", "stock", "holds", "webhooks"],
	shipping: [...ENGINE, "jobs", "catalog", "stock", "demand", "holds", "orders"],
	sandbox: [...ENGINE, "keys", ...PARTNER_ROOMS, "import"],
	import: ["pg", "keys", ...PARTNER_ROOMS],
	ledger: ["pg", ...PARTNER_ROOMS],
	backup: ["pg", "jobs", "keys"],
	assembly: EVERY_ROOM,
	cli: [...EVERY_ROOM, "assembly"],
};

/** The folders that hold rules: of every file in them it must be known whether it waits. */
export const ROOMS: readonly string[] = [...PARTNER_ROOMS, "demand", "webhooks", "shipping", "keys", ...TOP_ROOMS];

/** Files directly in src/: what each of them may import. `*` is everything but what stands above it. */
const TOP_FILES: { readonly [file: string]: (target: string) => boolean } = {
	"glossary.ts": () => false,
	"config.ts": (target) => target === "glossary.ts" || target.startsWith("lib/"),
	"deps.ts": (target) => !["main.ts", "cli.ts", "service.ts"].includes(target) && !target.startsWith("cli/"),
	"service.ts": (target) => !["main.ts", "cli.ts"].includes(target) && !target.startsWith("cli/"),
	"main.ts": (target) => target !== "cli.ts" && !target.startsWith("cli/"),
	"cli.ts": () => true,
};

const EVERYONES = /^(glossary\.ts|lib\/.+|keys\/key\.ts)$/;
/** The furniture that faces the gate: the only files of a room that may know http/. */
const GATE_FACING = /^((.+-)?contract|routes|admin)\.ts$/;
/** The furniture that faces the wiring: nobody but service.ts and assembly/ reaches past it. */
const WIRED = /^(routes|admin|tasks|jobs)\.ts$/;

/** Imports that run against the direction of the house. */
export function wrongImports(source: Source): Offence[] {
	if (!source.path.startsWith(SRC) || source.path.endsWith(".test.ts")) return [];
	const from = source.path.slice(SRC.length);
	return localImports(source).flatMap((found) => {
		if (!found.target.startsWith(SRC))
			return [offence(source, found.node, `${from} imports ${found.target}, outside src`)];
		const target = found.target.slice(SRC.length);
		const reason = wrongFolder(from, target, found) ?? wrongFurniture(from, target);
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
	const may = MAY_IMPORT[folder];
	if (!may) return `${folder}/ is not in the table of rooms: give it its place in service/test/tidy/direction.ts`;
	if (targetFolder === folder || EVERYONES.test(target)) return undefined;
	if (targetFolder === "") {
		if (folder === "cli" && target !== "cli.ts") return undefined;
		if (target === "config.ts" && typesOnly) return undefined;
		return `${from} must not import ${target}: wiring is handed in, not fetched`;
	}
	if (may.includes(targetFolder)) return undefined;
	if (GATE_FACING.test(path.posix.basename(from)) && targetFolder === "http") return undefined;
	return `${folder}/ must not import ${targetFolder}/; it may import ${may.join(", ") || "lib"}`;
}

function wrongFurniture(from: string, target: string): string | undefined {
	const [name, targetName] = [path.posix.basename(from), path.posix.basename(target)];
	if (WIRED.test(targetName) && folderOf(target) !== "" && folderOf(from) !== "") {
		if (!["assembly", "cli"].includes(folderOf(from)))
			return `${from} must not import ${target}: only service.ts and assembly/ mount and start things`;
	}
	if (targetName === "sql.ts" && folderOf(from) !== folderOf(target) && !mayReadTables(from, target)) {
		return `${from} must not import ${target}: a room's statements are its own; ask its verbs`;
	}
	if (name === "sql.ts" && (GATE_FACING.test(targetName) || WIRED.test(targetName))) {
		return `${from} must not import ${target}: statements know nothing of what calls them`;
	}
	return undefined;
}

/**
 * The engine's load and save are one walk over the tables of catalog, stock and holds: later rooms may use earlier ones' statements,
 * and the walk itself, in assembly/, may use all of them.
 */
function mayReadTables(from: string, target: string): boolean {
	if (folderOf(from) === "assembly") return true;
	const [later, earlier] = [PARTNER_ROOMS.indexOf(folderOf(from)), PARTNER_ROOMS.indexOf(folderOf(target))];
	return earlier >= 0 && later > earlier;
}

const folderOf = (file: string): string => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "");
