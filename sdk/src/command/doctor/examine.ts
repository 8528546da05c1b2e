import { HoldfastError } from "../../client/errors.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import { failureOf, RUN_DOCTOR } from "../failure.ts";
import { clientOf, type Settings } from "../settings.ts";
import { environmentOf, publicHalf, tokenProblem } from "../token.ts";
import { deliveryOf, newEventId, post } from "../webhooks/delivery.ts";
import { sampleBody } from "../webhooks/sample-events.ts";
import { examineAddress } from "./examine-address.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { judgeEndpoint, judgeEnds } from "./judge.ts";
import { findScopes, judgeScopes, type Scopes } from "./scopes.ts";

/** Number of deliveries of each status that are examined: one page. */
const LIMIT = 100;
const SET_UP = 'or let "holdfast-partner init" write it into the file .env.';

/** Runs every check; those that depend on something that failed are left out. */
export async function* examine(settings: Settings): AsyncGenerator<Finding> {
	const { url, token, coaUrl } = settings;
	if (!url) return yield fail("address", "The address is not set.", `Set HOLDFAST_URL (or --url), ${SET_UP}`);
	const ofAddress = await examineAddress(url);
	yield* ofAddress;
	if (!token) return yield fail("key", "The key is not set.", `Set HOLDFAST_TOKEN (or --token), ${SET_UP}`);
	const problem = tokenProblem(token);
	if (problem !== null) return yield fail("key", problem, "Copy the whole key, as the operator gave it to you.");
	if (ofAddress.some(({ check, verdict }) => check === "address" && verdict === "fail")) return;
	const holdfast = clientOf(settings);
	let scopes: Scopes;
	try {
		scopes = await findScopes(holdfast, token);
	} catch (error) {
		const says = `${publicHalf(token)}: ${failureOf(error).message.replace(` ${RUN_DOCTOR}`, "")}`;
		return yield fail("key", says, "Ask the operator about this key. Until it is accepted, show no stock.");
	}
	yield ok("key", `${publicHalf(token)} is accepted, a ${environmentOf(token)} key.`);
	if (scopes.key !== null) yield* judgeEnds(scopes.key, Date.now());
	yield judgeScopes(scopes.may, scopes.mayNot);
	if (scopes.may.includes("atp.products")) yield await examineCertificates(holdfast, coaUrl);
	if (scopes.may.includes("atp.webhooks")) yield* examineWebhooks(holdfast);
}

async function examineCertificates(holdfast: Holdfast, coaUrl: string | undefined): Promise<Finding> {
	if (coaUrl === undefined) {
		return warn("certificates", "The address of the certificates is not set.", `Set HOLDFAST_COA_URL, ${SET_UP}`);
	}
	try {
		await holdfast.raw.coa.list({ limit: 1 });
		return ok("certificates", `${coaUrl} answers, with the same key.`);
	} catch (error) {
		if (!(error instanceof HoldfastError)) throw error;
		const cure = "Set HOLDFAST_COA_URL to the address of the certificate feed, without a path.";
		return fail("certificates", `${coaUrl}: ${failureOf(error).message}`, cure);
	}
}

/** Every endpoint of the partner. Each is sent an event with a bad signature from here, which it must refuse. */
async function* examineWebhooks(holdfast: Holdfast): AsyncGenerator<Finding> {
	let count = 0;
	for await (const endpoint of holdfast.webhookEndpoints.list()) {
		count++;
		const { endpointId, status, url } = endpoint;
		if (status !== "active") {
			yield judgeEndpoint(endpoint, [], [], null);
			continue;
		}
		const read = async (status: "pending" | "exhausted") =>
			(await holdfast.raw.webhookEndpoints.deliveries(endpointId, { status, limit: LIMIT })).data.items;
		const [pending, exhausted] = [await read("pending"), await read("exhausted")];
		const now = new Date();
		const body = sampleBody("webhook.test", now);
		const event = await deliveryOf("bad_signature", newEventId(), body, null, now.getTime());
		yield judgeEndpoint(endpoint, pending, exhausted, await post(url, event));
	}
	if (count > 0) return;
	const cure = "holdfast.webhookEndpoints.create({ url }) registers one.";
	yield warn("webhooks", "No endpoint is registered, so you are not told when an order ships.", cure);
}
