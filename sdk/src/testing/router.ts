import { MAX_PARAM_LENGTH } from "../../../service/src/partners/http/limits.ts";
import type { Mounted } from "../../../service/src/partners/http/unknown-path.ts";

/** An operation at its path. */
export interface Mount<R> extends Mounted {
	readonly segments: readonly string[];
	readonly methods: readonly string[];
	readonly route: R;
}

/** `path`: as operations write it, `/api/v1/orders/:ref`. */
export function mountOf<R>(path: string, methods: readonly string[], route: R): Mount<R> {
	const segments = path.split("/");
	const pattern = new RegExp(`^${segments.map((name) => (isParam(name) ? "[^/]+" : name)).join("/")}$`);
	return { url: path, pattern, segments, methods, route };
}

/**
 * What a request is for: an operation; a path without this method, or an unknown path (`allowed` is empty); an invalid
 * path.
 */
export type Found<R> =
	| { readonly route: R; readonly params: Readonly<Record<string, string>> }
	| { readonly allowed: readonly string[] }
	| { readonly malformed: true };

/** The operation of a path and method, as the service's framework would match it. */
export function find<R>(mounts: readonly Mount<R>[], path: string, method: string): Found<R> {
	const segments = segmentsOf(path);
	if (segments === null) return { malformed: true };
	const fitting = mounts.filter((mount) => fits(mount.segments, segments));
	fitting.sort((a, b) => paramsIn(a.segments) - paramsIn(b.segments)); // a path without parameters comes first
	const mount = fitting.find(({ methods }) => methods.includes(method));
	if (mount === undefined) return { allowed: [...new Set(fitting.flatMap(({ methods }) => methods))] };
	const params = mount.segments.flatMap((name, index) =>
		isParam(name) ? [[name.slice(1), segments[index] ?? ""] as const] : [],
	);
	return { route: mount.route, params: Object.fromEntries(params) };
}

function segmentsOf(path: string): string[] | null {
	try {
		return path.split("/").map(decodeURIComponent);
	} catch {
		return null;
	}
}

const fits = (mounted: readonly string[], segments: readonly string[]): boolean =>
	mounted.length === segments.length &&
	mounted.every((name, index) => {
		const segment = segments[index] ?? "";
		return isParam(name) ? segment !== "" && segment.length <= MAX_PARAM_LENGTH : name === segment;
	});

const isParam = (name: string): boolean => name.startsWith(":");
const paramsIn = (segments: readonly string[]): number => segments.filter(isParam).length;
