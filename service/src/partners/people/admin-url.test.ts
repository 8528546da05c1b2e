import { describe, expect, it } from "vitest";
import { type AdminAddress, adminUrlOf, configuredAdminUrl, isLoopback, isReadable } from "./admin-url.ts";

const DEFAULTS: AdminAddress = {
	admin: true,
	adminUrl: null,
	adminHost: null,
	adminPort: null,
	url: null,
	host: "127.0.0.1",
	port: 4000,
};

describe("The address of the operator's API", () => {
	it.each([
		[{}, null, "http://127.0.0.1:4000", true, false],
		[{ host: "::1" }, null, "http://[::1]:4000", true, false],
		[{ host: "0.0.0.0" }, null, "http://0.0.0.0:4000", false, true],
		[{ host: "0.0.0.0", admin: false }, null, "http://0.0.0.0:4000", false, false],
		[{ url: "https://api.example.com" }, "https://api.example.com", "https://api.example.com", false, false],
		[{ url: "http://api.example.com" }, "http://api.example.com", "http://api.example.com", false, true],
		[{ url: "https://api.example.com", adminPort: 4002 }, null, "http://127.0.0.1:4002", true, false],
		[{ adminPort: 4002, adminHost: "10.0.0.1" }, null, "http://10.0.0.1:4002", false, true],
		// not bound: without a separate port, the API is served where the partner API is
		[{ host: "0.0.0.0", adminHost: "127.0.0.1" }, null, "http://0.0.0.0:4000", false, true],
		[{ host: "0.0.0.0", adminPort: 4002, adminHost: "127.0.0.1" }, null, "http://127.0.0.1:4002", true, false],
		[{ host: "0.0.0.0", url: "http://localhost:4000" }, "http://localhost:4000", "http://localhost:4000", true, true],
		[{ host: "0.0.0.0", url: "https://localhost" }, "https://localhost", "https://localhost", true, false],
		[{ adminPort: 4002, adminUrl: "http://127.0.0.1" }, "http://127.0.0.1", "http://127.0.0.1", true, false],
		[
			{ adminPort: 4002, adminUrl: "https://ops.example.com" },
			"https://ops.example.com",
			"https://ops.example.com",
			false,
			false,
		],
	])(
		"with %j is configured as %s and is %s; loopback %s, readable %s",
		(change, configured, url, loopback, readable) => {
			const address = { ...DEFAULTS, ...change };
			expect([configuredAdminUrl(address), adminUrlOf(address), isLoopback(address), isReadable(address)]).toEqual([
				configured,
				url,
				loopback,
				readable,
			]);
		},
	);
});
