import { expect, it } from "vitest";
import { CLUSTER_FAULTS } from "./faults.ts";
import { readClusterOptions } from "./options.ts";

it("what can happen to a cluster is played: crashes, hangs, lost power, every cut, and an operator's work", () => {
	expect(CLUSTER_FAULTS.map(({ name }) => name).toSorted()).toEqual([
		"etcd-without-majority",
		"patroni-killed",
		"patroni-stopped",
		"postgres-killed",
		"postgres-stopped",
		"postmaster-stopped",
		"primary-alone",
		"primary-power",
		"primary-without-clients",
		"primary-without-etcd",
		"primary-without-standbys",
		"standby-power",
		"standby-rebuilt",
		"switchover",
	]);
});

it("plays a hundred faults under 64 partners unless told otherwise", () => {
	expect(readClusterOptions([])).toMatchObject({ failovers: 100, partners: 64, faults: null, image: null });
	const some = ["--failovers", "12", "--partners", "8", "--seed", "7", "--faults", "a,b", "--image", "localhost/own"];
	expect(readClusterOptions(some)).toMatchObject({
		failovers: 12,
		partners: 8,
		seed: 7,
		faults: ["a", "b"],
		image: "localhost/own",
	});
	expect(readClusterOptions(["--help"])).toBeNull();
});

it.each([["--failovers", "0"], ["--failovers", "1.5"], ["--partners", "none"], ["--seed", "-1"], ["--sneeze"]])(
	"refuses %s %s",
	(...args) => {
		expect(() => readClusterOptions(args)).toThrow();
	},
);
