import { tryStartLock } from "../../src/ground/embedded/start-lock.ts";

// A process that takes the start lock of a data folder and keeps it until it is killed. Prints "taken" or "refused".
const [pgData = "", password = ""] = process.argv.slice(2);
const lock = await tryStartLock({ pgData, password });
console.log(lock === null ? "refused" : "taken");
if (lock !== null) setInterval(() => undefined, 60_000);
