import { describe, expect, it } from "vitest";
import { commonSettingsOf } from "../../../service/src/assembly/common-settings.ts";
import { type Env, toConfig } from "../../../service/src/config.ts";
import { judgeSettings } from "./examine-settings.ts";

const settings = (env: Env = {}) => commonSettingsOf(toConfig({ HOLDFAST_DATA_DIR: "/srv/data", ...env }));
const node = (env: Env = {}, isRunning = true) => ({ startedAt: new Date(0), isRunning, settings: settings(env) });
const BERLIN = { HOLDFAST_TIME_ZONE: "Europe/Berlin" };

describe("What doctor says of the common settings", () => {
	it.each([
		["nobody ever served", [], [[true, "no service has run"]]],
		["one node runs alike", [node()], [[true, "this shell has the settings of the service"]]],
		["the last run was alike", [node({}, false)], [[true, "the settings of the service's last run"]]],
		["the node has another zone", [node(BERLIN)], [[false, "the service runs with Europe/Berlin"]]],
		["a node that is gone had another", [node(), node(BERLIN, false)], [[true, "the settings of the service"]]],
		[
			"another node runs with another",
			[node(), node(BERLIN)],
			[
				[true, "the settings of the service"],
				[false, "two nodes differ in HOLDFAST_TIME_ZONE"],
			],
		],
	])("when %s", (_when, nodes, said) => {
		const found = judgeSettings(settings(), nodes);
		expect(found.map(({ ok }) => ok)).toEqual(said.map(([ok]) => ok));
		for (const [at, [, text]] of said.entries()) expect(found[at]?.found).toContain(text);
	});
});

describe("A common setting", () => {
	it.each<[string, Env, Env, string[]]>([
		["an address that follows from the port", {}, { HOLDFAST_COA_PORT: "4801" }, ["HOLDFAST_COA_URL"]],
		[
			"the same address, told and from the port",
			{ HOLDFAST_COA_URL: "http://127.0.0.1:4801" },
			{ HOLDFAST_COA_PORT: "4801" },
			[],
		],
		["the default, told", {}, { HOLDFAST_TIME_ZONE: "UTC", HOLDFAST_COA_REQUIRED: "false" }, []],
		["carriers in another order", carriers("a", "b"), carriers("b", "a"), []],
		["another carrier", carriers("a"), carriers("b"), ["HOLDFAST_CARRIERS"]],
		[
			"networks in another order",
			{ HOLDFAST_WEBHOOK_ALLOW: "10.0.0.0/8,127.0.0.1" },
			{ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.1/32,10.0.0.0/8" },
			[],
		],
		["another path to an embedded database and its PDFs", {}, { HOLDFAST_DATA_DIR: "/mnt/data" }, []],
		["a folder of PDFs elsewhere", {}, { HOLDFAST_COA_STORE: "/mnt/coa" }, ["HOLDFAST_COA_STORE"]],
		[
			"another folder beside a database of one's own",
			{ HOLDFAST_DATABASE_URL: "postgresql://h/d" },
			{ HOLDFAST_DATABASE_URL: "postgresql://h/d", HOLDFAST_DATA_DIR: "/mnt/data" },
			["HOLDFAST_COA_STORE"],
		],
	])("differs, or not, by its meaning: %s", (_what, one, other, names) => {
		const [mine, theirs] = [settings(one), settings(other)];
		const differing = Object.keys(mine).filter(
			(name) => mine[name as keyof typeof mine] !== theirs[name as keyof typeof mine],
		);
		expect(differing).toEqual(names);
	});

	it("is never a secret", () => {
		const secrets = {
			HOLDFAST_DATABASE_URL: "postgresql://u:canary-1@h/d",
			HOLDFAST_SECRET_KEYS: "k:canary-2",
			HOLDFAST_LABEL_PLATFORM: "shipstation",
			HOLDFAST_SHIPSTATION_API_KEY: "canary-3",
			HOLDFAST_SHIPSTATION_HOOK_SECRET: "canary-4-canary-4-canary-4",
			HOLDFAST_SMTP_URL: "smtp://u:canary-5@h",
			HOLDFAST_MAIL_FROM: "a@b",
			HOLDFAST_MAIL_TO: "a@b",
		};
		expect(JSON.stringify(settings(secrets))).not.toContain("canary");
	});
});

function carriers(...codes: string[]): Env {
	const pages = codes.map((code) => [code, `https://${code}.example.com/{tracking_number}`]);
	return { HOLDFAST_CARRIERS: JSON.stringify(Object.fromEntries(pages)) };
}
