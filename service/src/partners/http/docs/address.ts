import path from "node:path";

/** Path of the pages, below the address of the service. */
export const PREFIX = "/docs";

/**
 * A relative link from one page to another address of this service, because a proxy may serve everything below a path
 * of its own. Both are paths from the root; `to` may end in an anchor.
 */
export function relativeLink(from: string, to: string): string {
	const [target = "", anchor] = to.split("#", 2);
	const tail = anchor === undefined ? "" : `#${anchor}`;
	if (target === from && anchor !== undefined) return tail;
	const folder = path.posix.relative(path.posix.dirname(from), path.posix.dirname(target));
	return `${folder === "" ? "" : `${folder}/`}${path.posix.basename(target)}${tail}`;
}
