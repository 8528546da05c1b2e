import type { Config } from "../config.ts";
import type { Links } from "../orders/order-book.ts";
import { createTrackingUrls } from "../shipping/carriers.ts";

/**
 * The addresses that replies and events name. `coaUrl`: the public address of the COA surface, without a slash at the end. `carriers`:
 * tracking pages of the deployment, beside those of the usual carriers.
 */
export const createLinks = (coaUrl: () => string, carriers: Config["carriers"]): Links => ({
	verifyUrl: (batchNumber) => `${coaUrl()}/coa/lookup?lot=${encodeURIComponent(batchNumber)}`,
	trackingUrl: createTrackingUrls(carriers).trackingUrl,
});

/** The address of the COA surface, told or as the service binds it by its configuration. */
export const coaUrlOf = ({ coaUrl, host, coaPort }: Config): string =>
	coaUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${coaPort}`;
