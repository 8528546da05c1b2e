import type { Config } from "../config.ts";
import type { HttpServer } from "../http/mount.ts";
import { enqueue } from "../jobs/enqueue.ts";
import { type Job, newJob } from "../jobs/job.ts";
import { assert } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import type { Database } from "../pg/connect.ts";
import { BUILT_IN_PLATFORM } from "../shipping/built-in-platform.ts";
import { SWEEP_BOXES, THE_SWEEP } from "../shipping/job-names.ts";
import { LABEL_JOBS } from "../shipping/jobs.ts";
import type { OrdersSide } from "../shipping/orders-side.ts";
import type { LabelDeps } from "../shipping/push-order.ts";
import { createReceiveHook } from "../shipping/receive-hook.ts";
import { createShipStationClient } from "../shipping/shipstation/client.ts";
import { createShipStation } from "../shipping/shipstation/shipstation-platform.ts";

/** Where ShipStation sends notifications to, but for the secret. */
const HOOK_PATH = "/hooks/shipstation";

/** The label platform of this deployment, and what the service does for it. */
export interface Labels {
	readonly deps: LabelDeps;
	/** The work with it; with the built-in queue there is none. */
	readonly jobs: readonly Job<LabelDeps>[];
	/** Opens the address for its notifications, where there is to be one. */
	mount(api: HttpServer): void;
	/** Sees to it that the changes are read from now on. */
	begin(): Promise<void>;
	close(): Promise<void>;
}

type LabelConfig = Pick<Config, "labelPlatform" | "shipstationApiKey" | "shipstationUrl" | "shipstationHookSecret">;

/** `db`: of the jobs. */
export function openLabels(config: LabelConfig, common: { db: Database; log: Log; orders: OrdersSide }): Labels {
	if (config.labelPlatform === "built-in") {
		const nothing = (): Promise<void> => Promise.resolve();
		const deps = { ...common, platform: BUILT_IN_PLATFORM };
		return { deps, jobs: [], mount: () => undefined, begin: nothing, close: nothing };
	}
	const { shipstationApiKey: apiKey, shipstationUrl: url, shipstationHookSecret: secret } = config;
	assert(apiKey !== null, "the configuration has a key for ShipStation");
	const client = createShipStationClient({ url, apiKey });
	const { db } = common;
	return {
		deps: { ...common, platform: createShipStation(client) },
		jobs: LABEL_JOBS,
		mount(api) {
			if (secret === null) return;
			api.hook("shipstationHook", HOOK_PATH, createReceiveHook(db, { secret, platformUrl: url }));
		},
		begin: () => enqueue(db, [newJob(SWEEP_BOXES, THE_SWEEP)], { keepTime: true }),
		close: () => client.close(),
	};
}
