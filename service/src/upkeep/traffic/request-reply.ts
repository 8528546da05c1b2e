import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { LoggedRequest } from "./list-sql.ts";

/** The fields of a request that partners and operators read. */
export const requestFields = (request: LoggedRequest) => ({
	at: toRfc3339(request.at),
	request_id: request.request_id,
	operation: request.operation,
	method: request.method,
	url: request.url,
	status: request.status,
	code: request.code,
	message: request.message,
	ms: request.ms,
	bytes_in: request.bytes_in,
	bytes_out: request.bytes_out,
	date_sent: request.date_sent,
	date_used: request.date_used,
	user_agent: request.user_agent,
	about: [...request.about],
	idempotency_key: request.idempotency_key,
});

/** A request in an operator's list. */
export const loggedReply = (request: LoggedRequest) => ({
	...requestFields(request),
	environment: request.sandbox ? ("sandbox" as const) : ("live" as const),
	key: request.pk,
	key_name: request.key_name,
	partner: request.partner,
	auth_failure: request.auth_failure,
	address: request.address,
});
