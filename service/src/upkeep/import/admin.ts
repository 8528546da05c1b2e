import type { CommandOf } from "../../ground/engine/kind.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { ORDER_COMMANDS } from "../../inventory/orders/commands.ts";
import type { TrackingUrls } from "../../inventory/shipping/carriers.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import type { UploadedFile } from "../../partners/http/form.ts";
import type { Gate } from "../../partners/http/mount.ts";
import type { ParsedOf } from "../../partners/http/operation.ts";
import { mountRun, type StartRunDeps } from "../../partners/runs/mount-run.ts";
import {
	importTracking,
	lookAtTracking,
	type ReadParcels,
	readTracking,
	type TrackingState,
	unchangedReport,
} from "./import-tracking.ts";
import { ImportRefused } from "./refused.ts";
import { ImportTracking } from "./tracking-admin-contract.ts";

export interface ImportAdminDeps extends StartRunDeps {
	/** Runs commands inside the transaction of a step. `more`: that of the step. */
	readonly executeIn: (
		tx: Query,
		commands: readonly CommandOf<typeof ORDER_COMMANDS>[],
		more: unknown,
	) => Promise<readonly unknown[]>;
	/** The carriers whose parcels can be tracked. */
	readonly carriers: TrackingUrls;
}

/** What operators import. */
export function admin(gate: Gate<Operator>, deps: ImportAdminDeps): void {
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
			const read = file === undefined ? parcelsOf(body.parcels ?? []) : readFile(file);
			const { other_carrier: otherCarrier = false, same_parcel: sameParcel = false } = body;
			const state = await lookAtTracking(tx, carriers, read, { otherCarrier, sameParcel });
			if ("problems" in state) return refuseInput(new ImportRefused(state.problems));
			const about = file?.name ?? `${read.parcels.length} parcels`;
			const unchanged = unchangedReport(state);
			if (unchanged !== null) return { about, unchanged };
			// the first boxes go in the transaction of the request, so a short list is all or nothing after a crash
			return { about, first: await importTracking(inStep(tx, more), state, { actor: actorOf(caller), requestId }) };
		},
	});
}

const readFile = ({ name, bytes }: UploadedFile): ReadParcels => readTracking(name, bytes);

const parcelsOf = (parcels: NonNullable<ParsedOf<typeof ImportTracking, "body">["parcels"]>): ReadParcels => ({
	parcels: parcels.map(({ order: name, carrier = null, service = null, tracking: trackingNumber }, index) => ({
		at: { file: "", spot: `/parcels/${index}` },
		line: index + 1,
		entry: { name, carrierCode: carrier, serviceCode: service, trackingNumber },
	})),
	problems: [],
});

const refuseInput = ({ message, problems }: ImportRefused): Refusal<"invalid_input"> => ({
	...refuse("invalid_input", message),
	problems,
});
