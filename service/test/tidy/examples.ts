/** Small made-up sources that each break one rule, and near ones that do not: proof that every rule can fail. */
export interface Example {
	readonly rule: string;
	readonly path: string;
	readonly text: string;
	/** The line it must name; absent: the source is fine. */
	readonly line?: number;
}

const IN = "service/src/";
const LONG = "\t1;\n".repeat(70);

export const EXAMPLES: readonly Example[] = [
	// imports run one way
	{ rule: "imports run one way", path: `${IN}catalog/sku.ts`, text: `import { Lot } from "../stock/lot.ts";`, line: 1 },
	{
		rule: "imports run one way",
		path: `${IN}stock/lot.ts`,
		text: `import type { Hold } from "../holds/hold.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}holds/hold.ts`, text: `import { Lot } from "../stock/lot.ts";` },
	{
		rule: "imports run one way",
		path: `${IN}holds/hold.ts`,
		text: `\nimport { x } from "../ledger/verify.ts";`,
		line: 2,
	},
	{ rule: "imports run one way", path: `${IN}lib/ids.ts`, text: `import { Caller } from "../keys/mint.ts";`, line: 1 },
	{
		rule: "imports run one way",
		path: `${IN}pg/connect.ts`,
		text: `export const x = import("../keys/mint.ts");`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}stock/check.ts`, text: `import { Caller } from "../keys/key.ts";` },
	{
		rule: "imports run one way",
		path: `${IN}stock/check.ts`,
		text: `import { mint } from "../keys/mint.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}stock/check.ts`,
		text: `import { mount } from "../http/mount.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}stock/routes.ts`, text: `import { mount } from "../http/mount.ts";` },
	{ rule: "imports run one way", path: `${IN}http/server.ts`, text: `import { Lot } from "../stock/lot.ts";`, line: 1 },
	{
		rule: "imports run one way",
		path: `${IN}holds/reserve.ts`,
		text: `import { routes } from "./routes.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}holds/tasks.ts`, text: `import { routes } from "./routes.ts";`, line: 1 },
	{
		rule: "imports run one way",
		path: `${IN}assembly/surfaces.ts`,
		text: `import { routes } from "../holds/routes.ts";`,
	},
	{
		rule: "imports run one way",
		path: `${IN}assembly/surfaces.ts`,
		text: `import { createService } from "../service.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}holds/routes.ts`,
		text: `import { SURFACES } from "../assembly/surfaces.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}attic/box.ts`, text: `import { Lot } from "../stock/lot.ts";`, line: 1 },
	{ rule: "imports run one way", path: `${IN}config.ts`, text: `import { open } from "./pg/connect.ts";`, line: 1 },
	{ rule: "imports run one way", path: `${IN}service.ts`, text: `import { open } from "./pg/connect.ts";` },
	{ rule: "imports run one way", path: `${IN}service.ts`, text: `import { cli } from "./cli.ts";`, line: 1 },
	{ rule: "imports run one way", path: `${IN}stock/lot.ts`, text: `import { config } from "../config.ts";`, line: 1 },
	{ rule: "imports run one way", path: `${IN}import/load.ts`, text: `import { x } from "../holds/sql.ts";`, line: 1 },
	{ rule: "imports run one way", path: `${IN}holds/load.ts`, text: `import { x } from "../stock/sql.ts";` },
	{ rule: "imports run one way", path: `${IN}holds/sql.ts`, text: `import { x } from "./contract.ts";`, line: 1 },
	{ rule: "imports run one way", path: `${IN}lib/x.ts`, text: `import { x } from "../../../bench/src/x.ts";`, line: 1 },

	// process.env
	{
		rule: "process.env is read in config.ts alone",
		path: `${IN}pg/x.ts`,
		text: `\nconst a = process.env.HOME;`,
		line: 2,
	},
	{ rule: "process.env is read in config.ts alone", path: `${IN}pg/x.ts`, text: `const { env } = process;`, line: 1 },
	{ rule: "process.env is read in config.ts alone", path: `${IN}pg/x.ts`, text: `const a = process["env"];`, line: 1 },
	{
		rule: "process.env is read in config.ts alone",
		path: `${IN}pg/x.ts`,
		text: `import { env } from "node:process";`,
		line: 1,
	},
	{ rule: "process.env is read in config.ts alone", path: `${IN}config.ts`, text: `const a = process.env.HOME;` },

	// clocks and randomness
	{ rule: "clocks and randomness come from lib/", path: `${IN}stock/x.ts`, text: `const a = Date.now();`, line: 1 },
	{ rule: "clocks and randomness come from lib/", path: `${IN}stock/x.ts`, text: `const a = new Date();`, line: 1 },
	{ rule: "clocks and randomness come from lib/", path: `${IN}stock/x.ts`, text: `const a = new Date(epochMs);` },
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}stock/x.ts`,
		text: `const a = performance.now();`,
		line: 1,
	},
	{ rule: "clocks and randomness come from lib/", path: `${IN}stock/x.ts`, text: `const a = Math.random();`, line: 1 },
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}keys/token.ts`,
		text: `import { randomBytes } from "node:crypto";`,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}keys/mint.ts`,
		text: `import { randomBytes } from "node:crypto";`,
		line: 1,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}keys/x.ts`,
		text: `const a = crypto.randomUUID();`,
		line: 1,
	},
	{ rule: "clocks and randomness come from lib/", path: `${IN}lib/clock.ts`, text: `const a = new Date();` },

	// SQL
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}stock/x.ts`,
		text: "q(`select a\n from lot`);",
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}stock/x.ts`,
		text: `q("update lot set held = 1");`,
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}stock/x.ts`,
		text: "q(`delete from ${table}`);",
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}stock/x.ts`,
		text: `q("with a as (select 1) select 2");`,
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}cli/x.ts`,
		text: `say("Select a key from the list.");`,
	},
	{ rule: "SQL stands in sql.ts, pg/ and migrations/", path: `${IN}cli/x.ts`, text: `say("with the brand named");` },
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}stock/sql.ts`,
		text: `q("update lot set held = 1");`,
	},

	// pure rules
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}stock/lot.ts`,
		text: `export async function f() {}`,
		line: 1,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}holds/a-new-rule.ts`,
		text: `import type { Query } from "../pg/connect.ts";`,
		line: 1,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}holds/hold.ts`,
		text: `\n\nimport { selectHolds } from "./sql.ts";`,
		line: 3,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}orders/take-out.ts`,
		text: `export async function takeOut() {}`,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}orders/take-out.ts`,
		text: `export function takeOut() {}`,
		line: 1,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}holds/rows.ts`,
		text: `export async function lock() {}`,
	},

	// names of use cases
	{
		rule: "a use case is named after its file",
		path: `${IN}orders/take-out.ts`,
		text: `export async function other() {}`,
		line: 1,
	},
	{
		rule: "a use case is named after its file",
		path: `${IN}orders/take-out.ts`,
		text: `export async function takeOut() {}`,
	},
	{
		rule: "a use case is named after its file",
		path: `${IN}keys/key-cache.ts`,
		text: `export const createKeyCache = async () => {};`,
	},

	// quantities
	{ rule: "only stock/move.ts changes quantities", path: `${IN}holds/x.ts`, text: `lot.held -= 1;`, line: 1 },
	{ rule: "only stock/move.ts changes quantities", path: `${IN}holds/x.ts`, text: `part.lot[bucket]++;`, line: 1 },
	{ rule: "only stock/move.ts changes quantities", path: `${IN}holds/x.ts`, text: `const free = lot.available - 1;` },
	{ rule: "only stock/move.ts changes quantities", path: `${IN}stock/move.ts`, text: `lot.held -= 1;` },
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}import/sql.ts`,
		text: "q(`\n  update lot set held = 1`);",
		line: 1,
	},
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}ledger/sql.ts`,
		text: `q("insert into unit_move values (1)");`,
		line: 1,
	},
	{ rule: "only stock/move.ts changes quantities", path: `${IN}stock/sql.ts`, text: `q("update lot set held = 1");` },

	// the shape of a file
	{ rule: "no default exports", path: `${IN}stock/x.ts`, text: `export default 1;`, line: 1 },
	{ rule: "no default exports", path: "bench/src/x.ts", text: `export default function f() {}`, line: 1 },
	{ rule: "no default exports", path: `${IN}stock/x.ts`, text: `const a = 1;\nexport { a as default };`, line: 2 },
	{ rule: "no default exports", path: "vitest.config.ts", text: `export default {};` },
	{ rule: "no enum, namespace or decorator", path: `${IN}stock/x.ts`, text: `enum A { B }`, line: 1 },
	{
		rule: "no enum, namespace or decorator",
		path: `${IN}stock/x.ts`,
		text: `namespace A { export const b = 1; }`,
		line: 1,
	},
	{ rule: "no enum, namespace or decorator", path: `${IN}stock/x.ts`, text: `@sealed\nclass A {}`, line: 1 },
	{ rule: "no enum, namespace or decorator", path: `${IN}stock/x.ts`, text: `declare module "x" {}` },
	{ rule: "no barrels", path: `${IN}stock/index.ts`, text: `export * from "./lot.ts";`, line: 1 },
	{ rule: "no barrels", path: `${IN}stock/x.ts`, text: `export { lot } from "./lot.ts";`, line: 1 },
	{ rule: "a function has at most 70 lines", path: `${IN}stock/x.ts`, text: `\nfunction f() {\n${LONG}}`, line: 2 },
	{ rule: "a function has at most 70 lines", path: `${IN}stock/x.ts`, text: `function f() {\n${LONG.slice(8)}}` },
	{
		rule: "a function has at most 70 lines",
		path: "service/test/x.test.ts",
		text: `describe("x", () => {\n${LONG}});`,
	},
	{ rule: "a file has at most 400 lines", path: `${IN}stock/x.ts`, text: "1;\n".repeat(401), line: 401 },
	{ rule: "a file has at most 400 lines", path: `${IN}stock/x.ts`, text: "1;\n".repeat(400) },
];
