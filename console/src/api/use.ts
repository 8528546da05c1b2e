import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Asked, type CallError, call, type DataOf, type OperationId } from "./call.ts";
import { useWriteKeys } from "./same-write.ts";

/**
 * Reads an operation and keeps the result until something changes. `everyMs`: reads it again at that interval, because
 * the live stream does not report its changes.
 */
export function useRead<Id extends OperationId>(
	id: Id,
	asked: Asked<Id> = {},
	everyMs: number | false = false,
): UseQueryResult<DataOf<Id>, CallError> {
	return useQuery<DataOf<Id>, CallError>({
		queryKey: [id, asked.params ?? {}, asked.query ?? {}],
		queryFn: ({ signal }) => call(id, { ...asked, signal }),
		placeholderData: keepPreviousData as never,
		refetchInterval: everyMs,
	});
}

export interface Writing<Id extends OperationId> {
	/** Carries the write out; the result is also `done`, or a refusal is `error`. */
	readonly run: (asked: Asked<Id>) => Promise<DataOf<Id> | null>;
	readonly isBusy: boolean;
	readonly done: DataOf<Id> | undefined;
	readonly error: CallError | null;
	readonly reset: () => void;
}

/** A write. When it is done, everything that is shown is read again. */
export function useWrite<Id extends OperationId>(id: Id): Writing<Id> {
	const client = useQueryClient();
	const { keyOf, note } = useWriteKeys();
	const { mutateAsync, isPending, data, error, reset } = useMutation<DataOf<Id>, CallError, Asked<Id>>({
		mutationFn: async (asked) => {
			try {
				const data = await call(id, { ...asked, key: asked.key ?? keyOf(asked) });
				note(null);
				return data;
			} catch (caught) {
				note(caught);
				throw caught;
			}
		},
		onSuccess: () => client.invalidateQueries(),
	});
	return {
		run: (asked) => mutateAsync(asked).catch(() => null),
		isBusy: isPending,
		done: data,
		error,
		reset,
	};
}
