import { parseArgs } from "node:util";

export const USAGE = `npm run bench -- [options]

  --quick        one short round in small worlds: shows that everything runs, proves nothing
  --rounds N     rounds, at least 3 for valid medians (3)
  --only TEXT    only cells whose name contains one of these, separated by commas, such as
                 fresh/service/reserve,fresh/gate; also: starts, webhooks
  --json FILE    writes everything measured to FILE beside the table
  --profile DIR  writes CPU profiles of the service on the fresh world and the world of orders to DIR
  --help         this text`;

export interface Options {
	readonly quick: boolean;
	readonly rounds: number;
	/** Empty: everything. */
	readonly only: readonly string[];
	readonly json: string | undefined;
	readonly profile: string | undefined;
	readonly warmUpMs: number;
	readonly measureMs: number;
	/** Milliseconds of each trial of a number of connections. */
	readonly tryMs: number;
	readonly fullSkus: number;
	readonly pastHolds: number;
	readonly pastOrders: number;
	/** Holds to be placed: enough for all rounds. */
	readonly holdsToPlace: number;
	/** Events whose rate is measured, and events that are timed one by one. */
	readonly events: number;
	readonly timedEvents: number;
}

const ROUNDS = 3;
const THOROUGH = {
	warmUpMs: 1_500,
	measureMs: 4_000,
	tryMs: 1_500,
	fullSkus: 100_000,
	pastHolds: 1_000_000,
	pastOrders: 1_000_000,
	holdsToPlace: 500_000,
	events: 20_000,
	timedEvents: 300,
};
const QUICK = {
	warmUpMs: 500,
	measureMs: 1_000,
	tryMs: 400,
	fullSkus: 20_000,
	pastHolds: 50_000,
	pastOrders: 20_000,
	holdsToPlace: 100_000,
	events: 4_000,
	timedEvents: 50,
};

/** Parses the command line; null: help was requested. Throws on unknown arguments. */
export function readOptions(args: string[]): Options | null {
	const { values } = parseArgs({
		args,
		options: {
			quick: { type: "boolean", default: false },
			rounds: { type: "string" },
			only: { type: "string", default: "" },
			json: { type: "string" },
			profile: { type: "string" },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) return null;
	const rounds = values.rounds === undefined ? (values.quick ? 1 : ROUNDS) : Number(values.rounds);
	if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds: a whole number of at least 1");
	return {
		quick: values.quick,
		rounds,
		only: values.only.split(",").filter((text) => text !== ""),
		json: values.json,
		profile: values.profile,
		...(values.quick ? QUICK : THOROUGH),
	};
}

export const isWanted = (id: string, { only }: Options): boolean =>
	only.length === 0 || only.some((text) => id.includes(text));
