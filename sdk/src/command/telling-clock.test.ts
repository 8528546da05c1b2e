import { expect, it } from "vitest";
import { openSandboxWorld } from "../../../service/test/contract/sandbox-world.ts";
import { killAll, until } from "../../../service/test/processes/child.ts";
import { startPartner } from "./run-for-tests.ts";

it("A command that waits for the key's budget says for how long, and goes on telling what it found", async () => {
	const world = await openSandboxWorld();
	try {
		// without the scope to ask what the key may do, the doctor tries each of the others
		const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 2, scopes: ["atp.check"] });
		const env = { HOLDFAST_URL: `http://127.0.0.1:${world.port}`, HOLDFAST_TOKEN: token };
		const child = startPartner(["doctor"], { env });
		const line = await until("the wait", () => child.errors.find((text) => text.startsWith("Waiting ")));
		expect(line).toMatch(/^Waiting [1-6]\d s: /);
		expect(child.lines[0]).toMatch(/^ok +address/);
	} finally {
		await killAll();
		await world.stop();
	}
});
