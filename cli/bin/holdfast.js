#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one says what to do instead of failing on a type annotation.
import module from "node:module";
import { fileURLToPath } from "node:url";

const OLDEST = [24, 11];
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
	console.error(
		`Holdfast needs Node ${OLDEST.join(".")} or newer; this is ${process.version}. "npm ci" has installed one: use "npm start", or "npm run -s holdfast -- <command>".`,
	);
	process.exit(1);
}

// stripping the types of so many files and compiling them takes most of the time of a start: the result is cached
module.enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/holdfast", import.meta.url)));

const [command, ...rest] = process.argv.slice(2);
if (command === "start" && rest.length === 0) {
	// for "npm start": no time is spent on loading the other commands
	const { main } = await import("../../service/src/main.ts");
	await main();
} else {
	const { main } = await import("../src/program.ts");
	await main();
}
