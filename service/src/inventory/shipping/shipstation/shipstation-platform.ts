import { parseInstant } from "../../../ground/lib/instant.ts";
import { isRefusal, refuse } from "../../../ground/lib/refusal.ts";
import { sum } from "../../../ground/lib/sum.ts";
import type {
	HintPage,
	HintPosition,
	LabelBox,
	LabelPlatform,
	PlatformBox,
	PlatformRefusal,
	PushedOrder,
	PushOutcome,
} from "../label-platform.ts";
import type { Urgency } from "./budget.ts";
import {
	isSilence,
	type NoAnswer,
	type PlatformAnswer,
	type PlatformQuestion,
	type ShipStationClient,
} from "./client.ts";
import { externalIdOf } from "./external-id.ts";
import { hintOf, itemsOf, otherItemsOf, toBox } from "./to-ours.ts";
import { theirCreation } from "./to-theirs.ts";
import { type CreationVerdict, cut, verdictOnCreation, verdictOnStatus } from "./verdict.ts";
import {
	readCreation,
	readErrors,
	readFulfillments,
	readLabels,
	readShipment,
	readShipments,
	shipmentIdOf,
	type TheirShipment,
} from "./wire.ts";

/** Shipments per page of the list. */
const PAGE_SIZE = 100;

/** ShipStation API version 2 as documented; docs/operator/shipstation.md lists the answers that were never observed. */
export function createShipStation(client: ShipStationClient): LabelPlatform {
	const asking =
		(urgency: Urgency, signal: AbortSignal): Ask =>
		(question) =>
			client.ask({ ...question, urgency, signal });
	return {
		id: "shipstation",
		push: (box, again, signal) => push(asking("in_background", signal), box, again),
		cancel: (order, signal, kits) => cancel(asking("somebody_waits", signal), order, kits),
		stop: ({ platformId }, until, signal) => stop(asking("in_background", signal), platformId, until),
		letGoOn: ({ platformId }, signal) => letGoOn(asking("in_background", signal), platformId),
		combine: ({ platformId }, others, signal) => combine(asking("somebody_waits", signal), platformId, others),
		async find({ orderId, generation }, signal) {
			const found = await findPushed(asking("in_background", signal), externalIdOf(orderId, generation));
			return isSilence(found) ? unanswered(found) : (found?.shipmentId ?? null);
		},
		boxOf: (hint, signal) => boxOf(asking("in_background", signal), hint),
		changesSince: (position, signal) => changesSince(asking("in_background", signal), position),
		read: (platformId, today, signal) => read(asking("in_background", signal), platformId, today),
	};
}

async function push(ask: Ask, box: LabelBox, again: boolean): Promise<PushOutcome> {
	const externalId = externalIdOf(box.orders[0].orderId, box.generation);
	if (again) {
		const found = await findPushed(ask, externalId);
		if (isSilence(found)) return later(found);
		if (found !== null) return { outcome: "taken", platformId: found.shipmentId };
	}
	const answer = await ask({ method: "POST", path: "/v2/shipments", body: { shipments: [theirCreation(box)] } });
	if (isSilence(answer)) return later(answer);
	if (!isSuccess(answer)) return await followed(ask, externalId, verdictOnStatus(answer));
	const creation = readCreation(answer.body);
	if (creation === null) return later(garbled(answer));
	const { shipment, errors, addressError } = creation;
	if (addressError !== null)
		return { outcome: "address_refused", detail: cut(addressError), platformId: shipment?.shipmentId ?? null };
	if (shipment === null || errors.length > 0) return await followed(ask, externalId, verdictOnCreation(creation));
	return { outcome: "taken", platformId: shipment.shipmentId };
}

async function followed(ask: Ask, externalId: string, verdict: CreationVerdict): Promise<PushOutcome> {
	if (verdict.verdict === "later") return later({ silence: verdict.detail, afterMs: verdict.afterMs });
	if (verdict.verdict === "address_refused")
		return { outcome: "address_refused", detail: verdict.detail, platformId: null };
	if (verdict.verdict === "refused") return { outcome: "refused", detail: verdict.detail };
	const found = await findPushed(ask, externalId);
	if (isSilence(found)) return later(found);
	if (found !== null) return { outcome: "taken", platformId: found.shipmentId };
	return later({ silence: "the platform says that it has the order, but does not find it", afterMs: GARBLED_MS });
}

async function cancel(
	ask: Ask,
	{ orderId, platformId }: PushedOrder,
	kits: number | undefined,
): Promise<"cancelled" | PlatformRefusal> {
	const before = await find(ask, `/${encodeURIComponent(platformId)}`);
	if (isSilence(before)) return unanswered(before);
	if (before === null) return refused("no longer has this order under the id it gave; it may have been combined there");
	if (before.status === "cancelled") return "cancelled";
	if (TOO_LATE.has(before.status)) return refused("has already created a label for this order");
	if (hintOf(before).orderIds.some((id) => id !== orderId) || otherItemsOf(before).length > 0)
		return refused("has this order in one box with others");
	if (kits !== undefined && kits !== sum(itemsOf(before).map(({ qty }) => qty)))
		return refused("has this order in several boxes, or with other items");
	const answer = await ask({ method: "PUT", path: `/v2/shipments/${encodeURIComponent(platformId)}/cancel` });
	if (!isSilence(answer) && isSuccess(answer)) return "cancelled";
	// it may have succeeded anyway
	const after = await find(ask, `/${encodeURIComponent(platformId)}`);
	if (!isSilence(after) && after?.status === "cancelled") return "cancelled";
	return isSilence(answer) ? unanswered(answer) : refused("did not cancel this order");
}

async function combine(
	ask: Ask,
	primaryId: string,
	others: readonly { readonly orderId: string; readonly platformId: string }[],
): Promise<"combined" | PlatformRefusal> {
	const path = `/${encodeURIComponent(primaryId)}`;
	const before = await find(ask, path);
	if (isSilence(before)) return unanswered(before);
	if (before === null) return refused("no longer has the primary order under the id it gave");
	const missing = others.filter(({ orderId }) => !hintOf(before).orderIds.includes(orderId));
	if (missing.length === 0) return "combined";
	if (TOO_LATE.has(before.status)) return refused("has already created a label for the primary order, or cancelled it");
	const shipment_ids = missing.map(({ platformId }) => platformId);
	const answer = await ask({ method: "POST", path: `/v2/shipments${path}/merge`, body: { shipment_ids } });
	// whatever the answer was, the box itself shows the result
	const after = await find(ask, path);
	const done = !isSilence(after) && after !== null && holdsAll(after, others);
	if (done) return "combined";
	if (isSilence(answer)) return unanswered(answer);
	return isSilence(after) ? unanswered(after) : refused("did not combine these orders");
}

const holdsAll = (shipment: TheirShipment, orders: readonly { readonly orderId: string }[]): boolean =>
	orders.every(({ orderId }) => hintOf(shipment).orderIds.includes(orderId));

/** The shipment under an external id; null: it does not exist. */
const findPushed = (ask: Ask, externalId: string): Promise<TheirShipment | null | NoAnswer> =>
	find(ask, `/external_shipment_id/${encodeURIComponent(externalId)}`);

/** `hint`: the path of a resource. */
async function boxOf(ask: Ask, hint: string): Promise<string | null | PlatformRefusal> {
	const { shipmentId, labelId } = resourceOf(hint);
	if (shipmentId !== null || labelId === null) return shipmentId;
	const answer = await ask({ method: "GET", path: `/v2/labels/${labelId}` });
	if (isSilence(answer)) return unanswered(answer);
	return isSuccess(answer) ? shipmentIdOf(answer.body) : null;
}

async function changesSince(ask: Ask, { since, page }: HintPosition): Promise<HintPage | PlatformRefusal> {
	const answer = await ask({
		method: "GET",
		path: "/v2/shipments",
		query: { modified_at_start: since, sort_by: "modified_at", sort_dir: "asc", page, page_size: PAGE_SIZE },
	});
	if (isSilence(answer)) return unanswered(answer);
	const shipments = isSuccess(answer) ? readShipments(answer.body) : null;
	const pages = (answer.body as { readonly pages?: unknown } | null)?.pages;
	if (shipments === null || typeof pages !== "number")
		return refused(`answered ${answer.status} to a list of shipments`);
	return { hints: shipments.map(hintOf), next: pages > page ? nextPosition(shipments, { since, page }) : null };
}

/**
 * The next page starts at the last instant of this one. With plain page numbers, a box modified meanwhile would move to
 * the end and shift the boxes after it, so that one of them would be skipped. The page number grows only if a page does
 * not get past the instant at which it starts, or is out of order.
 */
function nextPosition(shipments: readonly TheirShipment[], { since, page }: HintPosition): HintPosition {
	const instants = shipments.map(({ modifiedAt }) => parseInstant(modifiedAt) ?? 0);
	const inOrder = instants.every((at, n) => n === 0 || at >= (instants[n - 1] ?? 0));
	const last = shipments.at(-1);
	const moved = last !== undefined && (parseInstant(last.modifiedAt) ?? 0) > (parseInstant(since) ?? 0);
	return inOrder && moved ? { since: last.modifiedAt, page: 1 } : { since, page: page + 1 };
}

async function read(ask: Ask, platformId: string, today: string): Promise<PlatformBox | null | PlatformRefusal> {
	const shipment = await find(ask, `/${encodeURIComponent(platformId)}`);
	if (shipment === null) return null;
	if (isSilence(shipment)) return unanswered(shipment);
	const labels = await list(ask, "/v2/labels", platformId, readLabels);
	if (isRefusal(labels)) return labels;
	const box = toBox({ shipment, labels, fulfillments: [] }, today);
	if (shipment.status !== "label_purchased" || box.stage === "label_created" || box.stage === "shipped") return box;
	// it has shipped, but no label shows how
	const fulfillments = await list(ask, "/v2/fulfillments", platformId, readFulfillments);
	return isRefusal(fulfillments) ? fulfillments : toBox({ shipment, labels, fulfillments }, today);
}

async function list<T>(
	ask: Ask,
	path: string,
	shipment_id: string,
	parse: (body: unknown) => readonly T[] | null,
): Promise<readonly T[] | PlatformRefusal> {
	const answer = await ask({ method: "GET", path, query: { shipment_id, page_size: PAGE_SIZE } });
	if (isSilence(answer)) return unanswered(answer);
	const rows = isSuccess(answer) ? parse(answer.body) : null;
	return rows ?? refused(`answered ${answer.status} to a list of ${path.slice("/v2/".length)}`);
}

const later = ({ silence, afterMs, crowded = false }: NoAnswer): PushOutcome => ({
	outcome: "later",
	detail: silence,
	afterMs,
	crowded,
});

interface Resource {
	readonly shipmentId: string | null;
	readonly labelId: string | null;
}

const SHIPMENT = /^\/v2\/shipments\/(se(?:-[a-z0-9]+)+)(?:[/?]|$)/;
const LABEL = /^\/v2\/labels\/(se(?:-[a-z0-9]+)+)(?:[/?]|$)/;
const BY_SHIPMENT = /[?&]shipment_id=(se(?:-[a-z0-9]+)+)(?:&|$)/;

/** `path`: includes the query. */
const resourceOf = (path: string): Resource => ({
	shipmentId: (SHIPMENT.exec(path) ?? BY_SHIPMENT.exec(path))?.[1] ?? null,
	labelId: LABEL.exec(path)?.[1] ?? null,
});

const ON_HOLD = "on_hold";

/** Stops a shipment until a day (YYYY-MM-DD), on which the platform releases it by itself. */
async function stop(ask: Ask, platformId: string, until: string): Promise<"stopped" | "too_late" | PlatformRefusal> {
	const path = `/${encodeURIComponent(platformId)}`;
	const before = await find(ask, path);
	if (isSilence(before)) return unanswered(before);
	if (before === null || TOO_LATE.has(before.status)) return "too_late";
	if (before.status === ON_HOLD) return "stopped";
	const answer = await ask({ method: "PUT", path: `/v2/shipments${path}/hold`, body: { hold_until_date: until } });
	if (!isSilence(answer) && isSuccess(answer)) return "stopped";
	// it may have succeeded anyway, or a label was created first
	const after = await find(ask, path);
	if (isSilence(after)) return unanswered(after);
	if (after === null || TOO_LATE.has(after.status)) return "too_late";
	if (after.status === ON_HOLD) return "stopped";
	return isSilence(answer) ? unanswered(answer) : refused("did not put this order on hold");
}

async function letGoOn(ask: Ask, platformId: string): Promise<"goes_on" | PlatformRefusal> {
	const path = `/${encodeURIComponent(platformId)}`;
	const before = await find(ask, path);
	if (isSilence(before)) return unanswered(before);
	if (before?.status !== ON_HOLD) return "goes_on";
	const answer = await ask({ method: "PUT", path: `/v2/shipments${path}/restore` });
	if (!isSilence(answer) && isSuccess(answer)) return "goes_on";
	const after = await find(ask, path);
	if (!isSilence(after) && after?.status !== ON_HOLD) return "goes_on";
	return isSilence(answer) ? unanswered(answer) : refused("did not release this order");
}

/** A request to the platform with a fixed urgency and signal. */
type Ask = (question: Omit<PlatformQuestion, "urgency" | "signal">) => Promise<PlatformAnswer | NoAnswer>;

/** Milliseconds until a request with an unreadable answer is repeated. */
const GARBLED_MS = 60_000;
/** Statuses in which a box can no longer be cancelled, combined or stopped. */
const TOO_LATE: ReadonlySet<string> = new Set(["label_purchased", "processing", "cancelled"]);

/** One shipment; null: it does not exist. */
async function find(ask: Ask, path: string): Promise<TheirShipment | null | NoAnswer> {
	const answer = await ask({ method: "GET", path: `/v2/shipments${path}` });
	if (isSilence(answer)) return answer;
	if (answer.status === 404) return null;
	return (isSuccess(answer) ? readShipment(answer.body) : null) ?? garbled(answer);
}

const isSuccess = ({ status }: PlatformAnswer): boolean => status >= 200 && status < 300;

const garbled = ({ status, body }: PlatformAnswer): NoAnswer => ({
	silence: cut([`the platform answered ${status}`, ...readErrors(body).map(({ message }) => message)].join(": ")),
	afterMs: GARBLED_MS,
});

/** A refusal for a missing answer; the platform's own words are for the operator only. */
function unanswered({ silence, crowded, afterMs }: NoAnswer): PlatformRefusal {
	const [what, seconds] = crowded
		? ["cannot be asked just now", Math.ceil(afterMs / 1_000)]
		: ["gave no usable answer", undefined];
	const message = `The label platform ${what}; nothing was changed. Try again later.`;
	return { ...refuse("shipstation_error", message, seconds), detail: silence };
}

const refused = (what: string): PlatformRefusal =>
	refuse("shipstation_error", `The label platform ${what}; nothing was changed. Ask the operator if this continues.`);
