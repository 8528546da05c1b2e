import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, maskedConfig, readEnv, toConfig, VARIABLES } from "./config.ts";

const problemsOf = (env: Record<string, string>): readonly string[] => {
	try {
		toConfig(readEnv(env));
		return [];
	} catch (error) {
		if (error instanceof ConfigError) return error.message.split("\n");
		throw error;
	}
};

test("without any variable the service is the embedded one on ports 4000 and 4001 of the loopback address", () => {
	expect(toConfig(readEnv({ PATH: "/bin", npm_config_x: "y" }))).toMatchObject({
		host: "127.0.0.1",
		port: 4000,
		coaPort: 4001,
		metricsPort: null,
		databaseUrl: null,
		timeZone: "UTC",
		maxTtlMinutes: null,
		maxHeldUnitsPerKey: null,
		stopDelaySeconds: 0,
		logLevel: "info",
	});
});

test("a HOLDFAST_ variable that nobody reads stops the start and names the nearest one", () => {
	expect(problemsOf({ HOLDFAST_PROT: "1", HOLDFAST_DATABSE_URL: "x", HOLDFAST_EVERYTHING_ELSE: "1" })).toEqual([
		"HOLDFAST_PROT: Holdfast reads no such variable; did you mean HOLDFAST_PORT?",
		"HOLDFAST_DATABSE_URL: Holdfast reads no such variable; did you mean HOLDFAST_DATABASE_URL?",
		"HOLDFAST_EVERYTHING_ELSE: Holdfast reads no such variable; `npm run -s holdfast -- config` lists the variables that it reads",
	]);
});

test.each([
	["HOLDFAST_PORT", "65536"],
	["HOLDFAST_PORT", "-1"],
	["HOLDFAST_PORT", "4e3"],
	["HOLDFAST_COA_PORT", " 1"],
	["HOLDFAST_METRICS_PORT", "none"],
	["HOLDFAST_HOST", "a b"],
	["HOLDFAST_URL", "api.example.com"],
	["HOLDFAST_URL", "ftp://api.example.com"],
	["HOLDFAST_COA_URL", "https://user:pass@coa.example.com"],
	["HOLDFAST_DATABASE_URL", "mysql://localhost/x"],
	["HOLDFAST_TIME_ZONE", "Mars/Olympus"],
	["HOLDFAST_TIME_ZONE", "+02:00"],
	["HOLDFAST_ACCEPT_UNSAFE_DATABASE", "yes"],
	["HOLDFAST_MAX_HELD_UNITS_PER_KEY", "0"],
	["HOLDFAST_MAX_TTL_MINUTES", "525601"],
	["HOLDFAST_STOP_DELAY_SECONDS", "3601"],
	["HOLDFAST_STOP_DELAY_SECONDS", "5s"],
	["HOLDFAST_LOG_LEVEL", "loud"],
	["HOLDFAST_CARRIERS", "{"],
	["HOLDFAST_CARRIERS", "/no/such/file.json"],
	["HOLDFAST_CARRIERS", '{"mine": "https://c.example/"}'],
	["HOLDFAST_CARRIERS", '{"mine": 7}'],
	["HOLDFAST_CARRIERS", '{" ": "https://c.example/{tracking_number}"}'],
	["HOLDFAST_TRUSTED_PROXIES", "10.0.0.0/33"],
	["HOLDFAST_TRUSTED_PROXIES", "2001:db8::/129"],
	["HOLDFAST_TRUSTED_PROXIES", "10.0.0.0/8,"],
	["HOLDFAST_TRUSTED_PROXIES", "10.0.0/8"],
	["HOLDFAST_TRUSTED_PROXIES", "10.0.0.0/"],
	["HOLDFAST_TRUSTED_PROXIES", "proxy.example.com"],
	["HOLDFAST_TRUSTED_PROXIES", "*"],
])("%s=%s stops the start with one line that names the variable", (name, value) => {
	const problems = problemsOf({ [name]: value });
	expect(problems).toHaveLength(1);
	expect(problems[0]).toMatch(new RegExp(`^${name}: must `));
});

test("carriers' pages come from the variable itself or from the file that it names", async () => {
	const pages = { mine: "https://c.example/?n={tracking_number}" };
	const folder = await mkdtemp(join(tmpdir(), "holdfast-carriers-"));
	const file = join(folder, "carriers.json");
	await writeFile(file, JSON.stringify(pages));
	const list = join(folder, "list.json");
	await writeFile(list, "[]");
	expect(toConfig(readEnv({ HOLDFAST_CARRIERS: JSON.stringify(pages) })).carriers).toEqual(pages);
	const config = toConfig(readEnv({ HOLDFAST_CARRIERS: file }));
	expect(config.carriers).toEqual(pages);
	expect(maskedConfig(config).HOLDFAST_CARRIERS).toBe(JSON.stringify(pages));
	expect(problemsOf({ HOLDFAST_CARRIERS: list })[0]).toMatch(/^HOLDFAST_CARRIERS: must be one JSON object/);
	const twice = { HOLDFAST_CARRIERS: '{"a": "x", "b": "https://{tracking_number}.example"}' };
	expect(problemsOf(twice)[0]).toMatch(/the address of "a" must .*the address of "b" must /);
	await rm(folder, { recursive: true });
});

test("trusted proxies are networks or single addresses, of both kinds", () => {
	const { trustedProxies } = toConfig(
		readEnv({ HOLDFAST_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,2001:db8::/32 , ::1" }),
	);
	expect(trustedProxies).toEqual(["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32", "::1/128"]);
	expect(toConfig(readEnv({})).trustedProxies).toEqual([]);
});

test("every bad value is named at once", () => {
	const problems = problemsOf({ HOLDFAST_PORT: "x", HOLDFAST_COA_PORT: "y", HOLDFAST_LOG_LEVEL: "z" });
	expect(problems.map((line) => line.split(":")[0])).toEqual([
		"HOLDFAST_PORT",
		"HOLDFAST_COA_PORT",
		"HOLDFAST_LOG_LEVEL",
	]);
});

test("two addresses on one port are refused, any free port is not a clash", () => {
	expect(problemsOf({ HOLDFAST_PORT: "4001" })).toEqual([
		"HOLDFAST_COA_PORT: 4001 is already the port of HOLDFAST_PORT",
	]);
	expect(problemsOf({ HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0", HOLDFAST_METRICS_PORT: "0" })).toEqual([]);
});

test("an address for the operator's API without a port of its own is refused", () => {
	const given = { HOLDFAST_HOST: "0.0.0.0", HOLDFAST_ADMIN_HOST: "127.0.0.1" };
	expect(problemsOf(given)).toEqual(["HOLDFAST_ADMIN_PORT: must be set with HOLDFAST_ADMIN_HOST"]);
	expect(problemsOf({ ...given, HOLDFAST_ADMIN_PORT: "0" })).toEqual([]);
});

test("an empty value counts as unset", () => {
	expect(toConfig(readEnv({ HOLDFAST_PORT: "", HOLDFAST_NONSENSE: "" })).port).toBe(4000);
});

test("the printed configuration names every variable and holds no secret", () => {
	const config = toConfig(
		readEnv({
			HOLDFAST_DATABASE_URL: "postgresql://holdfast:p%40ss@w0rd@db.example.com/holdfast?password=again",
			HOLDFAST_SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")},broken-secret`,
		}),
	);
	const printed = maskedConfig(config);
	expect(Object.keys(printed)).toEqual(Object.keys(VARIABLES));
	expect(printed.HOLDFAST_DATABASE_URL).toBe("postgresql://holdfast:***@db.example.com/holdfast?password=***");
	expect(printed.HOLDFAST_SECRET_KEYS).toBe("k1:***,?:***");
});

test("ShipStation needs a key, and neither key nor secret goes anywhere in the clear", () => {
	const SHIPSTATION = { HOLDFAST_LABEL_PLATFORM: "shipstation", HOLDFAST_SHIPSTATION_API_KEY: "the-key" };
	expect(toConfig(readEnv({}))).toMatchObject({ labelPlatform: "built-in", shipstationApiKey: null });
	expect(toConfig(readEnv(SHIPSTATION))).toMatchObject({
		labelPlatform: "shipstation",
		shipstationUrl: "https://api.shipstation.com",
		shipstationHookSecret: null,
	});
	expect(problemsOf({ HOLDFAST_LABEL_PLATFORM: "shipstation" })).toEqual([
		"HOLDFAST_SHIPSTATION_API_KEY: must be set with HOLDFAST_LABEL_PLATFORM=shipstation",
	]);
	expect(problemsOf({ HOLDFAST_LABEL_PLATFORM: "other" })).toHaveLength(1);
	for (const url of ["http://platform.example", "ftp://x", "https://platform.example?key=1"]) {
		expect(problemsOf({ ...SHIPSTATION, HOLDFAST_SHIPSTATION_URL: url })).toHaveLength(1);
	}
	for (const url of ["http://127.0.0.1:9", "https://platform.example/below/"]) {
		expect(problemsOf({ ...SHIPSTATION, HOLDFAST_SHIPSTATION_URL: url })).toEqual([]);
	}
	const [problem = ""] = problemsOf({ HOLDFAST_SHIPSTATION_HOOK_SECRET: "short-secret" });
	expect(problem).toContain("HOLDFAST_SHIPSTATION_HOOK_SECRET: must be 20 to 100");
	expect(problem).not.toContain("short-secret");
	expect(problemsOf({ ...SHIPSTATION, HOLDFAST_SHIPSTATION_API_KEY: "with space" })[0]).not.toContain("with space");
	const secrets = { HOLDFAST_SHIPSTATION_API_KEY: "the-key-itself", HOLDFAST_SHIPSTATION_HOOK_SECRET: "x".repeat(24) };
	const printed = JSON.stringify(maskedConfig(toConfig(readEnv(secrets))));
	for (const secret of Object.values(secrets)) expect(printed).not.toContain(secret);
});
