import { Resolver } from "node:dns/promises";
import { sleep } from "../../ground/lib/clock.ts";

/** Milliseconds to resolve a name. */
const LOOK_UP_WITHIN_MS = 5_000;
/** Milliseconds that a name server has for one answer, and the number of tries. */
const ANSWER_WITHIN_MS = 2_000;
const TRIES = 2;
/** Milliseconds to wait for the other address family once one has answered. */
const OTHER_FAMILY_MS = 500;

/** Resolves all addresses of a name. Tests supply their own. */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** Names that are resolved without a name server (RFC 6761, section 6.3). */
const LOCAL = /^(?:.+\.)?localhost\.?$/i;
const LOCAL_ADDRESSES = ["127.0.0.1", "::1"] as const;

/**
 * Queries the system's name servers over sockets. getaddrinfo would occupy one of the few threads that database
 * lookups, files and compression need too, for as long as a partner's name server is silent. Therefore the hosts file
 * and search domains are ignored (docs/decisions/0071). Concurrent lookups of one name share the answer. `servers`:
 * other name servers, with their ports.
 */
export function createLookUp(servers?: readonly string[]): LookUp {
	const underWay = new Map<string, Promise<readonly string[]>>();
	return (host) => {
		if (LOCAL.test(host)) return Promise.resolve(LOCAL_ADDRESSES);
		const name = host.toLowerCase();
		const known = underWay.get(name);
		if (known !== undefined) return known;
		const asked = resolve(name, servers).finally(() => underWay.delete(name));
		underWay.set(name, asked);
		return asked;
	};
}

/** @throws ENOTFOUND if the name has no address, EAI_AGAIN if no server answers in time */
async function resolve(name: string, servers: readonly string[] | undefined): Promise<readonly string[]> {
	// a resolver for each name: a server that is slow for this name does not count as slow for others
	const resolver = new Resolver({ timeout: ANSWER_WITHIN_MS, tries: TRIES, maxTimeout: ANSWER_WITHIN_MS });
	if (servers !== undefined) resolver.setServers(servers);
	const over = new AbortController();
	const inTime = sleep(LOOK_UP_WITHIN_MS, over.signal);
	const families = [resolver.resolve4(name), resolver.resolve6(name)];
	const answered = families.map((family) => family.catch(() => []));
	const one = Promise.any(families).then(
		() => Promise.race([sleep(OTHER_FAMILY_MS, over.signal), Promise.all(answered)]),
		() => undefined, // neither family has any address
	);
	await Promise.race([one, inTime]);
	over.abort();
	resolver.cancel();
	const [v4 = [], v6 = []] = await Promise.all(answered);
	if (v4.length + v6.length > 0) return inTurn(v4, v6);
	const [code] = await Promise.all(families.map((family) => family.then(String, codeOf)));
	throw Object.assign(new Error("the name has no address"), {
		code: NO_SUCH.has(code ?? "") ? "ENOTFOUND" : "EAI_AGAIN",
	});
}

/** Error codes for a name that is known to have no address. */
const NO_SUCH: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

/** Alternates the families: if one is unreachable, the other is tried soon. */
const inTurn = (v4: readonly string[], v6: readonly string[]): string[] =>
	Array.from({ length: Math.max(v4.length, v6.length) }, (_, at) => [v4[at], v6[at]])
		.flat()
		.filter((address) => address !== undefined);
