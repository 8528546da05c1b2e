import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { LoggedRequest } from "./list-sql.ts";
import { REQUEST_FIELDS, type RequestFields } from "./request-contract.ts";

const NAMES = Object.keys(REQUEST_FIELDS) as readonly (keyof RequestFields)[];

/** The fields of a request that partners and operators read. */
export const requestFields = (request: LoggedRequest): RequestFields =>
	({
		...Object.fromEntries(NAMES.map((name) => [name, request[name]])),
		at: toRfc3339(request.at),
	}) as RequestFields;

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
