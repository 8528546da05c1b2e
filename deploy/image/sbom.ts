/**
 * Makes one CycloneDX document of everything that is in the image: of the packages that `npm sbom` finds in the lock
 * file (on standard input) those that are installed, Debian's packages, Node, and the PostgreSQL that a package of npm
 * contains. `npm sbom --omit=dev` also leaves out packages that the service and a development tool both need.
 */
import { existsSync, readFileSync } from "node:fs";

interface Component {
	readonly "bom-ref": string;
	readonly type: string;
	readonly name: string;
	readonly version: string;
	readonly purl: string;
}

export interface Document {
	readonly metadata: { readonly component: Component };
	readonly components: readonly Component[];
	readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** What a package of npm with PostgreSQL's binaries is called; its version begins with PostgreSQL's. */
const POSTGRES_PACKAGE = /^pkg:npm\/%40embedded-postgres\/[^@]+@(\d+\.\d+)/;
const INSTALLED = "install ok installed";

/** The packages of Debian's list (`/var/lib/dpkg/status`): paragraphs of lines `Field: value`. */
export function debianPackages(status: string, distribution: string): Component[] {
	return status.split("\n\n").flatMap((paragraph) => {
		const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1];
		const [name, version, architecture] = [field("Package"), field("Version"), field("Architecture")];
		if (name === undefined || version === undefined || field("Status") !== INSTALLED) return [];
		const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=${distribution}`;
		return [{ "bom-ref": purl, type: "library", name, version, purl }];
	});
}

const program = (name: string, version: string): Component => {
	const purl = `pkg:generic/${name}@${version}`;
	return { "bom-ref": purl, type: "application", name, version, purl };
};

/** Name and version of each package in a list that npm keeps in `node_modules`. */
export function installedPackages(list: string, isThere: (folder: string) => boolean): Set<string> {
	const { packages } = JSON.parse(list) as { packages: Record<string, { name?: string; version?: string }> };
	return new Set(
		Object.entries(packages).flatMap(([folder, { name, version }]) =>
			isThere(folder) ? [`${name ?? folder.split("node_modules/").at(-1)}@${version}`] : [],
		),
	);
}

export interface Place {
	readonly node: string;
	readonly debian: readonly Component[];
	readonly installed: ReadonlySet<string>;
}

export function complete(document: Document, { node, debian, installed }: Place): Document {
	const packages = document.components.filter(({ purl }) =>
		installed.has(decodeURIComponent(purl.slice("pkg:npm/".length))),
	);
	const postgres = packages.flatMap(({ purl }) => POSTGRES_PACKAGE.exec(purl)?.[1] ?? []);
	const added = [program("node", node), ...postgres.map((version) => program("postgresql", version)), ...debian];
	const { component } = document.metadata;
	const root = component["bom-ref"];
	const refs = new Set([component, ...packages].map((one) => one["bom-ref"]));
	const among = document.dependencies
		.filter(({ ref }) => refs.has(ref))
		.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
	const addedRefs = added.map((one) => one["bom-ref"]);
	return {
		...document,
		metadata: { ...document.metadata, component: { ...component, type: "application", name: "holdfast" } },
		components: [...packages, ...added],
		dependencies: [
			...among.map((one) => (one.ref === root ? { ...one, dependsOn: [...one.dependsOn, ...addedRefs] } : one)),
			...addedRefs.map((ref) => ({ ref, dependsOn: [] })),
		],
	};
}

if (import.meta.main) {
	const release = readFileSync("/etc/os-release", "utf8");
	const distribution = `debian-${/^VERSION_ID="?([^"\n]+)/m.exec(release)?.[1]}`;
	const debian = debianPackages(readFileSync("/var/lib/dpkg/status", "utf8"), distribution);
	const document = JSON.parse(readFileSync(0, "utf8")) as Document;
	const installed = installedPackages(readFileSync("node_modules/.package-lock.json", "utf8"), existsSync);
	console.log(JSON.stringify(complete(document, { node: process.versions.node, debian, installed }), null, 1));
}
