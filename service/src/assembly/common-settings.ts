import { isAbsolute, relative } from "node:path";
import type { Config } from "../config.ts";
import { storeName } from "../ground/lib/coa-settings.ts";
import { type CommonSettings, NOTHING_ALLOWED } from "../ground/lib/common-settings.ts";
import { coaUrlOf } from "./links.ts";

/** Ends the name of a store in the data folder, after the path of the store within that folder. */
export const IN_DATA_FOLDER = " in the data folder";

/** The part of a configuration that must be the same for all nodes and commands. */
export function commonSettingsOf(config: Config): CommonSettings {
	const { timeZone, coa, carriers, labelPlatform, shipstationUrl, webhookAllow, customerDataDays } = config;
	return {
		HOLDFAST_TIME_ZONE: timeZone,
		HOLDFAST_COA_URL: coaUrlOf(config),
		HOLDFAST_COA_STORE: storeOf(config),
		HOLDFAST_COA_REQUIRED: String(coa.required),
		HOLDFAST_CARRIERS: JSON.stringify(carriers, Object.keys(carriers).toSorted()),
		HOLDFAST_LABEL_PLATFORM: labelPlatform,
		HOLDFAST_SHIPSTATION_URL: shipstationUrl,
		HOLDFAST_WEBHOOK_ALLOW: webhookAllow.toSorted().join(",") || NOTHING_ALLOWED,
		HOLDFAST_CUSTOMER_DATA_DAYS: String(customerDataDays),
	};
}

/**
 * With an embedded database, a store inside the data folder is given relative to it, so that a different path to the
 * data folder does not count as a different store.
 */
function storeOf({ coa: { store }, databaseUrl, dataDir }: Config): string {
	if (store.kind !== "folder" || databaseUrl !== null) return storeName(store);
	const inside = relative(dataDir, store.path);
	return inside.startsWith("..") || isAbsolute(inside) ? store.path : `${inside || "."}${IN_DATA_FOLDER}`;
}
