import { type QueryClient, useQueries } from "@tanstack/react-query";
import { call, type DataOf } from "../api/call.ts";

export type PackedOrder = DataOf<"get_order">;

const read = (id: string) => ({
	// the same as that of useRead: one answer serves both
	queryKey: ["get_order", { id }, {}],
	queryFn: ({ signal }: { signal: AbortSignal }) => call("get_order", { params: { id }, signal }),
});

/** Several orders, as far as they have been read. */
export const useOrders = (ids: readonly string[]): readonly PackedOrder[] =>
	useQueries({ queries: ids.map(read) }).flatMap(({ data }) => (data === undefined ? [] : [data]));

/** The same, each as it was read last. @throws CallError */
export const ordersOf = async (client: QueryClient, ids: readonly string[]): Promise<readonly PackedOrder[]> =>
	await Promise.all(ids.map((id) => client.ensureQueryData(read(id))));
