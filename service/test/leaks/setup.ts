import { afterAll, inject } from "vitest";
import { handOver } from "./secrets.ts";
import { leaksInWritten } from "./written.ts";

// for every test file, after its own hooks: searches the output of its services and commands for secrets
afterAll(() => {
	handOver(inject("secretsFolder"));
	const leaks = leaksInWritten();
	if (leaks.length > 0) throw new Error(leaks.join("\n"));
});
