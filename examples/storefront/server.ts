import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { HOOK_PATH, type Hook } from "./hooks.ts";
import { notice } from "./pages/html.ts";
import type { Shop } from "./shop.ts";
import { type Answer, answerTo } from "./site.ts";

const STYLE = readFileSync(join(import.meta.dirname, "pages/style.css"), "utf8");

/** Maximum length of a form, in characters. */
const MOST_CHARACTERS = 16_384;

/** No scripts, nothing from elsewhere, in no frame. */
const HEADERS = {
	"content-security-policy":
		"default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"x-content-type-options": "nosniff",
	"cache-control": "no-store",
};

/** Serves the shop on this machine. `hook`: receives posts of Holdfast, once there is one. */
export async function serve(shop: Shop, port: number, hook: () => Hook | null | undefined) {
	const server = createServer((request, response) => void respond(request, response));

	async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const receive = request.url === HOOK_PATH ? hook() : null;
		if (receive) return await receive(request, response);
		const { status = 200, type = "text/html; charset=utf-8", body = "", location, cookie } = await answer(request);
		response.writeHead(location === undefined ? status : 303, {
			...HEADERS,
			"content-type": type,
			...(location !== undefined && { location }),
			...(cookie !== undefined && { "set-cookie": `cart=${cookie}; Path=/; HttpOnly; SameSite=Lax` }),
		});
		response.end(body);
	}

	async function answer(request: IncomingMessage): Promise<Answer> {
		const { method = "GET", headers } = request;
		const path = request.url?.split("?")[0] ?? "";
		if (path === "/style.css") return { type: "text/css", body: STYLE };
		try {
			const form = new URLSearchParams(method === "POST" ? await textOf(request) : "");
			const cart = /(?:^|; )cart=([0-9a-f-]{36})/.exec(headers.cookie ?? "")?.[1] ?? "";
			return await answerTo(shop, { method, path, cart, form });
		} catch (error) {
			shop.log(`${method} ${path}: ${String(error)}`);
			return { status: 500, body: notice("Something went wrong", "Please try again in a few minutes.").text };
		}
	}

	await new Promise<void>((resolve, reject) => {
		server.once("error", reject).listen(port, "127.0.0.1", resolve);
	});
	return {
		close: () => new Promise<void>((resolve) => server.close(() => resolve())),
	};
}

async function textOf(request: IncomingMessage): Promise<string> {
	let text = "";
	for await (const chunk of request.setEncoding("utf8")) {
		text += chunk;
		if (text.length > MOST_CHARACTERS) throw new Error("The form is too long.");
	}
	return text;
}
