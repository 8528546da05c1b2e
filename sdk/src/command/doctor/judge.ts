import type { ApiVersion, Introspection, WebhookDelivery, WebhookEndpoint } from "../../client/types.ts";
import { instant, plural } from "../terminal.ts";
import { type Answer, problemWith } from "../webhooks/delivery.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const MS_PER_DAY = 86_400_000;
/** Milliseconds by which a clock may be wrong: the header Date has whole seconds, and a request takes its time. */
const CLOCK_MS = 10_000;
/** Milliseconds from which on every event is refused as too old, or too new (contract, events). */
const EVENTS_REFUSED_MS = 300_000;
/** Days before the end of a key or an API date from which the doctor warns of it. */
const SOON_DAYS = 14;

/** `aheadMs`: by how much this machine's clock is ahead of the service's; null: the service did not say its time. */
export function judgeClock(aheadMs: number | null): Finding {
	const cure = "Set this machine's clock from the network (NTP).";
	if (aheadMs === null) {
		const proxy = "A proxy in between seems to remove it: look at its configuration.";
		return warn("clock", "The replies of the service have no Date.", proxy);
	}
	const seconds = Math.round(Math.abs(aheadMs) / 1_000);
	const says = `This machine's clock is ${plural(seconds, "second")} ${aheadMs < 0 ? "behind" : "ahead of"} the service's`;
	if (Math.abs(aheadMs) <= CLOCK_MS) return ok("clock", "This machine's clock agrees with the service's.");
	if (Math.abs(aheadMs) < EVENTS_REFUSED_MS) return warn("clock", `${says}.`, cure);
	return fail("clock", `${says}: every event would be refused as too old or too new.`, cure);
}

/** `date`: the API date that the SDK was made for. */
export function judgeVersions(versions: readonly ApiVersion[], date: string, now: number): Finding {
	const own = versions.find(({ version }) => version === date);
	const accepted = versions.map(({ version }) => version).join(", ");
	if (own === undefined) {
		return fail(
			"versions",
			`This SDK speaks the API date ${date}; the service accepts ${accepted}.`,
			"Install the version of the SDK that belongs to the service.",
		);
	}
	if (own.status === "current") return ok("versions", `This SDK speaks the current API date, ${date}.`);
	const newer = `the API date ${date}, which is ${own.status}; the service accepts ${accepted}`;
	const sunset = own.sunsetOn === null ? null : Date.parse(own.sunsetOn);
	if (sunset === null) return ok("versions", `This SDK speaks ${newer}.`);
	const days = Math.ceil((sunset - now) / MS_PER_DAY);
	return warn(
		"versions",
		`This SDK speaks ${newer}, and this date for ${plural(Math.max(0, days), "more day", "more days")}.`,
		"Install a newer version of the SDK.",
	);
}

/** Findings about when the key and its secrets end; empty: nothing to warn about. */
export function judgeEnds(key: Introspection, now: number): Finding[] {
	if (!key.active) return [];
	const ends = [
		["The key", key.expiresAt],
		["The secret in the token", key.secretExpiresAt],
	] as const;
	return ends.flatMap(([what, end]) => {
		if (end === null || end.getTime() - now > SOON_DAYS * MS_PER_DAY) return [];
		return [
			warn("key", `${what} ends at ${instant(end)}.`, "Ask the operator for a new one, and put it in place before."),
		];
	});
}

/**
 * Judges an endpoint by the deliveries that the service is trying again or gave up, and by its answer to an event with
 * a bad signature.
 */
export function judgeEndpoint(
	{ url, status, inactiveReason, endpointId }: WebhookEndpoint,
	pending: readonly WebhookDelivery[],
	exhausted: readonly WebhookDelivery[],
	answer: Omit<Answer, "excerpt"> | null,
): Finding {
	if (status !== "active") {
		const cure = `Set its status to active: holdfast.webhookEndpoints.update("${endpointId}", { status: "active" }), then recover(…).`;
		return fail("webhooks", `${url} is inactive (${inactiveReason}): nothing is sent to it.`, cure);
	}
	const failing = pending.find(({ attempts }) => attempts.length > 0)?.attempts.at(-1);
	if (failing !== undefined) {
		const what = failing.status === null ? failing.error : `it answered ${failing.status}`;
		return fail(
			"webhooks",
			`${url}: the service's last attempt failed: ${what}.`,
			"Let it answer 2xx within 15 seconds, from the internet.",
		);
	}
	if (answer !== null && answer.status === null) {
		return warn(
			"webhooks",
			`${url} cannot be reached from this machine: ${answer.error}`,
			"Check whether the service reaches it: webhookEndpoints.test(…), then deliveries(…).",
		);
	}
	const problem = answer === null ? null : problemWith("bad_signature", answer);
	if (problem !== null)
		return fail("webhooks", `${url}: ${problem}`, "Verify each event before anything is done with it.");
	if (exhausted.length > 0) {
		const says = `${url}: ${plural(exhausted.length, "delivery was", "deliveries were")} given up after ten attempts.`;
		return warn("webhooks", says, `holdfast.webhookEndpoints.recover("${endpointId}", { since }) sends them again.`);
	}
	return ok("webhooks", `${url} is active, and refuses an event with a bad signature.`);
}
