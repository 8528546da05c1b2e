import { type Operation, operation } from "../http/operation.ts";
import {
	CHANGED_EXAMPLE,
	CONFLICT_EXAMPLE,
	EDIT_HEADERS,
	RETRY_EXAMPLE,
	WRITE_HEADERS,
	WRITE_REPLY_HEADERS,
} from "./headers.ts";
import { LEAST_ROLE } from "./role.ts";

/** An operation as its room declares it: its scope is its lowest role. */
type Declared = Omit<Operation, "errors" | "scope"> & { readonly id: keyof typeof LEAST_ROLE };

/** Declares an operation of the operator's API; its types are not widened. */
export const adminOperation = <const Op extends Declared>(op: Op) => operation({ ...op, scope: LEAST_ROLE[op.id] });

export const WRITE_ERRORS = { idempotency_conflict: CONFLICT_EXAMPLE, retry: RETRY_EXAMPLE };

/**
 * Declares a write under an Idempotency-Key. Its errors come after those that the room declares; an error that the room
 * declares as well keeps the room's place, because the OpenAPI document lists errors in this order.
 */
export const adminWrite = <const Op extends Declared>(op: Op) =>
	adminOperation({
		...op,
		headers: WRITE_HEADERS,
		replyHeaders: WRITE_REPLY_HEADERS,
		examples: { ...op.examples, errors: { ...op.examples.errors, ...WRITE_ERRORS } },
	});

/** Declares a write that may also depend on `If-Match`: the object's GET answers with an ETag. */
export const adminEdit = <const Op extends Declared>(op: Op) =>
	adminOperation({
		...op,
		headers: EDIT_HEADERS,
		replyHeaders: WRITE_REPLY_HEADERS,
		examples: {
			...op.examples,
			errors: { ...op.examples.errors, ...WRITE_ERRORS, changed_meanwhile: CHANGED_EXAMPLE },
		},
	});
