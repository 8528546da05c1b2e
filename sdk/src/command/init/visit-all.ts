import type { Holdfast } from "../../client/holdfast.ts";
import { OPERATIONS, type OperationName } from "../../client/operations.ts";
import { isHere } from "../settings.ts";
import type { Tour } from "./tour.ts";
import { visitCertificates, visitCounts } from "./visit-counts.ts";
import { visitHolds } from "./visit-holds.ts";
import { visitOrders } from "./visit-orders.ts";
import { visitGoLive, visitKey, visitSandbox } from "./visit-sandbox.ts";
import { visitWebhooks } from "./visit-webhooks.ts";

const OPERATION_NAMES = OPERATIONS.map(({ name }) => name as OperationName);
/** Every operation of the SDK, in the order in which a partner uses them. */
export async function visitAll(
	tour: Tour,
	holdfast: Holdfast,
	{ url, coaUrl, token }: { readonly url: string; readonly coaUrl: string | undefined; readonly token: string },
): Promise<void> {
	await visitCounts(tour, holdfast);
	await visitCertificates(tour, holdfast, coaUrl !== undefined);
	await visitKey(tour, holdfast, token);
	const run = await visitGoLive(tour, holdfast);
	tour.skip(
		'Not tried: it refuses the key for ten minutes, as if it were revoked. "holdfast-partner golive --drill" does it, when your site is ready.',
		"sandbox.drill",
	);
	if (run?.state === "running") {
		const why = "Not tried: a go-live run is grading what this key sends.";
		const visited = new Set<string>(tour.stops.map(({ operation }) => operation));
		tour.skip(why, ...OPERATION_NAMES.filter((name) => !visited.has(name)));
	} else {
		await visitHolds(tour, holdfast);
		await visitOrders(tour, holdfast);
		await visitSandbox(tour, holdfast);
		await visitWebhooks(tour, holdfast, isHere(url));
	}
}
