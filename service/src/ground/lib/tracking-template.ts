/** Placeholder for the tracking number in the address of a carrier's tracking page. */
export const TRACKING_NUMBER = "{tracking_number}";
/** Maximum length of a template, in characters. */
const MAX_TEMPLATE_LENGTH = 2_000;

/** The problem with a carrier's tracking template, to complete the sentence "must …"; null if none. */
export function wrongInTemplate(template: unknown): string | null {
	if (typeof template !== "string" || template.length > MAX_TEMPLATE_LENGTH)
		return `be a text of at most ${MAX_TEMPLATE_LENGTH} characters`;
	if (template.split(TRACKING_NUMBER).length !== 2) return `contain ${TRACKING_NUMBER} exactly once`;
	const url = URL.parse(template.replace(TRACKING_NUMBER, "1Z9"));
	if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
		return "be an address that begins with https:// or http://";
	if (!`${url.pathname}${url.search}${url.hash}`.includes("1Z9"))
		return `contain ${TRACKING_NUMBER} after the host name`;
	if (url.username !== "" || url.password !== "") return "contain no user and no password";
	return null;
}

/** The address of the page for one number. The template must be valid. */
export const fillTemplate = (template: string, trackingNumber: string): string =>
	template.replace(TRACKING_NUMBER, () => encodeURIComponent(trackingNumber));
