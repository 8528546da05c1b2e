import type { PlatformRefusal } from "../label-platform.ts";
import { isSilence } from "./client.ts";
import { type Ask, find, isSuccess, refused, TOO_LATE, unanswered } from "./find-shipment.ts";

const ON_HOLD = "on_hold";

/** Stops a shipment until a day (YYYY-MM-DD), on which the platform releases it by itself. */
export async function stop(
	ask: Ask,
	platformId: string,
	until: string,
): Promise<"stopped" | "too_late" | PlatformRefusal> {
	const path = `/${encodeURIComponent(platformId)}`;
	const before = await find(ask, path);
	if (isSilence(before)) return unanswered(before);
	if (before === null || TOO_LATE.has(before.status)) return "too_late";
	if (before.status === ON_HOLD) return "stopped";
	const answer = await ask({ method: "PUT", path: `/v2/shipments${path}/hold`, body: { hold_until_date: until } });
	if (!isSilence(answer) && isSuccess(answer)) return "stopped";
	// it may have succeeded anyway, or a label was made first
	const after = await find(ask, path);
	if (isSilence(after)) return unanswered(after);
	if (after === null || TOO_LATE.has(after.status)) return "too_late";
	if (after.status === ON_HOLD) return "stopped";
	return isSilence(answer) ? unanswered(answer) : refused("did not put this order on hold");
}

export async function letGoOn(ask: Ask, platformId: string): Promise<"goes_on" | PlatformRefusal> {
	const path = `/${encodeURIComponent(platformId)}`;
	const before = await find(ask, path);
	if (isSilence(before)) return unanswered(before);
	if (before?.status !== ON_HOLD) return "goes_on";
	const answer = await ask({ method: "PUT", path: `/v2/shipments${path}/restore` });
	if (!isSilence(answer) && isSuccess(answer)) return "goes_on";
	const after = await find(ask, path);
	if (!isSilence(after) && after?.status !== ON_HOLD) return "goes_on";
	return isSilence(answer) ? unanswered(answer) : refused("did not let this order go on");
}
