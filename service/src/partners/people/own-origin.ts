import type { IncomingMessage } from "node:http";

/**
 * Whether a page of the operator's own address made this request. Browsers send `Sec-Fetch-Site` or `Origin` with every
 * write, and no page can set either (operator contract, section 2). `url`: the configured public address; null: that
 * of the header Host.
 */
export function isOwnOrigin({ headers }: Pick<IncomingMessage, "headers">, url: string | null): boolean {
	const site = headers["sec-fetch-site"];
	if (site !== undefined) return site === "same-origin";
	const { origin, host } = headers;
	if (origin === undefined || !URL.canParse(origin)) return false;
	return url === null ? new URL(origin).host === host : new URL(origin).origin === new URL(url).origin;
}

/** Whether a browser says that another site's page made this request. Programs that are not browsers say nothing. */
export const isFromElsewhere = (request: Pick<IncomingMessage, "headers">, url: string | null): boolean =>
	(request.headers["sec-fetch-site"] ?? request.headers.origin) !== undefined && !isOwnOrigin(request, url);
