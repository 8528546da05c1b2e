/** Whether an Accept header asks for JSON by name; browsers and a bare `*` get the page. */
export function wantsJson(accept: string | undefined): boolean {
	if (accept === undefined) return false;
	return quality(accept, "application/json") > quality(accept, "text/html");
}

/** The quality of a type, 0 to 1, counting only an entry with that exact name. */
function quality(accept: string, type: string): number {
	for (const one of accept.toLowerCase().split(",")) {
		const [name = "", ...parameters] = one.split(";").map((part) => part.trim());
		if (name !== type) continue;
		const q = parameters.find((parameter) => parameter.startsWith("q="));
		const value = q === undefined ? 1 : Number(q.slice(2));
		return value >= 0 && value <= 1 ? value : 1;
	}
	return 0;
}
