import { command, type Values } from "../command.ts";
import { EXIT, usage } from "../failure.ts";
import { didYouMean } from "../similar.ts";
import { print } from "../terminal.ts";
import { type Answer, type DeliveryKind, deliveryOf, newEventId, post, problemWith } from "./delivery.ts";
import { EVENT_TYPES, type EventType, sampleBody } from "./sample-events.ts";
import { SECRET, secretOf } from "./secret.ts";

const OPTIONS = {
	to: { type: "string", value: "URL", text: "your receiver" },
	...SECRET,
	event: { type: "string", value: "TYPE", text: "order.shipped unless given" },
	"bad-signature": { type: "boolean", text: "signed with another secret: it must be refused" },
	late: { type: "boolean", text: "six minutes old: it must be refused" },
	twice: { type: "boolean", text: "and once more under the same id: both must be accepted, and one handled" },
} as const;

const SENT: Readonly<Record<DeliveryKind, string>> = {
	good: "correctly signed",
	bad_signature: "with a bad signature",
	late: "six minutes old",
	again: "once more, under the same id",
};

export const send = command({
	takes: [],
	about: [
		"Sends your receiver a made-up event, signed with its secret as the service signs, and judges the answer. What the event",
		"is about does not exist. Prints its status and how its body begins; exits 1 if it is not as it should be. Types of events:",
		...EVENT_TYPES.map((type) => `  ${type}`),
	].join("\n"),
	example: "webhooks send --to http://127.0.0.1:3000/hooks --event order.shipped --twice",
	options: OPTIONS,
	async run(values) {
		const { to, json } = values;
		if (to === undefined || !URL.canParse(to) || !/^https?:/.test(to))
			throw usage("--to URL: the address of your receiver.");
		const type = typeOf(values.event ?? "order.shipped");
		const kinds = kindsOf(values);
		const secret = await secretOf(values);
		const id = newEventId();
		const body = sampleBody(type, new Date());
		const sent: (Answer & { readonly kind: DeliveryKind; readonly problem: string | null })[] = [];
		for (const kind of kinds) {
			const answer = await post(to, await deliveryOf(kind, id, body, secret, Date.now()));
			sent.push({ kind, ...answer, problem: problemWith(kind, answer) });
		}
		print({ to, type, id, sent }, json, () =>
			sent
				.map(({ kind, status, ms, problem, excerpt }) => {
					const answered = status === null ? "no answer" : `answered ${status} in ${ms} ms`;
					const line = `${problem === null ? "ok  " : "BAD "} ${type} ${id}, ${SENT[kind]}: ${answered}. ${problem ?? ""}`;
					return (
						line.trimEnd() + (excerpt === "" ? "" : `\n     It answered: ${excerpt.replaceAll(/\s+/g, " ").trim()}`)
					);
				})
				.concat(
					kinds.includes("again")
						? ["Make sure that it was handled only once: once(store) of the SDK remembers ids."]
						: [],
				)
				.join("\n"),
		);
		return sent.every(({ problem }) => problem === null) ? EXIT.ok : EXIT.different;
	},
});

function typeOf(text: string): EventType {
	const type = EVENT_TYPES.find((one) => one === text);
	if (type !== undefined) return type;
	throw usage(`There is no event "${text}".${didYouMean(text, EVENT_TYPES)} Events: ${EVENT_TYPES.join(", ")}.`);
}

function kindsOf(values: Values<typeof OPTIONS>): DeliveryKind[] {
	const asked = (["bad-signature", "late", "twice"] as const).filter((name) => values[name] === true);
	if (asked.length > 1) throw usage("Give one of --bad-signature, --late and --twice.");
	const [one] = asked;
	if (one === "twice") return ["good", "again"];
	return [one === undefined ? "good" : one === "late" ? "late" : "bad_signature"];
}
