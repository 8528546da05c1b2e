import { flushCompileCache } from "node:module";
import { openStockEngine } from "../../src/assembly/engine.ts";
import { openDatabase } from "../../src/ground/pg/connect.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { LINKS } from "../links.ts";
import { reviveCommand } from "../races/crash-commands.ts";

// A process that carries out one command on the database of the first address, by the engine on that of the second, and
// is killed. Prints the answer as a JSON line.
flushCompileCache(); // one that is killed keeps nothing for the next
const [url = "", pipeUrl = "", command = ""] = process.argv.slice(2);
const db = openDatabase(url, { name: "beside" });
const catalog = createCatalogCache();
await catalog.read(db); // so that the engine begins once
const engine = openStockEngine(pipeUrl, { catalog, timeZone: "UTC", links: LINKS });
const answer: unknown = await engine.execute(reviveCommand(command) as never);
process.stdout.write(`${JSON.stringify({ answer })}\n`);
setInterval(() => undefined, 60_000); // stay until killed
