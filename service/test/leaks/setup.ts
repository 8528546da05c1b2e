import { afterAll, inject } from "vitest";
import { handOver } from "./secrets.ts";
import { leaksInWritten } from "./written.ts";

// for every test file, after its own hooks: what its services and commands wrote is searched for what must stay secret
afterAll(() => {
	const leaks = leaksInWritten();
	handOver(inject("secretsFolder"));
	if (leaks.length > 0) throw new Error(leaks.join("\n"));
});
