import type { Refusal } from "../../ground/lib/refusal.ts";
import {
	UNKIND_FIELD,
	UNKIND_LIMIT,
	UNKIND_RETRY,
	UNKIND_VALUE,
	type UnkindKind,
	unkindKindOf,
} from "../../ground/lib/unkind.ts";
import type { Standing } from "./caller.ts";
import type { Operation } from "./operation.ts";

/** A request whose caller is known, and its operation, as far as an unkind hour needs them. */
type Asked = { readonly requestId: string; readonly standing: Pick<Standing<unknown>, "isUnkind"> | null };
type AskedFor = Pick<Operation, "alwaysKind" | "errors">;

/** The fault with which a request is answered at this moment; null: none. */
const kindNow = ({ requestId, standing }: Asked, { alwaysKind }: AskedFor): UnkindKind | null =>
	standing?.isUnkind?.() === true && !alwaysKind ? unkindKindOf(requestId) : null;

/**
 * The refusal of an unkind hour, in place of the operation; null: there is none. An operation that does not declare
 * `retry` is refused with 429, as when it waits for a lock.
 */
export function unkindRefusal(asked: Asked, operation: AskedFor): Refusal<"retry" | "rate_limited"> | null {
	const kind = kindNow(asked, operation);
	if (kind === null || kind === "new_field") return null;
	return kind === "retry" && operation.errors.includes("retry") ? UNKIND_RETRY : UNKIND_LIMIT;
}

/** The data of a reply, with one more field where the unkind hour adds one. Only an object can have it. */
export function unkindData(asked: Asked, operation: AskedFor, data: unknown): unknown {
	const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
	return isObject && kindNow(asked, operation) === "new_field" ? { ...data, [UNKIND_FIELD]: UNKIND_VALUE } : data;
}
