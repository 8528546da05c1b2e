import { parseArgs } from "node:util";

export interface Options {
	readonly file: string;
	readonly seed: number;
	/** Invoices read from the file. */
	readonly limit: number;
	/** Concurrent invoices. */
	readonly inFlight: number;
	/** How often the service, and PostgreSQL, are killed. */
	readonly kill: number;
	/** Sales become orders that the warehouse ships, instead of consumes. */
	readonly fulfil: boolean;
	/** Do not wait for the holds left to expire: they are counted as held. */
	readonly fast: boolean;
	readonly json: boolean;
	/** A running service, and the file with the output of importing the world into it. */
	readonly service: { readonly url: string; readonly imported: string } | null;
	/** Write world.json to this path, and do nothing else. */
	readonly writeWorld: string | null;
	/** Data folder of the service to start; null: a temporary one. */
	readonly data: string | null;
}

export const HELP = `Drives a file of real invoices through the partner API and checks every count afterwards.

  npm run replay -- FILE.csv.gz [options]

  --seed N           which invoices are released, cut, kept, reversed; and the stock (1)
  --limit N          only the first N invoices of the file
  --in-flight N      invoices in flight at once (64)
  --kill N           SIGKILL the service N times and its PostgreSQL N times during the run
  --fulfil           place orders instead of consuming; a warehouse picks, ships and recalls, and readers follow the lists
  --fast             do not wait for the holds left to run out (about a minute)
  --data DIR         keep the service's data there; a new or empty folder (a temporary one, removed)
  --write-world OUT  write the world.json of this file and seed to OUT, and stop
  --url URL          use a service that runs already, into which that world was imported …
  --keys IMPORT.json … and what \`holdfast import world.json --json\` printed
  --json             the result as one JSON document

Exits 0 when every count and every answer was right, 1 when not.`;

/** Parses the command line. Throws an Error to be shown; returns "help" if requested. */
export function readOptions(args: readonly string[]): Options | "help" {
	const { values, positionals } = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {
			seed: { type: "string", default: "1" },
			limit: { type: "string" },
			"in-flight": { type: "string", default: "64" },
			kill: { type: "string", default: "0" },
			fulfil: { type: "boolean", default: false },
			fast: { type: "boolean", default: false },
			json: { type: "boolean", default: false },
			url: { type: "string" },
			keys: { type: "string" },
			"write-world": { type: "string" },
			data: { type: "string" },
			help: { type: "boolean", short: "h", default: false },
		},
	});
	if (values.help) return "help";
	const [file] = positionals;
	if (file === undefined || positionals.length > 1) throw new Error("name one FILE.csv.gz");
	const kill = wholeNumber("--kill", values.kill, 0, 100);
	return {
		file,
		seed: wholeNumber("--seed", values.seed, 0, 2 ** 31),
		limit: values.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber("--limit", values.limit, 1, 1e9),
		inFlight: wholeNumber("--in-flight", values["in-flight"], 1, 1024),
		kill,
		fulfil: values.fulfil,
		fast: values.fast,
		json: values.json,
		service: serviceOf(values.url, values.keys, { kill, fulfil: values.fulfil }),
		writeWorld: values["write-world"] ?? null,
		data: values.data ?? null,
	};
}

function serviceOf(
	url: string | undefined,
	imported: string | undefined,
	{ kill, fulfil }: Pick<Options, "kill" | "fulfil">,
): Options["service"] {
	if (url === undefined && imported === undefined) return null;
	if (url === undefined || imported === undefined) throw new Error("--url and --keys must be given together");
	if (kill > 0) throw new Error("--kill ends processes of the replay's own service: it cannot be used with --url");
	if (fulfil)
		throw new Error("--fulfil works in the warehouse of the replay's own service: it cannot be used with --url");
	return { url, imported };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
	const value = Number(text);
	if (Number.isInteger(value) && value >= least && value <= most) return value;
	throw new Error(`${name}: a whole number from ${least} to ${most}, not "${text}"`);
}
