import type { Config } from "../config.ts";
import { enqueue } from "../ground/jobs/enqueue.ts";
import { type Job, newJob } from "../ground/jobs/job.ts";
import { assert } from "../ground/lib/assert.ts";
import type { Database } from "../ground/pg/connect.ts";
import type { CatalogCache } from "../inventory/catalog/cache.ts";
import { type LabelGate, openLabelGate } from "../inventory/orders/label-gate.ts";
import { type ApplyDeps, applyChange } from "../inventory/shipping/apply-change.ts";
import { BUILT_IN_PLATFORM } from "../inventory/shipping/built-in-platform.ts";
import { createLabelGate } from "../inventory/shipping/create-label-gate.ts";
import { SWEEP_BOXES, THE_SWEEP } from "../inventory/shipping/job-names.ts";
import { LABEL_JOBS } from "../inventory/shipping/jobs.ts";
import type { OrdersSide } from "../inventory/shipping/orders-side.ts";
import type { LabelDeps } from "../inventory/shipping/push-order.ts";
import { readLabelBox, wishOfOrder } from "../inventory/shipping/read-label-box.ts";
import { createReceiveHook } from "../inventory/shipping/receive-hook.ts";
import { limitsOf } from "../inventory/shipping/shipstation/budget.ts";
import { createShipStationClient, type ShipStationClient } from "../inventory/shipping/shipstation/client.ts";
import { createShipStation } from "../inventory/shipping/shipstation/shipstation-platform.ts";
import type { HttpServer } from "../partners/http/mount.ts";

/** The address for notifications from ShipStation, without the secret. */
const HOOK_PATH = "/hooks/shipstation";

/** The label platform of this deployment, and the service's work with it. */
export interface Labels {
	readonly deps: LabelDeps;
	/** The jobs for the platform; none with the built-in queue. */
	readonly jobs: readonly Job<LabelDeps>[];
	/** Asked before orders are cancelled or combined. */
	readonly gate: LabelGate;
	/** Opens the address for its notifications, if a secret for it is configured. */
	mount(api: HttpServer): void;
	/** Starts following changes at the platform. */
	begin(): Promise<void>;
	close(): Promise<void>;
}

/** A label platform that can be asked but has no jobs. */
export interface AskedPlatform {
	readonly gate: LabelGate;
	close(): Promise<void>;
}

type LabelConfig = Pick<
	Config,
	"labelPlatform" | "shipstationApiKey" | "shipstationUrl" | "shipstationRequests" | "shipstationHookSecret"
>;

/** Whether orders are pushed to a label platform. If so, the engine queues the work for it. */
export const handsOver = ({ labelPlatform }: Pick<Config, "labelPlatform">): boolean => labelPlatform !== "built-in";

/** For a command beside the service: such a command asks the platform, but runs no jobs. */
export function openAskedPlatform(config: LabelConfig, db: Database): AskedPlatform {
	if (!handsOver(config)) return { gate: openLabelGate, close: () => Promise.resolve() };
	const client = clientOf(config);
	return { gate: createLabelGate({ db, platform: createShipStation(client) }), close: () => client.close() };
}

function clientOf({
	shipstationApiKey: apiKey,
	shipstationUrl: url,
	shipstationRequests: requests,
}: LabelConfig): ShipStationClient {
	assert(apiKey !== null, "the configuration has a key for ShipStation");
	return createShipStationClient({ url, apiKey, limits: limitsOf(requests) });
}

/**
 * The orders' side of the label platform: applies the platform's changes to orders, and reads the boxes and orders
 * that its jobs work on. `db` must not be the jobs' connections, because jobs call this while they hold one of those.
 */
export function ordersSide(deps: ApplyDeps & { readonly catalog: CatalogCache }): OrdersSide {
	return {
		readBox: (orderId) => readLabelBox(deps.db, deps.catalog, orderId),
		wishOf: (orderId) => wishOfOrder(deps.db, orderId),
		applyChange: (change) => applyChange(deps, change),
	};
}

/** `db`: the jobs' connections. */
export function openLabels(config: LabelConfig, common: Omit<LabelDeps, "platform">): Labels {
	if (!handsOver(config)) {
		const nothing = (): Promise<void> => Promise.resolve();
		const deps = { ...common, platform: BUILT_IN_PLATFORM };
		return { deps, jobs: [], gate: openLabelGate, mount: () => undefined, begin: nothing, close: nothing };
	}
	const { shipstationUrl: url, shipstationHookSecret: secret } = config;
	const client = clientOf(config);
	const { db } = common;
	const platform = createShipStation(client);
	return {
		deps: { ...common, platform },
		jobs: LABEL_JOBS,
		gate: createLabelGate({ db, platform }),
		mount(api) {
			if (secret === null) return;
			api.hook("shipstationHook", HOOK_PATH, createReceiveHook(db, { secret, platformUrl: url }));
		},
		begin: () => enqueue(db, [newJob(SWEEP_BOXES, THE_SWEEP)], { keepTime: true }),
		close: () => client.close(),
	};
}
