#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one says what to do instead of failing on new syntax.
const OLDEST = 22;
const major = Number(process.versions.node.split(".")[0]);
if (major < OLDEST) {
	console.error(`holdfast-partner needs Node ${OLDEST} or newer; this is ${process.version}.`);
	process.exit(2);
}
const { main } = await import("../src/command/main.ts");
await main(process.argv.slice(2));
