import MiniSearch from "minisearch";
import { beforeAll, describe, expect, it } from "vitest";
import { SURFACES } from "../../src/assembly/surfaces.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { createApiDates } from "../../src/partners/http/api-date.ts";
import { createIndex, rank } from "../../src/partners/http/docs/assets/rank.js";
import { readGuides } from "../../src/partners/http/docs/guides.ts";
import { readDocument } from "../../src/partners/http/docs/reference-document.ts";
import { type SearchEntry, searchEntries } from "../../src/partners/http/docs/search-entries.ts";
import { TASKS } from "../../src/partners/http/docs/search-tasks.ts";
import { openApi } from "../../src/partners/http/openapi/document.ts";

/* What the search of /docs finds first, for what developers really type. */

const FIRST: readonly (readonly [question: string, to: string])[] = [
	["how long does a hold last", "/guides/holds#how-long-a-hold-lasts"],
	["hold expiry", "/guides/holds#how-long-a-hold-lasts"],
	["can I extend a hold", "/guides/holds#how-long-a-hold-lasts"],
	["pagination", "/guides/pagination"],
	["next page", "/guides/pagination"],
	["cursor", "/guides/pagination"],
	["tracking number", "/guides/shipments#tracking-numbers"],
	["track a parcel", "/guides/shipments#tracking-numbers"],
	["order", "/guides/orders"],
	["why 409", "/guides/errors#why-a-409"],
	["409", "/guides/errors#why-a-409"],
	["out of stock", "/errors/no_inventory"],
	["sold out", "/errors/no_inventory"],
	["no_inventory", "/errors/no_inventory"],
	["retry", "/guides/errors#what-to-retry"],
	["when to retry", "/guides/errors#what-to-retry"],
	["hold_race", "/errors/hold_race"],
	["get a key", "/guides/authentication#get-a-key"],
	["api key", "/guides/authentication"],
	["authentication", "/guides/authentication"],
	["rotate secret", "/guides/authentication#replace-a-secret"],
	["rate limit", "/guides/rate-limits"],
	["how many requests per minute", "/guides/rate-limits"],
	["idempotency", "/guides/idempotency"],
	["idempotency key", "/guides/idempotency"],
	["idempotency_mismatch", "/errors/idempotency_mismatch"],
	["verify signature", "/guides/webhooks#what-your-receiver-does"],
	["webhook localhost", "/guides/webhooks#on-your-own-machine-localhost"],
	["webhooks", "/guides/webhooks"],
	["cancel order", "/guides/orders#cancel"],
	["crash", "/guides/holds#after-a-crash-what-became-of-my-cart"],
	["postman", "/guides/sdk#postman-and-bruno"],
	["typescript", "/guides/sdk#the-typescript-sdk"],
	["unit test", "/guides/testing"],
	["mock", "/guides/testing"],
	["sandbox", "/guides/sandbox"],
	["go live", "/guides/going-live"],
	["mirror stock", "/guides/counts#products-keep-a-mirror"],
	["certificate", "/guides/coa"],
	["coa mirror", "/guides/coa#a-mirror"],
	["refund", "/guides/holds#reverse-a-consume"],
	["api version", "/guides/versioning"],
	["several orders in one box", "/guides/shipments#several-orders-in-one-box"],
	["llms.txt", "/guides/sdk#for-language-models"],
	["quickstart", "/guides/quickstart"],
	["getting started", "/guides/quickstart"],
	["pagnation", "/guides/pagination"],
	["test webhooks locally", "/guides/webhooks#on-your-own-machine-localhost"],
	["webhook signing secret", "/guides/webhooks#register-an-endpoint"],
	["webhook not received", "/guides/webhooks#failed-deliveries"],
	["test mode", "/guides/sandbox"],
	["base url", "/guides/quickstart#set-up"],
	["switch to production", "/guides/going-live#the-production-key"],
	["request id", "/guides/errors"],
	["request logs", "/guides/sandbox#what-you-sent-and-why-it-was-refused"],
	["what happens when my key is revoked", "/guides/authentication#when-a-key-is-refused"],
	["hold expired after payment", "/guides/fulfilment#the-hold-was-gone"],
	["customer charged but order failed", "/guides/fulfilment#what-to-do-at-each-failure"],
	["order status", "/guides/orders#read"],
	["find order by my id", "/guides/orders#read"],
	["partial shipment", "/guides/shipments"],
	["simulate an error", "/guides/sandbox#every-refusal-and-how-to-see-it"],
	["explain an error code", "/guides/sdk#the-command-holdfast-partner"],
	["status.json", "/guides/going-live#say-what-your-site-shows"],
	["swagger", "/guides/sdk"],
	["price", "#at-a-glance"],
	["oversell", "/guides/counts#check"],
	["cursor expired", "/guides/pagination#follow-a-list"],
	["cors", "/guides/authentication#get-a-key"],
	["bulk", "/guides/rate-limits"],
];

let entries: SearchEntry[];
let find: (question: string) => ReturnType<typeof rank>;

beforeAll(async () => {
	const { document, operations } = must(SURFACES[0], "the partner API");
	const reference = readDocument(openApi(document, operations, createApiDates().current));
	const guides = (await readGuides()).filter(({ isForOperators }) => !isForOperators);
	entries = await searchEntries(guides, reference);
	const index = createIndex(MiniSearch, entries);
	find = (question) => rank(index, question);
});

describe("The search of /docs", () => {
	it.each(FIRST)("%s: %s", (question, to) => {
		const found = find(question).map((one) => one.to);
		expect([question, found[0], found]).toEqual([question, to, found]);
	});

	it("finds nothing for a word that no page has", () => {
		expect(find("qqqq")).toEqual([]);
	});

	it("knows only tasks of sections that exist", () => {
		const known = entries.map(({ to }) => to);
		expect(Object.keys(TASKS).filter((to) => !known.includes(to))).toEqual([]);
	});
});
