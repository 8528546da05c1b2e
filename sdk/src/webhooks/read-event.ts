import { WebhookError } from "./error.ts";
import type { WebhookEvent } from "./event.ts";

const TIME_NAME = /^timestamp$|_at$/;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** The event in a verified body. Names become camelCase and times `Date`, also in events of later types. */
export function readEvent(id: string, body: string): WebhookEvent {
	let value: unknown;
	try {
		value = JSON.parse(body);
	} catch {
		// `event` stays undefined, and is refused below
	}
	if (typeof (value as { type?: unknown } | null | undefined)?.type !== "string") {
		throw new WebhookError("body_invalid", "The body is signed but is not an event.");
	}
	return { ...(camelCased(value) as Omit<WebhookEvent, "id">), id } as WebhookEvent;
}

function camelCased(value: unknown, name = ""): unknown {
	if (Array.isArray(value)) return value.map((one) => camelCased(one));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [camelCase(name), camelCased(one, name)]));
	}
	return typeof value === "string" && TIME_NAME.test(name) && TIME.test(value) ? new Date(value) : value;
}

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
