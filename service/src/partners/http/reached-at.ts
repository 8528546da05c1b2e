/** Addresses to listen on that mean every address of this machine. Nobody can call them from elsewhere. */
const EVERYWHERE: { readonly [host: string]: string } = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" };

/** A header Host that is a name or an address, and perhaps a port: nothing else is repeated in a page or a link. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Whether this address names no machine: the service listens on all of its addresses and knows no public one. */
export const isEverywhere = (url: string): boolean => EVERYWHERE[hostOf(url)] !== undefined;

/**
 * The address to show for `url`. One that names no machine is replaced by the one with which the request came (its
 * header Host), or by that of this machine where none did. `beside`: `url` is another port than that of the request.
 */
export function reachedAt(url: string, cameTo: string | null, { beside = false } = {}): string {
	const here = EVERYWHERE[hostOf(url)];
	if (here === undefined) return url;
	const { port } = new URL(url);
	const came = cameTo !== null && HOST.test(cameTo) ? URL.parse(`http://${cameTo}`) : null;
	if (came === null) return `http://${here}:${port}`;
	return beside ? `http://${came.hostname}:${port}` : came.origin;
}

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "";
