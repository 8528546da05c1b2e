import type { DocumentedOperation } from "./reference-document.ts";

/** An operation's example request as a curl command. If `origin` is empty, it is left for the reader to fill in. */
export function curlOf(one: DocumentedOperation, origin: string): string {
	const { method, security, parameters, requestBody } = one;
	const query = new URLSearchParams();
	let { path } = one;
	for (const { name, in: where, example } of parameters) {
		if (example === undefined) continue;
		if (where === "path") path = path.replace(`{${name}}`, String(example));
		if (where === "query") query.append(name, String(example));
	}
	const address = `${origin === "" ? "$BASE" : origin}${path}`;
	const words = [`curl -sS ${query.size === 0 ? address : `"${address}?${query}"`}`];
	if (security === undefined) words.push('-H "Authorization: Bearer $KEY"');
	for (const { name, in: where, required } of parameters) {
		if (where === "header" && required) words.push(`-H '${name}: cart-1001'`);
	}
	const body = requestBody?.content["application/json"].example;
	if (body !== undefined) {
		words.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
	} else if (method !== "GET") words.push(`-X ${method}`);
	return words.join(" \\\n  ");
}
