import { readPage, takePage, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Caller } from "../http/caller.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import { type DeliveryStatus, deliveryReply } from "./delivery.ts";
import { selectDeliveries } from "./delivery-sql.ts";
import { selectEndpoint } from "./endpoint-sql.ts";
import type { AskedPage, HookPageDeps } from "./list-endpoints.ts";

interface AskedDeliveries extends AskedPage {
	readonly status?: DeliveryStatus;
}

type DeliveryPage = ReturnType<typeof writePage<unknown, ReturnType<typeof deliveryReply>>>;

/** The deliveries of one of the caller's endpoints, in the order they were added; a recovered one is listed again. */
export const listDeliveries = (
	{ readDb, pages, cursors }: HookPageDeps,
	caller: Caller,
	endpointId: string,
	asked: AskedDeliveries,
): Promise<DeliveryPage | Refusal<"invalid_input" | "not_found" | "rate_limited">> =>
	pages.take(caller.keyId, () =>
		patiently(async () => {
			const page = readPage(cursors, asked, [caller.keyId, "deliveries", endpointId, asked.status]);
			if (isRefusal(page)) return page as Refusal<"invalid_input">;
			if ((await selectEndpoint(readDb, caller, endpointId)) === null) return NO_ENDPOINT;
			const { rows, asOfMs } = await selectDeliveries(readDb, page, [endpointId, asked.status ?? null]);
			const listed = takePage(page, rows, ([listedSeq]) => listedSeq);
			return writePage(
				page,
				listed,
				([, deliveryId, eventId, type, status, attempts, nextAttemptAt]) =>
					deliveryReply({ deliveryId, eventId, type, status, attempts, nextAttemptAt }),
				asOfMs,
			);
		}),
	);
