import type { Log } from "../../ground/lib/log.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { readVersion } from "../../ground/lib/version.ts";
import { isLockTimeout } from "../../ground/pg/faults.ts";
import type { ReadSource, Reads } from "../../ground/pg/reads.ts";
import { carryOutWrite, type WriteDeps } from "../../partners/admin/mount-write.ts";
import { OPERATORS, type Operator } from "../../partners/admin/operator.ts";
import { type AnyRequest, type Gate, mount } from "../../partners/http/mount.ts";
import type { OperationAnswer } from "../../partners/http/operation.ts";
import { findKeyRing, type KeyRingSettings } from "../../partners/keys/load-key-ring.ts";
import { MakeBackup, MOST_AT_ONCE, TAR_TYPE } from "./admin-contract.ts";
import { type SentBackup, sendBackup } from "./send-backup.ts";
import type { FileKeeper } from "./write-backup.ts";

export interface BackupAdminDeps extends WriteDeps {
	readonly databaseUrl: string;
	readonly config: KeyRingSettings;
	readonly reads: Pick<Reads, "source">;
	readonly log: Pick<Log, "warn">;
	/** Creates a keeper for one backup. */
	readonly keepFiles: () => FileKeeper;
}

/** Backups that operators request. The audit row is committed before the first byte is sent. */
export function admin(gate: Gate<Operator>, deps: BackupAdminDeps): void {
	let sending = 0;
	const begin = async (passphrase: string | undefined) => {
		if (sending >= MOST_AT_ONCE)
			return refuse(
				"not_possible_now",
				`This node is sending ${MOST_AT_ONCE} backups already: try again when one of them has ended.`,
			);
		sending++;
		const begun = await beginBackup(deps, passphrase).catch((error: unknown) => {
			sending--;
			throw error;
		});
		if (isRefusal(begun)) sending--;
		else void begun.ended.then(() => sending--);
		return begun;
	};
	mount(gate, MakeBackup, async (request) => {
		const begun = await begin(request.body.passphrase);
		const write = async () => (isRefusal(begun) ? begun : replyOf(begun));
		const answer = await carryOutWrite(deps, MakeBackup, request as unknown as AnyRequest, { write }).catch(
			(error: unknown) => {
				if (!isRefusal(begun)) begun.archive.destroy();
				throw error;
			},
		);
		if (isRefusal(answer) && !isRefusal(begun)) begun.archive.destroy();
		return answer as OperationAnswer<typeof MakeBackup>;
	});
}

async function beginBackup(
	{ databaseUrl, config, keepFiles, reads, log }: BackupAdminDeps,
	passphrase: string | undefined,
): Promise<SentBackup | Refusal<"not_possible_now" | "retry">> {
	const ring = passphrase === undefined ? null : await findKeyRing(config);
	if (passphrase !== undefined && ring === null)
		return refuse(
			"not_possible_now",
			"There is no key ring to include: set HOLDFAST_SECRET_KEYS to the service's value.",
		);
	const keyRing = passphrase === undefined || ring === null ? null : { text: ring.text, passphrase };
	const sendFrom = ({ url, confirm }: { readonly url: string; readonly confirm?: ReadSource["confirm"] }) =>
		sendBackup(url, { version: readVersion(), files: keepFiles(), keyRing, confirm });
	const replica = reads.source(OPERATORS);
	try {
		if (replica === null) return await sendFrom({ url: databaseUrl });
		return await sendFrom(replica).catch((error: unknown) => {
			log.warn("a backup could not begin on the replica, and begins on the primary", {}, error);
			return sendFrom({ url: databaseUrl });
		});
	} catch (error) {
		if (!isLockTimeout(error)) throw error;
		return refuse(
			"retry",
			"A migration has locked the tables. Nothing was done: send the request again when the migration has ended.",
		);
	}
}

const replyOf = ({ archive, madeAt, notCarried }: SentBackup) => ({
	status: 200,
	type: TAR_TYPE,
	content: archive,
	headers: {
		"Content-Disposition": `attachment; filename="holdfast-${madeAt.replaceAll(":", "-")}.tar"`,
		"X-Not-Carried": notCarried.map(encodeURIComponent).join(","),
	},
	about: `the database as of ${madeAt}`,
});
