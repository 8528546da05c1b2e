import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Operations } from "../../../openapi/__generated__/operations.ts";
import { type Config, readEnv, toConfig } from "../../../service/src/config.ts";
import type { ErrorCode } from "../../../service/src/glossary.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { parseOperatorToken } from "../../../service/src/partners/operators/token.ts";
import { CommandRefused, exitInterrupted } from "../terminal/failure.ts";
import {
	type AnyAsked,
	NOBODY_THERE,
	openFile,
	type ReceivedFile,
	type SentFile,
	type ServiceAddress,
	send,
} from "./exchange.ts";

export type OperatorOperationId = keyof Operations;
type Sent<Id extends OperatorOperationId, Part extends string> = Operations[Id]["data"] extends {
	[P in Part]?: infer T;
}
	? T
	: undefined;
type Successes<Id extends OperatorOperationId> = Operations[Id]["replies"][keyof Operations[Id]["replies"]];
type Received<Reply> = Reply extends { data: infer T } ? T : ReceivedFile;
/** What an operation answers: the data of its reply, or a file. */
export type DataOfCall<Id extends OperatorOperationId> = Received<Successes<Id>>;

/** The arguments of a call: an optional member may be present and undefined, as the options of a command are. */
type Given<T> = T extends readonly (infer E)[]
	? readonly Given<E>[]
	: T extends object
		? { readonly [K in keyof T]: undefined extends T[K] ? Given<T[K]> | undefined : Given<T[K]> }
		: T;

/** The path parameters, the query and the body, as far as the operation has them. */
export interface Asked<Id extends OperatorOperationId> {
	readonly params?: Given<Sent<Id, "path">>;
	readonly query?: Given<Sent<Id, "query">>;
	readonly body?: Given<Sent<Id, "body">>;
	/** Sent as a form, with `body` as its part `data`. */
	readonly files?: readonly SentFile[];
	/** Set for a write whose first reply is fetched again; absent: the write gets its own key. */
	readonly idempotencyKey?: string;
	/** The media type of the reply, where it can have several. */
	readonly accept?: string;
}

/** By code: a sentence that is added to the refusal and names a command that helps. */
export type Hints = { readonly [code in ErrorCode]?: string };

/** Calls an operation and returns its `data`. @throws CommandRefused with the code of the API's refusal */
export type CallOperator = <Id extends OperatorOperationId>(
	id: Id,
	asked?: Asked<Id>,
	hints?: Hints,
) => Promise<DataOfCall<Id>>;

/** The session that a command has with the operator's API. */
export interface OperatorSession {
	/** No service runs: this process serves the API. */
	readonly isHere: boolean;
	/** Calls an operation whose reply is a file that may be too large for memory, and returns it as it arrives. */
	readonly open: <Id extends OperatorOperationId>(id: Id, asked: Asked<Id>) => Promise<IncomingMessage>;
	/** Sets the message for an interruption. */
	onInterrupt(tell: () => string): void;
}

/** One call of an operation; see `withOperator`. */
export const callOperator: CallOperator = (id, asked, hints) =>
	withOperator((call) => call(id, asked, hints), { mayMake: id === "mint_key", withoutRing: id === "explain_count" });

/**
 * Runs `work` with the operator's API: that of the service at HOLDFAST_URL if HOLDFAST_OPERATOR_TOKEN is set, else that
 * of the service of the data folder, else one in this process on the same database, as long as the command runs.
 * Creates a missing embedded database only with `mayMake`. `withoutRing`: `work` needs no key ring if no service runs,
 * so that it works even if the ring is lost.
 */
export async function withOperator<T>(
	work: Work<T>,
	{ mayMake = false, withoutRing = false }: { readonly mayMake?: boolean; readonly withoutRing?: boolean } = {},
): Promise<T> {
	const config = toConfig(readEnv());
	const remote = remoteOf(config);
	if (remote !== null) return await workAt(remote, IN_SERVICE, work);
	if (await answers(config.adminSocket)) return await workAt({ socketPath: config.adminSocket }, IN_SERVICE, work);
	if (!mayMake) await requireDatabase(config);
	const [{ withStore }, { operateHere }, { settingsOfService }] = await Promise.all([
		import("../offline/context.ts"),
		import("../../../service/src/assembly/operate-here.ts"),
		import("../offline/settings-of-service.ts"),
	]);
	return await withStore(
		async ({ db, url: databaseUrl, ring: ringInForce, onInterrupt }) => {
			const ring = withoutRing ? null : await ringInForce();
			const here = { db, databaseUrl, ring, config: await settingsOfService(db) };
			return await operateHere(here, (socketPath) => workAt({ socketPath }, { isHere: true, onInterrupt }, work));
		},
		{ mayMake },
	);
}

/** The service at HOLDFAST_URL; null: HOLDFAST_OPERATOR_TOKEN is not set. */
function remoteOf({ operatorToken: token, url }: Config): ServiceAddress | null {
	if (token === null) return null;
	if (parseOperatorToken(token) === null)
		throw new OperatorError(
			"HOLDFAST_OPERATOR_TOKEN is not a whole token, op_hf_…:os_hf_…: a character is missing or wrong.",
		);
	if (url === null)
		throw new OperatorError(
			"HOLDFAST_OPERATOR_TOKEN is set, but HOLDFAST_URL is not: set it to the address of the service.",
		);
	return { url, token };
}

/** On a machine that has the address of a service and no database, the token was probably forgotten. */
async function requireDatabase({ url, databaseUrl, dataDir }: Config): Promise<void> {
	if (url === null || databaseUrl !== null) return;
	const { hasCluster } = await import("../../../service/src/ground/embedded/store.ts");
	if (await hasCluster(dataDir)) return;
	throw new OperatorError(
		`There is neither a service nor a database in ${dataDir}. To call the service at ${url}, set HOLDFAST_OPERATOR_TOKEN to an operator's token; to work on a database of this machine, set HOLDFAST_DATA_DIR to its folder.`,
	);
}

type Work<T> = (call: CallOperator, session: OperatorSession) => Promise<T>;

const workAt = <T>(place: ServiceAddress, session: Omit<OperatorSession, "open">, work: Work<T>): Promise<T> =>
	work(callsAt(place), { ...session, open: (id, asked) => openFile(place, id, asked as AnyAsked) });

let interrupt = (): void => undefined;
const IN_SERVICE: Omit<OperatorSession, "open"> = {
	isHere: false,
	onInterrupt(tell) {
		const before = interrupt;
		interrupt = () => exitInterrupted(tell());
		for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, before).once(signal, interrupt);
	},
};

/** Error codes of a connection to a socket that another account owns. */
const NOT_OURS: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/** Whether a service listens on this socket. */
async function answers(path: string): Promise<boolean> {
	const socket = connect(path);
	try {
		await once(socket, "connect");
		return true;
	} catch (error) {
		const { code = "" } = error as { readonly code?: string };
		if (NOBODY_THERE.has(code)) return false;
		if (!NOT_OURS.has(code)) throw error;
		throw new OperatorError(
			`This account may not open ${path}: run the command as the account of the service, or set HOLDFAST_URL and HOLDFAST_OPERATOR_TOKEN.`,
			{ cause: error },
		);
	} finally {
		socket.destroy();
	}
}

const callsAt =
	(place: ServiceAddress): CallOperator =>
	async (id, asked = {}, hints = {}) => {
		try {
			return (await send(place, id, asked as AnyAsked)) as DataOfCall<typeof id>;
		} catch (error) {
			const hint = error instanceof CommandRefused ? hints[error.code] : undefined;
			if (!(error instanceof CommandRefused) || hint === undefined) throw error;
			throw new CommandRefused(error.code, `${error.message} ${hint}`, error.problems);
		}
	};

/** Maximum number of items per page. */
const PAGE = 500;

type ListId = {
	[Id in OperatorOperationId]: DataOfCall<Id> extends { readonly items: readonly unknown[] } ? Id : never;
}[OperatorOperationId];
export type ItemOf<Id extends ListId> =
	DataOfCall<Id> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** A list with the items of all its pages; its other fields are those of the last page. */
type AllOf<Id extends ListId> = Omit<DataOfCall<Id>, "items" | "next_cursor"> & {
	readonly items: ItemOf<Id>[];
	readonly next_cursor: string | null;
};

/** The items of a list, page by page: all of them, or at most `most`. `params`: the path parameters. */
export const listItems = <Id extends ListId>(
	id: Id,
	query: Asked<Id>["query"],
	most = Number.POSITIVE_INFINITY,
	hints: Hints = {},
	params?: Asked<Id>["params"],
): Promise<AllOf<Id>> =>
	withOperator((call) => pagesOf(call, id, { query, ...(params === undefined ? {} : { params }) }, most, hints));

/** Like `listItems`, for a command that calls several operations. */
export async function pagesOf<Id extends ListId>(
	call: CallOperator,
	id: Id,
	{ query, params }: { query?: Asked<Id>["query"]; params?: Asked<Id>["params"] } = {},
	most = Number.POSITIVE_INFINITY,
	hints: Hints = {},
): Promise<AllOf<Id>> {
	const items: ItemOf<Id>[] = [];
	let cursor: string | null = null;
	let last: object = {};
	do {
		const limit = Math.min(PAGE, most - items.length);
		const asked = {
			...(params === undefined ? {} : { params }),
			query: { ...(query as object | undefined), limit, cursor: cursor ?? undefined },
		} as unknown as Asked<Id>;
		const page = (await call(id, asked, hints)) as { items: readonly ItemOf<Id>[]; next_cursor: string | null };
		items.push(...page.items);
		cursor = page.next_cursor;
		last = page;
	} while (cursor !== null && items.length < most);
	return { ...last, items, next_cursor: cursor } as unknown as AllOf<Id>;
}
