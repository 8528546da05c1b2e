/**
 * Small made-up sources that each break one rule, and similar ones that do not: they prove that every rule can fail.
 */
export interface Example {
	readonly rule: string;
	readonly path: string;
	readonly text: string;
	/** The line that must be reported; absent: the source breaks no rule. */
	readonly line?: number;
}

const IN = "service/src/";
const LONG = "\t1;\n".repeat(70);

type Case = readonly [path: string, text: string, line?: number];
const of = (rule: string, cases: readonly Case[]): Example[] =>
	cases.map(([path, text, line]) => ({ rule, path, text, ...(line === undefined ? {} : { line }) }));

export const EXAMPLES: readonly Example[] = [
	...of("imports run one way", [
		[`${IN}inventory/catalog/sku.ts`, `import { Lot } from "../stock/lot.ts";`, 1],
		[`${IN}inventory/stock/lot.ts`, `import type { Hold } from "../holds/hold.ts";`, 1],
		[`${IN}inventory/holds/hold.ts`, `import { Lot } from "../stock/lot.ts";`],
		[`${IN}inventory/holds/hold.ts`, `\nimport { x } from "../../upkeep/ledger/verify.ts";`, 2],
		[`${IN}ground/lib/ids.ts`, `import { Caller } from "../../partners/keys/mint.ts";`, 1],
		[`${IN}ground/pg/connect.ts`, `export const x = import("../../partners/keys/mint.ts");`, 1],
		[`${IN}inventory/stock/check.ts`, `import { Caller } from "../../partners/http/caller.ts";`],
		[`${IN}inventory/stock/check.ts`, `import { mount } from "../../partners/http/mount.ts";`, 1],
		[`${IN}inventory/stock/routes.ts`, `import { mount } from "../../partners/http/mount.ts";`],
		[`${IN}partners/http/server.ts`, `import { Lot } from "../../inventory/stock/lot.ts";`, 1],
		[`${IN}inventory/holds/reserve.ts`, `import { routes } from "./routes.ts";`, 1],
		[`${IN}inventory/holds/tasks.ts`, `import { routes } from "./routes.ts";`, 1],
		[`${IN}assembly/surfaces.ts`, `import { routes } from "../inventory/holds/routes.ts";`],
		[`${IN}assembly/surfaces.ts`, `import { createService } from "../service.ts";`, 1],
		[`${IN}inventory/holds/routes.ts`, `import { SURFACES } from "../../assembly/surfaces.ts";`, 1],
		[`${IN}inventory/attic/box.ts`, `import { Lot } from "../stock/lot.ts";`, 1],
		[`${IN}config.ts`, `import { open } from "./ground/pg/connect.ts";`, 1],
		[`${IN}service.ts`, `import { open } from "./ground/pg/connect.ts";`],
		[`${IN}service.ts`, `import { main } from "./main.ts";`, 1],
		[`${IN}inventory/stock/lot.ts`, `import { config } from "../../config.ts";`, 1],
		[`${IN}partners/webhooks/event.ts`, `import { Order } from "../../inventory/orders/order.ts";`, 1],
		[`${IN}upkeep/ledger/verify.ts`, `import { BUCKETS } from "../../assembly/rows.ts";`, 1],
		[`${IN}inventory/holds/load.ts`, `import { x } from "../stock/sql.ts";`],
		[`${IN}inventory/holds/load.ts`, `import { x } from "../stock/list-lots-sql.ts";`, 1],
		[`${IN}inventory/holds/load.ts`, `import { x } from "../catalog/sql.ts";`, 1],
		[
			`cli/src/commands/stock.ts`,
			`import type { ListedLot } from "../../../service/src/inventory/stock/list-lots-sql.ts";`,
		],
		[`${IN}inventory/holds/sql.ts`, `import { x } from "./contract.ts";`, 1],
		[`${IN}ground/lib/x.ts`, `import { x } from "../../../../bench/src/x.ts";`, 1],
	]),
	...of("process.env is read in config.ts alone", [
		[`${IN}ground/pg/x.ts`, `\nconst a = process.env.HOME;`, 2],
		[`${IN}ground/pg/x.ts`, `const { env } = process;`, 1],
		[`${IN}ground/pg/x.ts`, `const a = process["env"];`, 1],
		[`${IN}ground/pg/x.ts`, `import { env } from "node:process";`, 1],
		[`${IN}config.ts`, `const a = process.env.HOME;`],
	]),
	...of("clocks and randomness come from lib/", [
		[`${IN}inventory/stock/x.ts`, `const a = Date.now();`, 1],
		[`${IN}inventory/stock/x.ts`, `const a = new Date();`, 1],
		[`${IN}inventory/stock/x.ts`, `const a = new Date(epochMs);`],
		[`${IN}inventory/stock/x.ts`, `const a = performance.now();`, 1],
		[`${IN}inventory/stock/x.ts`, `const a = Math.random();`, 1],
		[`${IN}partners/keys/token.ts`, `import { randomBytes } from "node:crypto";`],
		[`${IN}partners/keys/mint.ts`, `import { randomBytes } from "node:crypto";`, 1],
		[`${IN}partners/keys/x.ts`, `const a = crypto.randomUUID();`, 1],
		[`${IN}ground/lib/clock.ts`, `const a = new Date();`],
	]),
	...of("one file reaches into a library", [
		[`${IN}ground/pg/x.ts`, `const types = this._result;`, 1],
		[`${IN}ground/pg/x.ts`, `\nconst { prepareValue: toParameter } = pg.utils;`, 2],
		[`${IN}ground/pg/x.ts`, `client.query(copy as unknown as pg.Submittable);`, 1],
		[`${IN}partners/http/x.ts`, `type Open = Socket & { readonly _handle?: object };`, 1],
		[`${IN}upkeep/backup/sql.ts`, `q("lock table graphile_worker._private_jobs");`, 1],
		[`${IN}upkeep/backup/sql.ts`, `q("select from graphile_worker.jobs");`],
		[`${IN}ground/pg/driver-internals.ts`, `const types = this._result;`],
		[`${IN}ground/pg/x.ts`, `const [_first, last] = list;`],
	]),
	...of("SQL stands in sql.ts, pg/ and migrations/", [
		[`${IN}inventory/stock/x.ts`, "q(`select a\n from lot`);", 1],
		[`${IN}inventory/stock/x.ts`, `q("update lot set held = 1");`, 1],
		[`${IN}inventory/stock/x.ts`, "q(`delete from ${table}`);", 1],
		[`${IN}inventory/stock/x.ts`, `q("with a as (select 1) select 2");`, 1],
		["cli/src/commands/x.ts", `say("Select a key from the list.");`],
		["cli/src/commands/x.ts", `say("with the brand named");`],
		[`${IN}inventory/stock/save-sql.ts`, `q("update lot set held = 1");`],
	]),
	...of("pure rules neither wait nor know the database", [
		[`${IN}inventory/stock/lot.ts`, `export async function f() {}`, 1],
		[`${IN}inventory/holds/a-new-rule.ts`, `import type { Query } from "../../ground/pg/connect.ts";`, 1],
		[`${IN}inventory/holds/hold.ts`, `\n\nimport { selectHolds } from "./sql.ts";`, 3],
		[`${IN}inventory/recall/find-holders.ts`, `export async function findHolders() {}`],
		[`${IN}inventory/recall/find-holders.ts`, `export function findHolders() {}`, 1],
		[`${IN}inventory/holds/rows.ts`, `export async function lock() {}`],
	]),
	...of("a use case is named after its file", [
		[`${IN}inventory/recall/find-holders.ts`, `export async function other() {}`, 1],
		[`${IN}inventory/recall/find-holders.ts`, `export async function findHolders() {}`],
		[`${IN}partners/keys/key-cache.ts`, `export const createKeyCache = async () => {};`],
	]),
	...of("only stock/move.ts changes quantities", [
		[`${IN}inventory/holds/x.ts`, `lot.held -= 1;`, 1],
		[`${IN}inventory/holds/x.ts`, `part.lot[bucket]++;`, 1],
		[`${IN}inventory/holds/x.ts`, `const free = lot.available - 1;`],
		[`${IN}inventory/stock/move.ts`, `lot.held -= 1;`],
		[`${IN}upkeep/import/sql.ts`, "q(`\n  update lot set held = 1`);", 1],
		[`${IN}upkeep/ledger/sql.ts`, `q("insert into unit_move values (1)");`, 1],
		[`${IN}inventory/stock/save-sql.ts`, `q("update lot set held = 1");`],
	]),
	...of("no default exports", [
		[`${IN}inventory/stock/x.ts`, `export default 1;`, 1],
		["bench/src/x.ts", `export default function f() {}`, 1],
		[`${IN}inventory/stock/x.ts`, `const a = 1;\nexport { a as default };`, 2],
		["vitest.config.ts", `export default {};`],
	]),
	...of("no enum, namespace or decorator", [
		[`${IN}inventory/stock/x.ts`, `enum A { B }`, 1],
		[`${IN}inventory/stock/x.ts`, `namespace A { export const b = 1; }`, 1],
		[`${IN}inventory/stock/x.ts`, `@sealed\nclass A {}`, 1],
		[`${IN}inventory/stock/x.ts`, `declare module "x" {}`],
	]),
	...of("no barrels but for the entries of the kit", [
		[`${IN}inventory/stock/index.ts`, `export * from "./lot.ts";`, 1],
		[`${IN}inventory/stock/x.ts`, `export { lot } from "./lot.ts";`, 1],
		["sdk/src/mirror/index.ts", `export { fileStore } from "./store.ts";`],
		["sdk/src/mirror/x.ts", `export { fileStore } from "./store.ts";`, 1],
	]),
	...of("a function has at most 70 lines", [
		[`${IN}inventory/stock/x.ts`, `\nfunction f() {\n${LONG}}`, 2],
		[`${IN}inventory/stock/x.ts`, `function f() {\n${LONG.slice(8)}}`],
		["service/test/x.test.ts", `describe("x", () => {\n${LONG}});`],
		[`${IN}inventory/stock/x.ts`, `function f() {\n\treturn {\n${"\t\ta: 1,\n".repeat(80)}\t};\n}`],
	]),
	...of("a comment has at most 120 columns", [
		[`${IN}inventory/stock/x.ts`, `const a = 1;\n\t// ${"word ".repeat(24)}\n`, 2],
		[`${IN}inventory/stock/x.ts`, `\t// ${"word ".repeat(22)}\n`],
	]),
	...of("a file has at most 400 lines", [
		[`${IN}inventory/stock/x.ts`, "1;\n".repeat(401), 401],
		[`${IN}inventory/stock/x.ts`, "1;\n".repeat(400)],
	]),
];
