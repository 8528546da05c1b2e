import { describe, expect, it } from "vitest";
import type { Wrong } from "./findings.ts";
import { WebhookStory } from "./webhook-story.ts";

interface Told {
	readonly title: string;
	readonly story: () => WebhookStory;
	readonly wrongs: readonly Wrong[];
}

/** An event of Acme that came and was accepted. */
const arrived = (): WebhookStory => new WebhookStory().event("e").delivery("e").post(100, "e");
/** The only endpoint of Acme answered 410, and is seen to be inactive at 1,000. */
const gone = (): WebhookStory =>
	new WebhookStory()
		.event("e")
		.delivery("e", { status: "dropped", failures: 1 })
		.post(100, "e", { answer: 410 })
		.ends(1_000)
		.inactive("a", "gone");
const KILLED = { fault: "service-kill", touched: "all" } as const;

const HONEST: readonly Told[] = [
	{ title: "an event that came once", story: arrived, wrongs: [] },
	{
		title: "an event that came after failures of every kind",
		story: () =>
			new WebhookStory()
				.event("e")
				.delivery("e", { failures: 4 })
				.post(100, "e", { answer: 500 })
				.post(6_000, "e", { answer: 429, retryAfter: 7 })
				.post(14_000, "e", { answer: "hang" })
				.post(34_000, "e", { answer: "reset" })
				.post(40_000, "e"),
		wrongs: [],
	},
	{
		title: "an event that comes again because its sender was killed",
		story: () =>
			arrived()
				.fault({ ...KILLED, began: 150, ended: 900 })
				.post(31_000, "e"),
		wrongs: [],
	},
	{
		title: "an event that waits for its next attempt",
		story: () =>
			new WebhookStory()
				.event("e")
				.delivery("e", { status: "pending", failures: 1, dueForMs: -5_000 })
				.post(100, "e", { answer: 500 }),
		wrongs: [],
	},
	{
		title: "an event that was given up after every attempt",
		story: () =>
			new WebhookStory()
				.event("e")
				.delivery("e", { status: "exhausted", failures: 10 })
				.post(100, "e", { answer: 500 }),
		wrongs: [],
	},
	{
		title: "an endpoint that is gone, a post that was under way then, and an event that is not sent any more",
		story: () => gone().post(1_200, "e", { answer: 410 }).event("later"),
		wrongs: [],
	},
	{
		title: "an endpoint whose sender was killed before it could write down that it is gone",
		story: () =>
			gone()
				.fault({ ...KILLED, began: 900, ended: 5_000 })
				.post(9_000, "e", { answer: 410 }),
		wrongs: [],
	},
	{
		title: "a retry sooner than a 429 asked for, when every receiver is well",
		story: () =>
			new WebhookStory()
				.event("e")
				.delivery("e", { failures: 1 })
				.post(100, "e", { answer: 429, retryAfter: 7 })
				.calm(200)
				.post(300, "e"),
		wrongs: [],
	},
	{
		title: "a test of an own endpoint, one that nobody answered, and a refused one of a stranger's",
		story: () =>
			arrived()
				.test([10, 20], "t")
				.event("t", { only: "a" })
				.delivery("t")
				.post(30, "t")
				.test([40, 50], "", { status: null })
				.event("u", { only: "a" })
				.delivery("u")
				.post(60, "u")
				.test([70, 80], "", { endpoint: "b", status: 404, code: "not_found" }),
		wrongs: [],
	},
	{
		title: "a test of an endpoint that is gone",
		story: () => gone().test([1_500, 1_600], "", { status: 400, code: "invalid_input" }),
		wrongs: [],
	},
];

const LOST: readonly Told[] = [
	{
		title: "an event that counts as delivered, and never came",
		story: () => new WebhookStory().event("e").delivery("e"),
		wrongs: ["lost"],
	},
	{
		title: "an event that counts as delivered, and was never accepted",
		story: () => new WebhookStory().event("e").delivery("e").post(100, "e", { answer: 500 }),
		wrongs: ["lost"],
	},
	{ title: "an event without a delivery", story: () => new WebhookStory().event("e"), wrongs: ["lost"] },
	{
		title: "an event that is due, and nobody sends it",
		story: () => new WebhookStory().event("e").delivery("e", { status: "pending", dueForMs: 60_000 }),
		wrongs: ["lost"],
	},
	{
		title: "an event that was given up too early",
		story: () =>
			new WebhookStory().event("e").delivery("e", { status: "exhausted", failures: 9 }).post(100, "e", { answer: 500 }),
		wrongs: ["lost"],
	},
	{
		title: "an event that was dropped although its endpoint is sent to",
		story: () => new WebhookStory().event("e").delivery("e", { status: "dropped" }),
		wrongs: ["lost"],
	},
	{
		title: "an endpoint that is sent nothing more for failures alone",
		story: () => arrived().post(200, "e2", { answer: 500 }).event("e2").inactive("a", "failing"),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged test of which the tables know nothing",
		story: () => arrived().test([10, 20], "t"),
		wrongs: ["lost"],
	},
	{
		title: "an own endpoint that is said not to exist",
		story: () => arrived().test([10, 20], "", { status: 404, code: "not_found" }),
		wrongs: ["lost"],
	},
];

const OTHERS: readonly Told[] = [
	{
		title: "an event that comes again, and nothing kept its sender from knowing that it had come",
		story: () => arrived().post(5_000, "e"),
		wrongs: ["doubled"],
	},
	{
		title: "an event that comes again after a fault that met others",
		story: () => arrived().fault({ fault: "client-cuts", touched: "all", began: 150, ended: 900 }).post(5_000, "e"),
		wrongs: ["doubled"],
	},
	{
		title: "an event that comes again after a fault, long after it had been written down",
		story: () =>
			arrived()
				.fault({ ...KILLED, began: 20_000, ended: 21_000 })
				.post(60_000, "e"),
		wrongs: ["doubled"],
	},
	{ title: "an event that never happened", story: () => arrived().post(200, "untrue"), wrongs: ["doubled"] },
	{
		title: "a test that nobody asked for",
		story: () => new WebhookStory().event("t", { only: "a" }).delivery("t").post(30, "t"),
		wrongs: ["doubled"],
	},
	{
		title: "a body that is another at the second attempt",
		story: () =>
			new WebhookStory()
				.event("e")
				.delivery("e", { failures: 1 })
				.post(100, "e", { answer: 500 })
				.post(6_000, "e", { digest: "another" }),
		wrongs: ["changed"],
	},
	{
		title: "a body that is not the one that was recorded",
		story: () => new WebhookStory().event("e").delivery("e").post(100, "e", { digest: "another" }),
		wrongs: ["changed"],
	},
	{
		title: "an event of another partner",
		story: () => arrived().post(200, "e", { endpointId: "b" }),
		wrongs: ["leak"],
	},
	{
		title: "an endpoint that another partner may try",
		story: () =>
			arrived().test([10, 20], "t", { by: "bolt-web" }).event("t", { only: "a" }).delivery("t").post(30, "t"),
		wrongs: ["leak"],
	},
	{
		title: "a test that came to another endpoint of its partner",
		story: () =>
			new WebhookStory()
				.endpoint("c", "Acme")
				.test([10, 20], "t")
				.event("t", { only: "a" })
				.delivery("t")
				.post(30, "t")
				.post(31, "t", { endpointId: "c" }),
		wrongs: ["unexpected"],
	},
	{
		title: "a post that is not signed with the secret",
		story: () => new WebhookStory().event("e").delivery("e").post(100, "e", { signed: false }),
		wrongs: ["unexpected"],
	},
	{
		title: "a post that names another time",
		story: () => new WebhookStory().event("e").delivery("e").post(100, "e", { aheadMs: -400_000 }),
		wrongs: ["unexpected"],
	},
	{
		title: "a post after the endpoint was gone",
		story: () => gone().post(9_000, "e", { answer: 410 }),
		wrongs: ["unexpected"],
	},
	{
		title: "a post after the endpoint was gone, later than a killed sender explains",
		story: () =>
			gone()
				.fault({ ...KILLED, began: 900, ended: 5_000 })
				.post(40_000, "e", { answer: 410 }),
		wrongs: ["unexpected"],
	},
	{
		title: "a receiver that said it is gone, and is sent to all the same",
		story: () =>
			new WebhookStory().event("e").delivery("e", { failures: 1 }).post(100, "e", { answer: 410 }).post(6_000, "e"),
		wrongs: ["unexpected"],
	},
	{
		title: "a retry sooner than a 429 asked for",
		story: () =>
			new WebhookStory()
				.event("e")
				.delivery("e", { failures: 1 })
				.post(100, "e", { answer: 429, retryAfter: 7 })
				.post(5_000, "e"),
		wrongs: ["unexpected"],
	},
	{
		title: "a test that is refused although the endpoint is well",
		story: () => arrived().test([10, 20], "", { status: 400, code: "invalid_input" }),
		wrongs: ["unexpected"],
	},
];

describe("the checker, of webhooks", () => {
	it.each(HONEST)("finds nothing wrong in $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
	it("counts what a receiver accepted again, in the report of a run that passes, too", () => {
		const story = arrived()
			.fault({ ...KILLED, began: 150, ended: 900 })
			.post(31_000, "e");
		const more = story.event("f").delivery("f").post(200, "f", { answer: "reset" }).post(300, "f", { answer: 503 });
		expect(more.post(400, "f").posts()).toEqual({
			accepted: 2,
			"accepted again": 1,
			"answered otherwise": 1,
			"not answered": 1,
		});
	});
	it.each([...LOST, ...OTHERS])("finds $wrongs in $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
});
