import Type from "typebox";
import { RETRY_EXAMPLE } from "../../partners/admin/headers.ts";
import { adminOperation } from "../../partners/admin/operation.ts";
import { RequestObject, Text } from "../../partners/http/text.ts";
import { MIN_PASSPHRASE_LENGTH } from "./seal-key-ring.ts";

export const TAR_TYPE = "application/x-tar";
/** Maximum code points. */
const MAX_PASSPHRASE_LENGTH = 1_000;
/** Maximum number of backups that a node sends at the same time. Each has its own connection and snapshot. */
export const MOST_AT_ONCE = 3;

export const MakeBackup = adminOperation({
	id: "make_backup",
	method: "POST",
	path: "/admin/api/v1/backups",
	summary: "Make a backup",
	description:
		"Everything in the database as of one moment, with the PDFs of certificates, as the file that `holdfast restore` reads. It is written while it is read: a reply that is not read for half a minute is aborted, and so is one that is not read to its end within a day. A file without its last entry, `manifest.sha256`, is incomplete. The service keeps no copy, so a repeat makes another backup.",
	body: RequestObject("BackupRequest", {
		passphrase: Type.Optional(
			Text({
				min: MIN_PASSPHRASE_LENGTH,
				max: MAX_PASSPHRASE_LENGTH,
				description:
					"The passphrase under which the key ring is encrypted and included. Without it the file has no key ring.",
			}),
		),
	}),
	replies: {},
	contents: { 200: { [TAR_TYPE]: {} } },
	replyHeaders: {
		"Content-Disposition": "With a name for the file.",
		"X-Not-Carried":
			"Tables in the schema that are not Holdfast's and are not in the file: percent-encoded names, separated by commas.",
	},
	examples: {
		request: { passphrase: "correct horse battery" },
		replies: {},
		errors: {
			not_possible_now: `This node is sending ${MOST_AT_ONCE} backups already: try again when one of them has ended.`,
			retry: RETRY_EXAMPLE,
		},
	},
});
