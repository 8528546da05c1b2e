import { randomUUID } from "node:crypto";
import { availableParallelism, loadavg, setPriority } from "node:os";
import { join } from "node:path";
import { SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { MintKey } from "../../src/partners/keys/key-admin-contract.ts";
import { GetGoLive } from "../../src/upkeep/golive/admin-contract.ts";
import { CHECKS, type CheckName } from "../../src/upkeep/golive/facts.ts";
import { DrillGoLive, StartGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { openDataPlace } from "../data-folder.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, type Asked, operate } from "../operate.ts";
import { type Child, COMPILED, start, until } from "../processes/child.ts";
import { startFastClock } from "./fast-clock.ts";
import { openFastDatabase } from "./fast-database.ts";
import type { Wrong } from "./partner/wrong.ts";

const PROGRAM = join(import.meta.dirname, "partner-process.ts");
/**
 * How many times as fast as the machine's clock the town's clock runs: the maximum, used on an idle machine, and the
 * minimum.
 */
const FASTEST = 10;
const SLOWEST = 3;
/**
 * Makes a service load all of its code before it does anything else: by its own clock, loading takes many seconds, in
 * which it could not read the answers of the database that it connects to.
 */
const LOADED_FIRST = {
	NODE_OPTIONS: `--import=${join(import.meta.dirname, "../../src/service.ts")}`,
	NODE_COMPILE_CACHE: COMPILED,
};
/** The hour at which the town's day begins: nothing is due at midnight in the hours of a run. */
const BEGINS_AT_HOUR = 6;
/** Units that a key may hold at a time. */
const MAX_HELD_UNITS = 100;
const MINUTE_MS = 60_000;
/** Maximum number of attempts at a write of the operator. */
const TRIES = 5;
/** The priority of partners: a service that has no time is late, and a partner is only slow. */
const AFTER_THE_SERVICE = 10;

/** A service, its database and partners, each a process of its own, in a time that runs faster than ours. */
export interface PartnerTown {
	readonly house: House;
	readonly operator: As;
	/** A partner with a sandbox of its own, whose go-live is running. `wrong`: the one thing that it does wrong. */
	admit(wrong: Wrong | null, unkind?: boolean): Promise<TownPartner>;
	/** The same with a program of its own, which prints the address of its server. */
	admitProgram(partner: string, program: (access: PartnerAccess) => Promise<Program>): Promise<TownPartner>;
	/** Minutes of the town since it was opened. */
	minutes(): Promise<number>;
	close(): Promise<void>;
}

/** What a partner is given by the operator. */
export interface PartnerAccess {
	readonly api: string;
	readonly coa: string;
	readonly token: string;
}

export interface Program {
	/** Of Node: options, and its file. */
	readonly args: readonly string[];
	readonly cwd?: string;
	readonly env?: Readonly<Record<string, string>>;
}

export interface TownPartner {
	readonly pk: string;
	readonly token: string;
	readonly partner: string;
	/** The address of its server. */
	readonly address: string;
	readonly goLiveId: string;
	readonly child: Child;
}

export interface Judged {
	readonly check: CheckName;
	readonly verdict: string;
	readonly says: string;
	readonly evidence: readonly string[];
}

/**
 * So fast that nothing is late for lack of real time: a service that trusts a read of its keys for 900 ms, or waits for
 * its database for 2.5 s, has a tenth of that by our clock at the rate of ten, and less on a busy machine.
 */
const rateHere = (): number => {
	const perCore = (loadavg()[0] ?? 0) / availableParallelism();
	return Math.min(FASTEST, Math.max(SLOWEST, Math.round((FASTEST + 2) / (1 + perCore))));
};

export async function openPartnerTown(rate = rateHere()): Promise<PartnerTown> {
	const begin = new Date();
	begin.setUTCHours(24 + BEGINS_AT_HOUR, 0, 0, 0);
	const clock = startFastClock(begin.getTime(), rate);
	const folder = await openDataPlace("partners");
	const database = await openFastDatabase(clock, folder);
	const env = {
		...clock.env,
		...LOADED_FIRST,
		HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8",
		HOLDFAST_COA_STORE: join(folder, "coa"),
	};
	const house = await openHouse({ processes: true, database, env });
	const node = must(house.nodes[0], "a node");
	const operator: As = { socket: node.socket };
	const children: Child[] = [];
	const write = writerAs(operator);
	await write(RestockOperatorSandbox, {}); // also makes the sample certificates
	const town: PartnerTown = {
		house,
		operator,
		async admit(wrong, unkind = false) {
			const options = [...(wrong === null ? [] : ["--wrong", wrong]), ...(unkind ? ["--unkind"] : [])];
			return await town.admitProgram(wrong ?? "does-everything-right", async ({ api, coa, token }) => ({
				args: [PROGRAM, ...options],
				env: { SHOP_API: api, SHOP_COA: coa, SHOP_KEY: token },
			}));
		},
		async admitProgram(partner, program) {
			const key = { name: partner, partner, environment: "sandbox", scopes: SCOPES, brand_code: "SANDBOX" };
			const { token, pk } = await write(MintKey, { body: { ...key, max_held_units: MAX_HELD_UNITS } });
			const { args, env: own, cwd } = await program({ api: node.api, coa: node.coa, token });
			const child = start(process.execPath, [...args], {
				env: { ...process.env, ...clock.env, ...own },
				...(cwd !== undefined && { cwd }),
			});
			children.push(child);
			setPriority(child.pid, AFTER_THE_SERVICE);
			const address = await until(`${partner} to be open`, () => {
				if (child.process.exitCode !== null) throw new Error(`${partner} ended: ${child.errors.join("\n")}`);
				return child.lines.find((line) => line.startsWith("http://"));
			});
			keepSecretsOf(await (await fetch(`${address}/desk`)).text());
			const { golive_id: id } = await write(StartGoLive, { body: { key: pk, status_url: `${address}/status.json` } });
			const looks = async (): Promise<number> =>
				(await house.db.query("select from golive_look where golive_id = $1", [id])).rowCount ?? 0;
			await until(`a look at what ${partner} shows`, async () => (await looks()) > 0);
			await write(DrillGoLive, { params: { id }, body: { what: "retirement" } });
			return { pk, token, partner, address, goLiveId: id, child };
		},
		async minutes() {
			const { rows } = await house.db.query<{ now: Date }>("select clock_timestamp() as now");
			return (must(rows[0], "a row").now.getTime() - begin.getTime()) / MINUTE_MS;
		},
		async close() {
			await Promise.all(children.map((child) => child.stop()));
			await house.close();
			clock.close();
		},
	};
	return town;
}

/** Writes of the operator, each asked for again under the same Idempotency-Key where there is no answer. */
function writerAs(operator: As) {
	return async (operation: Parameters<typeof operate>[1], asked: Asked) => {
		const headers = { "idempotency-key": randomUUID() };
		for (let tries = 1; ; tries++) {
			const answer = await operate(operator, operation, { ...asked, headers }).catch((error: Error) => error.message);
			if (typeof answer !== "string" && answer.status < 300) {
				keepSecretsOf(JSON.stringify(answer.json));
				return answer.json.data;
			}
			const said = typeof answer === "string" ? answer : `${answer.status} ${JSON.stringify(answer.json)}`;
			if (tries === TRIES || /^4(?!09.*"retry"|29)/.test(said)) throw new Error(`${operation.id}: ${said}`);
		}
	};
}

/** The verdicts on a partner, by check; none, where they could not be read. */
export async function verdictsOn({ operator }: PartnerTown, { goLiveId }: TownPartner): Promise<readonly Judged[]> {
	const { json } = await operate(operator, GetGoLive, { params: { id: goLiveId } });
	return json.data?.checks ?? [];
}

/** The checks with one of these verdicts. */
export const having = (judged: readonly Judged[], ...words: readonly string[]): CheckName[] =>
	CHECKS.filter((name) => judged.some(({ check, verdict }) => check === name && words.includes(verdict)));
