import { openStockEngine } from "../../src/assembly/engine.ts";
import { openDatabase } from "../../src/ground/pg/connect.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { LINKS } from "../links.ts";
import { reviveCommand } from "../races/crash-commands.ts";

// A process that carries out one command and is then killed. The first argument is the database's address, the second
// its address through the pipe, which the engine uses. Prints the answer as a JSON line.
const [url = "", pipeUrl = "", command = ""] = process.argv.slice(2);
const db = openDatabase(url, { name: "beside" });
const catalog = createCatalogCache();
await catalog.read(db); // so that the engine begins once
const engine = openStockEngine(pipeUrl, { catalog, timeZone: "UTC", links: LINKS });
const answer: unknown = await engine.execute(reviveCommand(command) as never);
process.stdout.write(`${JSON.stringify({ answer })}\n`);
setInterval(() => undefined, 60_000); // stay until killed
