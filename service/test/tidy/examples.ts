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
	{
		rule: "imports run one way",
		path: `${IN}inventory/catalog/sku.ts`,
		text: `import { Lot } from "../stock/lot.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/stock/lot.ts`,
		text: `import type { Hold } from "../holds/hold.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}inventory/holds/hold.ts`, text: `import { Lot } from "../stock/lot.ts";` },
	{
		rule: "imports run one way",
		path: `${IN}inventory/holds/hold.ts`,
		text: `\nimport { x } from "../../upkeep/ledger/verify.ts";`,
		line: 2,
	},
	{
		rule: "imports run one way",
		path: `${IN}ground/lib/ids.ts`,
		text: `import { Caller } from "../../partners/keys/mint.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}ground/pg/connect.ts`,
		text: `export const x = import("../../partners/keys/mint.ts");`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/stock/check.ts`,
		text: `import { Caller } from "../../partners/http/caller.ts";`,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/stock/check.ts`,
		text: `import { mount } from "../../partners/http/mount.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/stock/routes.ts`,
		text: `import { mount } from "../../partners/http/mount.ts";`,
	},
	{
		rule: "imports run one way",
		path: `${IN}partners/http/server.ts`,
		text: `import { Lot } from "../../inventory/stock/lot.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/holds/reserve.ts`,
		text: `import { routes } from "./routes.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/holds/tasks.ts`,
		text: `import { routes } from "./routes.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}assembly/surfaces.ts`,
		text: `import { routes } from "../inventory/holds/routes.ts";`,
	},
	{
		rule: "imports run one way",
		path: `${IN}assembly/surfaces.ts`,
		text: `import { createService } from "../service.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/holds/routes.ts`,
		text: `import { SURFACES } from "../../assembly/surfaces.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}inventory/attic/box.ts`,
		text: `import { Lot } from "../stock/lot.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}config.ts`,
		text: `import { open } from "./ground/pg/connect.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}service.ts`, text: `import { open } from "./ground/pg/connect.ts";` },
	{ rule: "imports run one way", path: `${IN}service.ts`, text: `import { cli } from "./cli.ts";`, line: 1 },
	{
		rule: "imports run one way",
		path: `${IN}inventory/stock/lot.ts`,
		text: `import { config } from "../../config.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}partners/webhooks/event.ts`,
		text: `import { Order } from "../../inventory/orders/order.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}upkeep/ledger/verify.ts`,
		text: `import { BUCKETS } from "../../assembly/rows.ts";`,
		line: 1,
	},
	{ rule: "imports run one way", path: `${IN}inventory/holds/load.ts`, text: `import { x } from "../stock/sql.ts";` },
	{
		rule: "imports run one way",
		path: `${IN}inventory/holds/sql.ts`,
		text: `import { x } from "./contract.ts";`,
		line: 1,
	},
	{
		rule: "imports run one way",
		path: `${IN}ground/lib/x.ts`,
		text: `import { x } from "../../../../bench/src/x.ts";`,
		line: 1,
	},

	// process.env
	{
		rule: "process.env is read in config.ts alone",
		path: `${IN}ground/pg/x.ts`,
		text: `\nconst a = process.env.HOME;`,
		line: 2,
	},
	{
		rule: "process.env is read in config.ts alone",
		path: `${IN}ground/pg/x.ts`,
		text: `const { env } = process;`,
		line: 1,
	},
	{
		rule: "process.env is read in config.ts alone",
		path: `${IN}ground/pg/x.ts`,
		text: `const a = process["env"];`,
		line: 1,
	},
	{
		rule: "process.env is read in config.ts alone",
		path: `${IN}ground/pg/x.ts`,
		text: `import { env } from "node:process";`,
		line: 1,
	},
	{ rule: "process.env is read in config.ts alone", path: `${IN}config.ts`, text: `const a = process.env.HOME;` },

	// clocks and randomness
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = Date.now();`,
		line: 1,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = new Date();`,
		line: 1,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = new Date(epochMs);`,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = performance.now();`,
		line: 1,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = Math.random();`,
		line: 1,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}partners/keys/token.ts`,
		text: `import { randomBytes } from "node:crypto";`,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}partners/keys/mint.ts`,
		text: `import { randomBytes } from "node:crypto";`,
		line: 1,
	},
	{
		rule: "clocks and randomness come from lib/",
		path: `${IN}partners/keys/x.ts`,
		text: `const a = crypto.randomUUID();`,
		line: 1,
	},
	{ rule: "clocks and randomness come from lib/", path: `${IN}ground/lib/clock.ts`, text: `const a = new Date();` },

	// SQL
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}inventory/stock/x.ts`,
		text: "q(`select a\n from lot`);",
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}inventory/stock/x.ts`,
		text: `q("update lot set held = 1");`,
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}inventory/stock/x.ts`,
		text: "q(`delete from ${table}`);",
		line: 1,
	},
	{
		rule: "SQL stands in sql.ts, pg/ and migrations/",
		path: `${IN}inventory/stock/x.ts`,
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
		path: `${IN}inventory/stock/save-sql.ts`,
		text: `q("update lot set held = 1");`,
	},

	// pure rules
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}inventory/stock/lot.ts`,
		text: `export async function f() {}`,
		line: 1,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}inventory/holds/a-new-rule.ts`,
		text: `import type { Query } from "../../ground/pg/connect.ts";`,
		line: 1,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}inventory/holds/hold.ts`,
		text: `\n\nimport { selectHolds } from "./sql.ts";`,
		line: 3,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}inventory/recall/find-holders.ts`,
		text: `export async function findHolders() {}`,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}inventory/recall/find-holders.ts`,
		text: `export function findHolders() {}`,
		line: 1,
	},
	{
		rule: "pure rules neither wait nor know the database",
		path: `${IN}inventory/holds/rows.ts`,
		text: `export async function lock() {}`,
	},

	// names of use cases
	{
		rule: "a use case is named after its file",
		path: `${IN}inventory/recall/find-holders.ts`,
		text: `export async function other() {}`,
		line: 1,
	},
	{
		rule: "a use case is named after its file",
		path: `${IN}inventory/recall/find-holders.ts`,
		text: `export async function findHolders() {}`,
	},
	{
		rule: "a use case is named after its file",
		path: `${IN}partners/keys/key-cache.ts`,
		text: `export const createKeyCache = async () => {};`,
	},

	// quantities
	{ rule: "only stock/move.ts changes quantities", path: `${IN}inventory/holds/x.ts`, text: `lot.held -= 1;`, line: 1 },
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}inventory/holds/x.ts`,
		text: `part.lot[bucket]++;`,
		line: 1,
	},
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}inventory/holds/x.ts`,
		text: `const free = lot.available - 1;`,
	},
	{ rule: "only stock/move.ts changes quantities", path: `${IN}inventory/stock/move.ts`, text: `lot.held -= 1;` },
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}upkeep/import/sql.ts`,
		text: "q(`\n  update lot set held = 1`);",
		line: 1,
	},
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}upkeep/ledger/sql.ts`,
		text: `q("insert into unit_move values (1)");`,
		line: 1,
	},
	{
		rule: "only stock/move.ts changes quantities",
		path: `${IN}inventory/stock/save-sql.ts`,
		text: `q("update lot set held = 1");`,
	},

	// the shape of a file
	{ rule: "no default exports", path: `${IN}inventory/stock/x.ts`, text: `export default 1;`, line: 1 },
	{ rule: "no default exports", path: "bench/src/x.ts", text: `export default function f() {}`, line: 1 },
	{
		rule: "no default exports",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = 1;\nexport { a as default };`,
		line: 2,
	},
	{ rule: "no default exports", path: "vitest.config.ts", text: `export default {};` },
	{ rule: "no enum, namespace or decorator", path: `${IN}inventory/stock/x.ts`, text: `enum A { B }`, line: 1 },
	{
		rule: "no enum, namespace or decorator",
		path: `${IN}inventory/stock/x.ts`,
		text: `namespace A { export const b = 1; }`,
		line: 1,
	},
	{ rule: "no enum, namespace or decorator", path: `${IN}inventory/stock/x.ts`, text: `@sealed\nclass A {}`, line: 1 },
	{ rule: "no enum, namespace or decorator", path: `${IN}inventory/stock/x.ts`, text: `declare module "x" {}` },
	{ rule: "no barrels", path: `${IN}inventory/stock/index.ts`, text: `export * from "./lot.ts";`, line: 1 },
	{ rule: "no barrels", path: `${IN}inventory/stock/x.ts`, text: `export { lot } from "./lot.ts";`, line: 1 },
	{
		rule: "a function has at most 70 lines",
		path: `${IN}inventory/stock/x.ts`,
		text: `\nfunction f() {\n${LONG}}`,
		line: 2,
	},
	{
		rule: "a function has at most 70 lines",
		path: `${IN}inventory/stock/x.ts`,
		text: `function f() {\n${LONG.slice(8)}}`,
	},
	{
		rule: "a function has at most 70 lines",
		path: "service/test/x.test.ts",
		text: `describe("x", () => {\n${LONG}});`,
	},
	{
		rule: "a function has at most 70 lines",
		path: `${IN}inventory/stock/x.ts`,
		text: `function f() {\n\treturn {\n${"\t\ta: 1,\n".repeat(80)}\t};\n}`,
	},
	{
		rule: "a comment has at most 120 columns",
		path: `${IN}inventory/stock/x.ts`,
		text: `const a = 1;\n\t// ${"word ".repeat(24)}\n`,
		line: 2,
	},
	{
		rule: "a comment has at most 120 columns",
		path: `${IN}inventory/stock/x.ts`,
		text: `\t// ${"word ".repeat(22)}\n`,
	},
	{ rule: "a file has at most 400 lines", path: `${IN}inventory/stock/x.ts`, text: "1;\n".repeat(401), line: 401 },
	{ rule: "a file has at most 400 lines", path: `${IN}inventory/stock/x.ts`, text: "1;\n".repeat(400) },
];
