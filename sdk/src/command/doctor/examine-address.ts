import { fromWire } from "../../client/camel.ts";
import type { ApiVersion } from "../../client/types.ts";
import { API_DATE } from "../../wire/__generated__/codes.ts";
import { withCause } from "../failure.ts";
import { isHere } from "../settings.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { judgeClock, judgeVersions } from "./judge.ts";

/** Milliseconds for the request. */
const WITHIN_MS = 10_000;
/** The header Date has whole seconds: on average it is this many milliseconds older than the reply. */
const DATE_LAG_MS = 500;

/** The address, the clock and the API dates, by one request without a key. */
export async function examineAddress(url: string): Promise<Finding[]> {
	const start = Date.now();
	let response: Response;
	let reply: unknown;
	try {
		response = await fetch(`${url}/api/versions`, { redirect: "manual", signal: AbortSignal.timeout(WITHIN_MS) });
		reply = await response.json().catch(() => null);
	} catch (error) {
		const cure = "Make sure that the address is right, that the service is up, and that no firewall blocks it.";
		return [fail("address", `${url} does not answer: ${withCause(error as Error)}`, cure)];
	}
	const now = Date.now();
	const { data } = (fromWire(reply) ?? {}) as { readonly data?: { readonly items?: readonly ApiVersion[] } };
	if (response.status !== 200 || !Array.isArray(data?.items)) {
		const cure =
			"Set HOLDFAST_URL to the base address of the partner API, without a path; not to that of the certificates.";
		return [fail("address", `${url} answers ${response.status}, and lists no API dates: it is not Holdfast.`, cure)];
	}
	const date = Date.parse(response.headers.get("date") ?? "");
	const aheadMs = Number.isNaN(date) ? null : (start + now) / 2 - (date + DATE_LAG_MS);
	const isOpen = url.startsWith("http:") && !isHere(url);
	const open = `${url} answers, but without encryption: anybody on the way can read the key.`;
	return [
		isOpen ? warn("address", open, "Use the https address.") : ok("address", `${url} answers.`),
		judgeClock(aheadMs),
		judgeVersions(data.items, API_DATE, now),
	];
}
