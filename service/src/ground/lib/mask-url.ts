/** A database address without its password, in either place where it can appear. */
export function maskUrl(url: string): string {
	// up to the last @: a password may contain one that should have been encoded
	return url.replace(/^(\w+:\/\/[^:@/?]*):.*@/, "$1:***@").replace(/([?&]password=)[^&]*/g, "$1***");
}
