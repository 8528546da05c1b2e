import { afterAll, inject } from "vitest";
import { leaveServer } from "../server-connection.ts";
import { handOver } from "./secrets.ts";
import { leaksInWritten } from "./written.ts";

// for every test file, after its own hooks: searches the output of its services and commands for secrets
afterAll(async () => {
	await leaveServer();
	const leaks = leaksInWritten();
	handOver(inject("secretsFolder"));
	if (leaks.length > 0) throw new Error(leaks.join("\n"));
});
