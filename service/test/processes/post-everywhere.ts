import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { Agent, request } from "undici";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { allowedNetworks } from "../../src/partners/webhooks/address-rules.ts";
import { createLookUp, type LookUp } from "../../src/partners/webhooks/look-up.ts";
import { createPoster } from "../../src/partners/webhooks/post.ts";
import { createUrlRules, refuseUrl } from "../../src/partners/webhooks/refuse-url.ts";
import { forbiddenUrls, NAMES, REDIRECTOR } from "../webhooks/forbidden-urls.ts";

/*
 * Runs in a network namespace of its own, where every address of both families leads to this machine and has a
 * listener. Posts to every URL of the list and prints the addresses that were reached.
 */

/** The target address of every accepted connection. */
const reached: string[] = [];
const PORTS = [80, 443, 8080];

for (const family of ["-4", "-6"])
	execFileSync("ip", [family, "route", "add", "local", family === "-4" ? "0.0.0.0/0" : "::/0", "dev", "lo"]);
for (const port of PORTS) {
	const server = createServer((socket) => {
		const to = (socket.localAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
		reached.push(to);
		socket.on("error", () => undefined);
		socket.once("data", () => {
			// an allowed address redirects to a forbidden one
			socket.end(
				to === REDIRECTOR
					? "HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:8080/\r\ncontent-length: 0\r\n\r\n"
					: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
			);
		});
	});
	await new Promise<void>((resolve) => {
		server.listen({ port, host: "::", ipv6Only: false }, resolve);
	});
	server.unref();
}

const asked = new Map<string, number>();
/** The test's names, each with its successive answers; other names are resolved by the system. */
const system = createLookUp();
const lookUp: LookUp = (host) => {
	const answers = NAMES[host.toLowerCase().replace(/\.$/, "")];
	if (answers === undefined) return system(host);
	const times = asked.get(host) ?? 0;
	asked.set(host, times + 1);
	return Promise.resolve(answers[Math.min(times, answers.length - 1)] ?? []);
};

const rules = createUrlRules({ allowed: allowedNetworks([`${REDIRECTOR}/32`]), lookUp });
const poster = createPoster({ ...rules, withinMs: 2_000 });
const never = new AbortController().signal;
const urls = forbiddenUrls();
let refused = 0;
const answered: string[] = [];
for (const url of urls) {
	if (isRefusal(await refuseUrl(rules, url, ""))) refused++;
	if (!URL.canParse(url)) continue;
	const { outcome } = await poster.post({ owner: url, url, headers: {}, body: "{}" }, never);
	if (outcome.kind === "answered" && outcome.status < 300) answered.push(url);
}
const guarded = [...reached];
// the same without the guard, to show that the listeners work
reached.length = 0;
const bare = new Agent({ connect: { timeout: 2_000 } });
for (const url of urls.filter((one) => one.startsWith("http:") && URL.canParse(one)).slice(0, 40)) {
	await request(url, { method: "POST", body: "{}", dispatcher: bare }).then(
		({ body }) => body.dump(),
		() => undefined,
	);
}
console.log(JSON.stringify({ urls: urls.length, refused, answered, guarded, bare: reached.length }));
process.exit(0);
