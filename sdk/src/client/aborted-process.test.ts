import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const INDEX = path.join(import.meta.dirname, "../index.ts");
const TOKEN = "pk_hf_sandbox_a:sk_hf_sandbox_b";

/** A program that aborts a request after its client has begun to wait, and then has nothing left to do. */
const program = (url: string, first: string): string => `
	import { Holdfast } from ${JSON.stringify(INDEX)};
	const holdfast = new Holdfast({ baseUrl: ${JSON.stringify(url)}, token: "${TOKEN}", requestsPerMinute: 1 });
	const enough = new AbortController();
	${first}
	const waiting = holdfast.versions.list({ signal: enough.signal }).catch(({ message }) => message);
	await new Promise((resolve) => setTimeout(resolve, 300));
	enough.abort(new Error("enough"));
	console.log(await waiting);
`;

it.each([
	["the key's budget", 200, "await holdfast.versions.list();"],
	["the repeat of a refused request", 429, ""],
])(
	"A request that is aborted while it waits for %s does not keep the process",
	async (_what, status, first) => {
		const body = status === 200 ? { data: { items: [] } } : { error: { code: "rate_limited", message: "wait" } };
		const server = createServer((_request, response) => {
			response.writeHead(status, { "Retry-After": "50" }).end(JSON.stringify(body));
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			const args = ["--input-type=module", "--eval", program(url, first)];
			// it would end after 50 seconds or more
			const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 });
			expect(stdout).toBe("enough\n");
		} finally {
			server.closeAllConnections();
			server.close();
		}
	},
	90_000,
);
