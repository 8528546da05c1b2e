import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { must } from "../../ground/lib/assert.ts";
import { inTurns } from "../../ground/lib/paced.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import type { ORDER_COMMANDS } from "../../inventory/orders/commands.ts";
import type { TrackingUrls } from "../../inventory/shipping/carriers.ts";
import type { STOCK_COMMANDS } from "../../inventory/stock/commands.ts";
import { FRESH_SIGN_IN_EXAMPLE } from "../../partners/admin/headers.ts";
import { mountWrite, type ReadWriteDeps, refuseStale } from "../../partners/admin/mount-write.ts";
import { actorOf, hasRole, type Operator } from "../../partners/admin/operator.ts";
import { LIVE_KEY_ROLE } from "../../partners/admin/role.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import type { ParsedOf, Request } from "../../partners/http/operation.ts";
import type { Minting } from "../../partners/keys/mint-key.ts";
import { mountRun, type StartRunDeps } from "../../partners/runs/mount-run.ts";
import { notBegun, type RunKind } from "../../partners/runs/run.ts";
import { ImportWorld } from "./admin-contract.ts";
import { applyWorld, type ImportReport, orRefusal, previewWorld } from "./apply-world.ts";
import { boundedReport } from "./bounded-report.ts";
import { ImportDemand } from "./demand-admin-contract.ts";
import { emptyWorld, KINDS, type Problem, rowsIn, type World } from "./entries.ts";
import { CSV_TYPE, ExportKeys, ExportSection } from "./export-contract.ts";
import { importDemand } from "./import-demand.ts";
import {
	importTracking,
	lookAtTracking,
	type ReadParcels,
	readTracking,
	type TrackingState,
	unchangedReport,
} from "./import-tracking.ts";
import { readSection } from "./read-section.ts";
import { notUtf8, takeFile, takeSections } from "./read-world.ts";
import { refuseProblems } from "./refused.ts";
import { selectExportedKeys } from "./section-sql.ts";
import { ImportTracking } from "./tracking-admin-contract.ts";

export interface ImportAdminDeps extends StartRunDeps, ReadWriteDeps, Minting {
	/** Executes commands of the engine in a transaction that also changes the catalogue. */
	readonly sandbox: { readonly executeIn: ExecutesIn<typeof STOCK_COMMANDS> };
	readonly executeIn: ExecutesIn<typeof ORDER_COMMANDS>;
	/** The carriers whose parcels can be tracked. */
	readonly carriers: TrackingUrls;
}

/** Maximum characters of the names of files in the audit log. */
const MAX_ABOUT = 200;

type Asked = Request<typeof ImportWorld, Operator>;

interface State {
	readonly newBatch: boolean;
	readonly rows: number;
	/** The tokens of new keys, in the order of the keys in the report; encrypted. */
	readonly tokens: { readonly ringId: string; readonly sealed: string } | null;
	/** What the caller may mint; judged again when the import is applied, because the world may have changed since. */
	readonly may: { readonly mintLive: boolean; readonly mint: boolean };
}

/** The operations of the operator's API that import and export. */
export function admin(gate: Gate<Operator>, deps: ImportAdminDeps): void {
	mountWorld(gate, deps);
	mountExports(gate, deps);
	mountDemand(gate, deps);
	mountTracking(gate, deps);
}

function mountWorld(gate: Gate<Operator>, deps: ImportAdminDeps): void {
	mountRun(gate, deps, ImportWorld, {
		kind: kindOf(deps),
		async begin(tx, request) {
			const input = await readInput(request);
			const report = await preview(tx, request, input);
			if (isRefusal(report)) return report;
			const stale = report.created.keys > 0 ? refuseStale(request.caller) : null;
			if (stale !== null) return stale;
			const rows = rowsIn(input.world);
			const may = { mintLive: hasRole(request.caller, LIVE_KEY_ROLE), mint: refuseStale(request.caller) === null };
			const state = { newBatch: request.body.new_batch === true, rows, tokens: null, may };
			return { about: aboutOf(request), first: notBegun<State>(state, rows), input: input.world };
		},
		async dryRun(request) {
			const input = await readInput(request);
			return await snapshot(deps.db, (tx) => preview(tx, request, input));
		},
		async reply({ runId, result }, { tokens }, { caller }) {
			const stale = tokens === null ? null : refuseStale(caller); // a repeat shows the tokens again
			if (stale !== null) return stale;
			const report = must(result, "the report") as ImportReport;
			const text = tokens === null ? null : deps.sealer.open(idOf(runId), opened(tokens));
			const shown = text === null ? [] : (JSON.parse(text) as (string | null)[]);
			const keys = report.keys.map((key, i) => ({ ...key, token: shown[i] ?? null }));
			return { ...inOrder(report), keys };
		},
		asksFresh: () => false, // only an import that mints keys needs it, which is known only once it has been read
	});
}

function mountExports(gate: Gate<Operator>, { readDb, listDb }: ImportAdminDeps): void {
	mount(gate, ExportSection, ({ params: { section } }) => ({
		status: 200,
		type: CSV_TYPE,
		content: Readable.from(readSection(listDb, section)),
		headers: { "Content-Disposition": `attachment; filename="${section}.csv"` },
	}));

	mount(gate, ExportKeys, async () => {
		const keys = await selectExportedKeys(readDb);
		return {
			status: 200,
			data: { keys: keys.map((key) => ({ ...key, expires_at: key.expires_at?.toISOString() ?? null })) },
		};
	});
}

/**
 * An import is one transaction, and so one step: it is done once, together with its result, or not at all. The data to
 * import are in the memory of the node that read them, so no other node can continue the import.
 */
const kindOf = ({ ring, openSandbox, sandbox: { executeIn }, sealer }: ImportAdminDeps): RunKind<State> => ({
	operation: "import_world",
	async next(tx, state, facts) {
		if (facts.input === undefined)
			return refuse(
				"internal_error",
				"The node that carried out the import is gone, and nothing was changed. Import the files again.",
			);
		const { actor, requestId } = facts;
		const settings = { executeIn, openSandbox, ring, actor, requestId, newBatches: state.newBatch };
		const { rows } = state;
		let written = 0;
		const advance = (more: number): void => facts.note((written += more), rows);
		const report = await orRefusal(() => applyWorld(tx, settings, facts.input as World, advance));
		if (isRefusal(report)) return report;
		const refused = refuseMinting(facts.input as World, (i) => report.keys[i]?.token !== null, state.may);
		if (refused !== null) return refused;
		const result = boundedReport({ ...report, keys: report.keys.map((key) => ({ ...key, token: null })) });
		const hasTokens = report.keys.some(({ token }) => token !== null);
		const { ringId, sealed } = sealer.seal(idOf(facts.runId), JSON.stringify(report.keys.map(({ token }) => token)));
		const tokens = hasTokens ? { ringId, sealed: sealed.toString("base64") } : null;
		return { state: { ...state, tokens }, done: rows, of: rows, result, isEnd: true };
	},
});

/** The report with its members in the order of a dry run's report: the stored result of a run has lost that order. */
function inOrder(report: ImportReport): ImportReport {
	const { dry_run, created, changed, unchanged, changes, formulas, lots, keys, left_out } = report;
	const counts = (of: ImportReport["created"]) =>
		Object.fromEntries(KINDS.map((kind) => [kind, of[kind]])) as ImportReport["created"];
	return {
		dry_run,
		created: counts(created),
		changed: counts(changed),
		unchanged: counts(unchanged),
		changes,
		formulas,
		lots,
		keys,
		...(left_out === undefined ? {} : { left_out }),
	};
}

const idOf = (runId: string): string => `import ${runId}`;
const opened = ({ ringId, sealed }: NonNullable<State["tokens"]>) => ({
	ringId,
	sealed: Buffer.from(sealed, "base64"),
});

interface Input {
	readonly world: World;
	readonly unread: readonly Problem[];
}

/** The world of a request: the sections of its body, then its files in their order. */
async function readInput({
	body: { dry_run: _, new_batch: __, reason: ___, ...sections },
	files,
}: Asked): Promise<Input> {
	const world = emptyWorld();
	const unread = await inTurns(takeSections(world, "body", sections));
	for (const { name, bytes } of files) {
		const problems = isUtf8(bytes) ? await inTurns(takeFile(world, name, bytes.toString("utf8"))) : [notUtf8(name)];
		for (const problem of problems) unread.push(problem);
	}
	return { world, unread };
}

/** The changes that the import would make, or all its problems. */
async function preview(
	tx: Query,
	{ caller, body }: Asked,
	{ world, unread }: Input,
): Promise<ImportReport | Refusal<"invalid_input" | "forbidden" | "fresh_sign_in_needed">> {
	const settings = { newBatches: body.new_batch === true };
	const report = await orRefusal(() => previewWorld(tx, settings, world, unread));
	if (isRefusal(report)) return report;
	const may = { mintLive: hasRole(caller, LIVE_KEY_ROLE), mint: true };
	return refuseMinting(world, (i) => report.keys[i]?.key_id === null, may) ?? report;
}

/** Refuses an import that mints a key which its caller may not mint. */
function refuseMinting(
	{ keys }: World,
	isMinted: (index: number) => boolean,
	may: State["may"],
): Refusal<"forbidden" | "fresh_sign_in_needed"> | null {
	const minted = keys.filter((_, i) => isMinted(i)).map(({ entry }) => entry);
	const live = may.mintLive ? undefined : minted.find(({ environment }) => environment === "live");
	if (live !== undefined)
		return refuse(
			"forbidden",
			`Minting a live key requires the role ${LIVE_KEY_ROLE}: ${live.partner} / ${live.name}.`,
		);
	return may.mint || minted.length === 0 ? null : refuse("fresh_sign_in_needed", FRESH_SIGN_IN_EXAMPLE);
}

const aboutOf = ({ files, body }: Asked): string =>
	(files.length > 0 ? files.map(({ name }) => name) : KINDS.filter((kind) => body[kind] !== undefined))
		.join(", ")
		.slice(0, MAX_ABOUT);

function mountTracking(gate: Gate<Operator>, deps: ImportAdminDeps): void {
	const { executeIn, carriers } = deps;
	const inStep = (tx: Query, more: unknown): Parameters<typeof importTracking>[0] => ({
		db: tx,
		execute: (commands) => executeIn(tx, commands, more),
	});
	mountRun<typeof ImportTracking, TrackingState>(gate, deps, ImportTracking, {
		kind: {
			operation: "import_tracking",
			next: (tx, state, { actor, requestId, more }) => importTracking(inStep(tx, more), state, { actor, requestId }),
		},
		async begin(tx, { body, files, caller, requestId }, more) {
			const [file] = files;
			if ((file === undefined) === (body.parcels === undefined))
				return refuse("invalid_input", "/parcels: give either a file or parcels");
			const read = file === undefined ? parcelsOf(body.parcels ?? []) : readTracking(file.name, file.bytes);
			const { other_carrier: otherCarrier = false, same_parcel: sameParcel = false } = body;
			const state = await lookAtTracking(tx, carriers, read, { otherCarrier, sameParcel });
			if ("problems" in state) return refuseProblems(state.problems);
			const about = file?.name ?? `${read.parcels.length} parcels`;
			const unchanged = unchangedReport(state);
			if (unchanged !== null) return { about, unchanged };
			// the first boxes ship in the transaction of the request, so a short list is all or nothing after a crash
			return { about, first: await importTracking(inStep(tx, more), state, { actor: actorOf(caller), requestId }) };
		},
	});
}

const parcelsOf = (parcels: NonNullable<ParsedOf<typeof ImportTracking, "body">["parcels"]>): ReadParcels => ({
	parcels: parcels.map(({ order: name, carrier = null, service = null, tracking: trackingNumber }, index) => ({
		at: { file: "", spot: `/parcels/${index}` },
		line: index + 1,
		entry: { name, carrierCode: carrier, serviceCode: service, trackingNumber },
	})),
	problems: [],
});

function mountDemand(gate: Gate<Operator>, deps: ImportAdminDeps): void {
	mountWrite(gate, deps, ImportDemand, async (tx, { files }) => {
		if (files.length === 0)
			return refuse("invalid_input", "There is no file: send a form with each CSV file in a part named `file`.");
		const data = await importDemand(tx, files);
		if (isRefusal(data)) return data;
		const about = files.map(({ name }) => name).join(", ");
		return { status: 200, data, about, changed: data.created + data.changed > 0 };
	});
}
