import type { GoLive, GoLiveCheck, StartedDrill } from "../../client/types.ts";
import { instant } from "../terminal.ts";

/** What this command can do about a check, in addition to what the run says. */
const BY_COMMAND: Readonly<Record<string, string>> = {
	rate: '"holdfast-partner requests tail" shows what your site sends.',
	mirror_equal: '"holdfast-partner mirror check URL" compares your status address now.',
	coa_shown: '"holdfast-partner mirror check URL" compares the certificates that your status address links to.',
	webhooks:
		'"holdfast-partner golive --messages" has the messages sent; "holdfast-partner webhooks send" tests your receiver beforehand.',
	errors: '"holdfast-partner requests tail" shows each refusal, and what your site sent next.',
	drill: '"holdfast-partner golive --drill" starts it.',
	unkind: '"holdfast-partner golive --unkind" starts it.',
};

/** The verdict on a check, in one word. */
export const wordOf = ({ verdict, waiver }: GoLiveCheck): string => (waiver === null ? verdict : "waived");

const isPassed = (check: GoLiveCheck): boolean => ["passed", "warning", "waived"].includes(wordOf(check));

/** What to do next about a check; empty: nothing, it is passed. */
export function nextFor(check: GoLiveCheck): string[] {
	if (isPassed(check)) return check.verdict === "warning" && check.cure !== null ? [check.cure] : [];
	const own = BY_COMMAND[check.check];
	return [...(check.cure === null ? [] : [check.cure]), ...(own === undefined ? [] : [own])];
}

/** What is under way. */
export function underWay(run: StartedDrill): string[] {
	return [
		...(run.drillUntil === null
			? []
			: [`A drill is under way until ${instant(run.drillUntil)}: the key is refused with 401 until then.`]),
		...(run.unkindUntil === null ? [] : [`The sandbox is unkind to the key until ${instant(run.unkindUntil)}.`]),
		...(run.messagesPending ? ["Messages to your endpoint are being sent: read the run again in a minute."] : []),
		...(run.retirementPending ? ["A certificate is going to be retired."] : []),
	];
}

/** When the run looks at the site next. */
export function nextLook({ nextLookAt, statusUrl }: StartedDrill): string[] {
	return nextLookAt === null ? [] : [`The next look at ${statusUrl} is due at ${instant(nextLookAt)}.`];
}

/** A run for a terminal. `key`: the public half. */
export function describeRun(run: GoLive, key: string): string {
	const verdicts = run.checks.map((check) => {
		const optional = check.optional ? " (optional)" : "";
		const indent = " ".repeat(9);
		return [
			`${wordOf(check).padEnd(8)} ${check.check}${optional}: ${check.says}`,
			...(check.waiver === null ? [] : [`${indent}Waived: ${check.waiver.reason}`]),
			...nextFor(check).map((line) => `${indent}To do: ${line}`),
		].join("\n");
	});
	return [
		`Go-live ${run.number} of ${key}: ${run.state}, ${run.line}`,
		...underWay(run),
		...nextLook(run),
		"",
		...verdicts,
		"",
		conclusion(run),
	].join("\n");
}

function conclusion({ state, passed, missing }: GoLive): string {
	if (state === "finished") return "The run is finished: the operator has issued your production key.";
	if (state !== "running") return "The run was stopped: ask the operator to start another one.";
	if (passed) return "Every required check is passed: ask the operator to finish the run.";
	return `Not passed yet: ${missing.join(", ")}.`;
}

/** What a site must do during a drill, the messages or an unkind hour that was started. */
export const STARTED = {
	drill: [
		"From now on the key is refused with 401 for ten minutes, as if it were revoked. Within a minute your site must show no number",
		"for any SKU, never 0, and no certificate, and must alert a person. It must keep trying, at most once in 15 s. Within six minutes",
		"after the end it must show everything again. Until then the run cannot be read with this key.",
	].join("\n"),
	messages: [
		"Your endpoint is sent a bad signature and a message that is six minutes old, which it must answer 4xx, but not 410; and one with",
		"two signatures, one with nothing wrong, and half a minute later that one again, which it must answer 2xx. Nothing may be done twice.",
	].join("\n"),
	unkind: [
		"For an hour one request in twenty is answered retry, 429, or with a field that no document names; one event is sent twice and one",
		"late. Let your site run as usual, with at least two orders and as many reserves as you can.",
	].join("\n"),
} as const;
