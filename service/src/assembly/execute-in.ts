import type { Config } from "../config.ts";
import { type CatalogCache, createCatalogCache } from "../inventory/catalog/cache.ts";
import type { CoaLinks } from "../inventory/certificates/record.ts";
import type { DrawIn } from "../inventory/demand/draw-units.ts";
import type { Links } from "../inventory/orders/order-book.ts";
import type { OpenSandbox } from "../partners/keys/mint-key.ts";
import { openSandboxIn } from "../upkeep/sandbox/open-sandbox.ts";
import type { SandboxSettings } from "../upkeep/sandbox/restock-sandbox.ts";
import { type ExecutesStockIn, executeStockIn } from "./engine.ts";
import { handsOver } from "./labels.ts";

/** The settings of engine commands that run inside the transaction of other work. */
interface EngineSettings {
	readonly config: Pick<Config, "timeZone" | "coa" | "labelPlatform">;
	readonly links: Links & CoaLinks;
	readonly catalog: CatalogCache;
}

/** Runs commands of the engine inside a transaction. */
export const executeInOf = ({ config, links, catalog }: EngineSettings): ExecutesStockIn =>
	executeStockIn({
		catalog,
		timeZone: config.timeZone,
		links,
		certificatesRequired: config.coa.required,
		handsOver: handsOver(config),
	});

/** The same with its own catalogue each time, because it reads uncommitted changes. */
const executeUncommittedIn =
	({ config: { timeZone }, links }: Pick<EngineSettings, "config" | "links">): ExecutesStockIn =>
	(tx, commands, more, numbered) =>
		executeStockIn({ catalog: createCatalogCache(), timeZone, links })(tx, commands, more, numbered);

/** For the restock of the sandbox. */
export const sandboxOf = (means: Pick<EngineSettings, "config" | "links">): SandboxSettings => ({
	timeZone: means.config.timeZone,
	executeIn: executeUncommittedIn(means),
});

/** For units that leave with reported orders. */
export const drawInOf = (means: Pick<EngineSettings, "config" | "links">): DrawIn => executeUncommittedIn(means);

/** Opens the sandbox of a partner, which is stocked as the restock does. */
export const openSandboxOf = (means: Pick<EngineSettings, "config" | "links">): OpenSandbox => {
	const settings = sandboxOf(means);
	return (tx, partner, numbered) => openSandboxIn(tx, settings, partner, numbered);
};
