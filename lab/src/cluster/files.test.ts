import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEPLOY, variablesFor, variablesOf } from "./files.ts";

const read = (name: string): string => readFileSync(path.join(DEPLOY, name), "utf8");
const HOSTS = ["10.77.0.11", "10.77.0.12", "10.77.0.13"];
const addressesIn = (text: string): string[] => text.match(/\b10\.77\.0\.\d+\b(?!\/)/g) ?? [];

interface Patroni {
	readonly etcd: { readonly hosts: readonly string[] };
	readonly bootstrap: { readonly dcs: Readonly<Record<string, unknown>> };
	readonly postgresql: { readonly pg_hba: readonly string[] };
}

describe("the files of a cluster", () => {
	const patroni = parse(read("patroni.yml")) as Patroni;

	it("acknowledge no commit that only one server has", () => {
		expect(patroni.bootstrap.dcs).toMatchObject({
			synchronous_mode: true,
			synchronous_mode_strict: true,
			synchronous_node_count: 1,
			failsafe_mode: true,
			postgresql: {
				use_pg_rewind: true,
				parameters: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" },
			},
		});
		expect(patroni.bootstrap["initdb" as "dcs"]).toContain("data-checksums");
	});

	it("have times that Patroni accepts: a lease outlives one look and two retries", () => {
		const { ttl, loop_wait: wait, retry_timeout: retry } = patroni.bootstrap.dcs as Record<string, number>;
		expect(Number(wait) + 2 * Number(retry)).toBeLessThanOrEqual(Number(ttl));
	});

	it("reach etcd by the API by which a primary that hung cannot take its role back", () => {
		expect(Object.keys(patroni)).not.toContain("etcd3");
		expect(variablesOf("etcd.env")["ETCD_ENABLE_V2"]).toBe("true");
	});

	it("name the same three hosts everywhere", () => {
		expect(patroni.etcd.hosts).toEqual(HOSTS.map((host) => `${host}:2379`));
		expect(addressesIn(variablesOf("etcd.env")["ETCD_INITIAL_CLUSTER"] ?? "")).toEqual(HOSTS);
		expect(addressesIn(read("haproxy.cfg").split("\nlisten ").at(-1) ?? "")).toEqual(HOSTS);
	});

	it("close the sessions of a server that is not the primary, which Patroni is asked for", () => {
		const haproxy = read("haproxy.cfg");
		const [, port] = /^ {4}default-server port (\d+) .*on-marked-down shutdown-sessions$/m.exec(haproxy) ?? [];
		expect(variablesOf("patroni.env")["PATRONI_RESTAPI_LISTEN"]).toBe(`${HOSTS[0]}:${port}`);
		expect(haproxy).toContain("option httpchk OPTIONS /primary\n");
		expect(haproxy.match(/^ {4}server .* check$/gm)).toHaveLength(HOSTS.length);
		const bind = /^ {4}bind (\S+)$/m.exec(haproxy)?.[1];
		expect(new URL(variablesOf("holdfast.env")["HOLDFAST_DATABASE_URL"] ?? "").host).toBe(bind);
	});

	it("let no account in without a password over the network", () => {
		const open = patroni.postgresql.pg_hba.filter(
			(line) => line.startsWith("host") && !line.endsWith(" scram-sha-256"),
		);
		expect(open).toEqual([]);
	});

	it("become another host's by its name and its address alone", () => {
		const etcd = variablesFor("etcd.env", "db3", "10.77.0.13");
		expect(etcd["ETCD_NAME"]).toBe("db3");
		expect(etcd["ETCD_INITIAL_CLUSTER"]).toBe(variablesOf("etcd.env")["ETCD_INITIAL_CLUSTER"]);
		const { ETCD_INITIAL_CLUSTER: _list, ...own } = etcd;
		const all = { ...own, ...variablesFor("patroni.env", "db3", "10.77.0.13") };
		expect(new Set(addressesIn(Object.values(all).join("\n")))).toEqual(new Set(["10.77.0.13"]));
		expect(variablesFor("holdfast.env", "svc2", "10.77.0.22")["HOLDFAST_HOST"]).toBe("10.77.0.22");
	});
});
