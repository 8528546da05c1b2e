import { expect, it } from "vitest";
import { COA_OPERATIONS, PARTNER_OPERATIONS } from "../../../service/src/assembly/surfaces.ts";
import { NOTHING_HERE } from "../../../service/src/partners/http/unknown-path.ts";
import { createFakeHoldfast } from "./index.ts";

it("every operation of the partner API and of the COA address is answered", async () => {
	const { fetch, token } = createFakeHoldfast({ world: { key: { requestsPerMinute: null } } });
	for (const { method, path } of [...PARTNER_OPERATIONS, ...COA_OPERATIONS]) {
		const headers = { authorization: `Bearer ${token}` };
		const reply = await fetch(`https://holdfast.test${path.replace(/:\w+/g, "x")}`, { method, headers });
		const text = await reply.text();
		expect([405, 500], `${method} ${path}`).not.toContain(reply.status);
		expect(text, `${method} ${path}`).not.toContain(NOTHING_HERE);
	}
});
