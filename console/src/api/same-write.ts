import { useRef } from "react";
import { CallError } from "./call.ts";

/** What makes two writes of an operation the same. */
interface Sent {
	readonly params?: unknown;
	readonly query?: unknown;
	readonly body?: unknown;
	readonly files?: readonly File[];
}

/** The Idempotency-Keys of the writes of one form. */
export interface WriteKeys {
	/** The key under which this is to be sent. */
	readonly keyOf: (sent: Sent) => string;
	/** Called when it was answered, or failed with `error`. */
	readonly note: (error: unknown) => void;
}

/**
 * Sends a write again under the same Idempotency-Key while it is not known whether it was carried out, because its
 * reply was lost or the service failed: whoever sends the same again means the same write, not a second one.
 */
export function useWriteKeys(): WriteKeys {
	const open = useRef<{ readonly text: string; readonly key: string } | null>(null);
	return {
		keyOf(sent) {
			const text = textOf(sent);
			if (open.current?.text !== text) open.current = { text, key: crypto.randomUUID() };
			return open.current.key;
		},
		note(error) {
			if (!isUnknown(error)) open.current = null;
		},
	};
}

const isUnknown = (error: unknown): boolean =>
	error instanceof CallError && (error.code === "no_reply" || error.status >= 500);

const textOf = ({ params, query, body, files = [] }: Sent): string =>
	JSON.stringify([params, query, body, files.map(({ name, size, lastModified }) => [name, size, lastModified])]);
