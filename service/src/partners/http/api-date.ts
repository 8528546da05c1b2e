import type { TSchema } from "typebox";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { isDay } from "../../ground/lib/instant.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Operation } from "./operation.ts";
import { PAST_DATES } from "./past-dates.ts";

/** How one operation looked on a past date, as the difference from the next newer date. */
export interface Change {
	/** The operation's id. */
	readonly operation: string;
	/** The body, or query, of that date, and its conversion to the newer form: requests are converted up. */
	readonly body?: { readonly schema: TSchema; readonly up: (body: unknown) => unknown };
	readonly query?: { readonly schema: TSchema; readonly up: (query: unknown) => unknown };
	/** Status -> `data` of that date, and its conversion from the newer form: replies are converted down. */
	readonly replies?: {
		readonly [status: number]: { readonly schema: TSchema; readonly down: (data: unknown) => unknown };
	};
}

/** A superseded date. Dates are added and never rewritten. */
export interface PastDate {
	readonly date: string;
	/** The API date that superseded it. */
	readonly supersededOn: string;
	/** The last day of its support, or null if none is set. */
	readonly sunsetOn: string | null;
	readonly changes: readonly Change[];
}

/** A date that the deployment accepts. */
export interface ApiDate {
	readonly date: string;
	/** 0 for the current date; larger is older. */
	readonly age: number;
	readonly status: "current" | "supported" | "deprecated";
	readonly sunsetOn: string | null;
	/** Headers of every reply on this date, X-Partner-Version first: names and values in turn. */
	readonly headers: readonly string[];
	/** The changes from the next newer date to this one. */
	readonly changes: readonly Change[];
}

export interface ApiDates {
	readonly current: ApiDate;
	/** Newest first. */
	readonly accepted: readonly ApiDate[];
	/** The date in force for a value of the header X-Partner-Version (contract, section 9; settlements, section 2). */
	understand(header: string | undefined): ApiDate | Refusal<"invalid_input" | "unsupported_version">;
}

/** The dates of this deployment; tests supply their own past dates. */
export function createApiDates(past: readonly PastDate[] = PAST_DATES): ApiDates {
	const today: string = CURRENT_API_DATE;
	const headers = ["X-Partner-Version", today];
	const current: ApiDate = { date: today, age: 0, status: "current", sunsetOn: null, headers, changes: [] };
	const older = past.toSorted((a, b) => (a.date < b.date ? 1 : -1));
	const accepted = [current, ...older.map((one, index) => toApiDate(one, index + 1))];
	const names = accepted.map(({ date }) => date).join(", ");
	return {
		current,
		accepted,
		understand(header) {
			if (header === undefined || header === today) return current;
			if (!isDay(header)) {
				return refuse("invalid_input", `X-Partner-Version: expected a date as YYYY-MM-DD. Accepted dates: ${names}.`);
			}
			// between two dates, the earlier one applies
			const inForce = header > today ? undefined : accepted.find(({ date }) => date <= header);
			return (
				inForce ?? refuse("unsupported_version", `The API date ${header} is not supported. Accepted dates: ${names}.`)
			);
		},
	};
}

const UNDATED: ApiDate = { date: "", age: 0, status: "current", sunsetOn: null, headers: [], changes: [] };

/** For a surface without dates: every request is accepted, and no reply carries a date. */
export const NO_DATES: ApiDates = { current: UNDATED, accepted: [UNDATED], understand: () => UNDATED };

function toApiDate({ date, supersededOn, sunsetOn, changes }: PastDate, age: number): ApiDate {
	const headers = ["X-Partner-Version", date, "Deprecation", `@${midnight(supersededOn).getTime() / 1000}`];
	if (sunsetOn !== null) headers.push("Sunset", midnight(sunsetOn).toUTCString());
	headers.push("Link", '</docs>; rel="deprecation"; type="text/html", </api/versions>; rel="version-history"');
	return { date, age, status: sunsetOn === null ? "supported" : "deprecated", sunsetOn, headers, changes };
}

const midnight = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

/** An operation on one date. */
export interface Shape {
	readonly body: TSchema | undefined;
	readonly query: TSchema | undefined;
	readonly replies: { readonly [status: number]: TSchema };
	/** Converts a request of this date to the current form. */
	readonly bodyUp: (body: unknown) => unknown;
	readonly queryUp: (query: unknown) => unknown;
	/** Converts a reply of the current form to this date's. */
	readonly down: (status: number, data: unknown) => unknown;
}

/** The operation on every accepted date, newest first: each applies its date's changes to the previous one. */
export function shapesOf(operation: Operation, dates: ApiDates): Shape[] {
	const same = (value: unknown): unknown => value;
	const today: Shape = {
		body: operation.body,
		query: operation.query,
		replies: operation.replies,
		bodyUp: same,
		queryUp: same,
		down: (_status, data) => data,
	};
	const shapes = [today];
	for (const { changes } of dates.accepted.slice(1)) {
		const newer = must(shapes.at(-1), "the newer shape");
		const change = changes.find((one) => one.operation === operation.id);
		shapes.push(change === undefined ? newer : older(newer, change));
	}
	return shapes;
}

function older(newer: Shape, { body, query, replies }: Change): Shape {
	const schemas = Object.entries(replies ?? {}).map(([status, { schema }]) => [status, schema] as const);
	return {
		body: body?.schema ?? newer.body,
		query: query?.schema ?? newer.query,
		replies: { ...newer.replies, ...Object.fromEntries(schemas) },
		bodyUp: body === undefined ? newer.bodyUp : (given) => newer.bodyUp(body.up(given)),
		queryUp: query === undefined ? newer.queryUp : (given) => newer.queryUp(query.up(given)),
		down: (status, data) => {
			const reply = newer.down(status, data);
			const told = replies?.[status];
			return told === undefined ? reply : told.down(reply);
		},
	};
}
