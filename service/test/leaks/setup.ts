import { afterAll, inject } from "vitest";
import { handOver } from "./secrets.ts";
import { leaksInWritten } from "./written.ts";

// for every test file, after its own hooks: searches the output of its services and commands for secrets
afterAll(() => {
	const leaks = leaksInWritten();
	handOver(inject("secretsFolder"));
	if (leaks.length > 0) throw new Error(leaks.join("\n"));
});
