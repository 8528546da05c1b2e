import type { Config } from "../config.ts";
import type { CoaLinks } from "../inventory/certificates/record.ts";
import type { Links } from "../inventory/orders/order-book.ts";
import { createTrackingUrls } from "../inventory/shipping/carriers.ts";

/** The addresses in replies and events. `coaUrl`: the public address of the COA surface, without a trailing slash. */
export function createLinks(coaUrl: () => string, { carriers }: Pick<Config, "carriers">): Links & CoaLinks {
	const { trackingUrl } = createTrackingUrls(carriers);
	return {
		verifyUrl: (batchNumber) => `${coaUrl()}/coa/lookup?lot=${encodeURIComponent(batchNumber)}`,
		fileUrl: (certificateId, digest) => `${coaUrl()}/coa/file/${certificateId}/${digest}`,
		trackingUrl,
	};
}

/** The address of the COA surface: the configured one, or the one the service will bind. */
export const coaUrlOf = ({ coaUrl, host, coaPort }: Config): string =>
	coaUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${coaPort}`;
