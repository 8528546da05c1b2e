import { describe, expect, it } from "vitest";
import { type CommonSettings, settingDifferences, tellDifferences } from "./common-settings.ts";

const OURS: CommonSettings = {
	HOLDFAST_TIME_ZONE: "UTC",
	HOLDFAST_COA_URL: "https://coa.example.com",
	HOLDFAST_COA_STORE: "/srv/coa",
	HOLDFAST_COA_REQUIRED: "false",
	HOLDFAST_CARRIERS: "{}",
	HOLDFAST_LABEL_PLATFORM: "built-in",
	HOLDFAST_SHIPSTATION_URL: "https://api.shipstation.com",
	HOLDFAST_WEBHOOK_ALLOW: "nothing",
	HOLDFAST_CUSTOMER_DATA_DAYS: "400",
};

describe("Settings that must be alike", () => {
	it.each([
		["the same", OURS, []],
		["another value", { ...OURS, HOLDFAST_TIME_ZONE: "Europe/Berlin" }, ["HOLDFAST_TIME_ZONE"]],
		[
			"two other values",
			{ ...OURS, HOLDFAST_COA_REQUIRED: "true", HOLDFAST_COA_STORE: "/mnt/coa" },
			["HOLDFAST_COA_STORE", "HOLDFAST_COA_REQUIRED"],
		],
		["those of a node that knows fewer and others", { HOLDFAST_TIME_ZONE: "UTC", HOLDFAST_NEWER: "x" }, []],
	])("of %s differ where they differ", (_of, theirs: Record<string, string>, variables) => {
		expect(settingDifferences(theirs, OURS).map(({ variable }) => variable)).toEqual(variables);
	});

	it("are compared only where it matters to the command", () => {
		const theirs = { ...OURS, HOLDFAST_TIME_ZONE: "Europe/Berlin", HOLDFAST_COA_REQUIRED: "true" };
		expect(settingDifferences(theirs, OURS, ["HOLDFAST_COA_URL"])).toEqual([]);
		const [difference] = settingDifferences(theirs, OURS, ["HOLDFAST_COA_URL", "HOLDFAST_TIME_ZONE"]);
		expect(tellDifferences(difference === undefined ? [] : [difference])).toBe(
			"HOLDFAST_TIME_ZONE: the service runs with Europe/Berlin, and this shell has UTC.",
		);
	});
});
