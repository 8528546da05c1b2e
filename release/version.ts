import { isBefore } from "../service/src/ground/lib/version.ts";

/** Three numbers. There are no versions in between: a release is what its commit is. */
const FORM = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/;

/** What is known about earlier releases. */
export interface Released {
	/** The version that stands in the packages. */
	readonly current: string;
	/** The versions that have a tag or a section in the changelog. */
	readonly versions: readonly string[];
}

/** Why there can be no release of this version, as a sentence; null if there can. */
export function versionProblem(version: string, { current, versions }: Released): string | null {
	if (!FORM.test(version)) return `"${version}" is no version: it has three numbers, such as 0.2.0.`;
	if (versions.includes(version)) return `There is a release ${version} already.`;
	const newest = [current, ...versions].reduce((one, other) => (isBefore(one, other) ? other : one));
	return isBefore(version, newest)
		? `${version} is before ${newest}, which stands in the packages or was released.`
		: null;
}
