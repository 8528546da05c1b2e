/*
 * Which files of a room wait: use cases, caches, loops, which their names show. Every other file of a room, except
 * those with a fixed role, is pure. A rule that begins to wait must be renamed, so that a reviewer notices.
 */

/** A file that is named after one of these verbs waits, alone or with a noun: `find-order`, `introspect`. */
const VERBS = [
	"accept",
	"add",
	"apply",
	"ask",
	"authenticate",
	"begin",
	"carry",
	"clear",
	"confirm",
	"delete",
	"drop",
	"examine",
	"explain",
	"find",
	"follow",
	"forget",
	"gather",
	"hash",
	"import",
	"introspect",
	"invite",
	"list",
	"load",
	"locate",
	"look",
	"mint",
	"note",
	"post",
	"put",
	"read",
	"recover",
	"refresh",
	"refuse",
	"rekey",
	"remove",
	"renew",
	"require",
	"restock",
	"retry",
	"revoke",
	"rotate",
	"seal",
	"select",
	"send",
	"set",
	"show",
	"suspend",
	"sweep",
	"take",
	"want",
	"withdraw",
	"write",
];
/** The same only with a noun: `reconcile-order` waits, and `reconcile` is a rule. */
const VERBS_WITH_NOUN = [
	"change",
	"check",
	"mirror",
	"move",
	"open",
	"receive",
	"reconcile",
	"record",
	"report",
	"restore",
];
/** A file whose name ends with one of these waits: `key-cache`. */
const NOUNS = ["cache", "files", "gate", "reader"];
/** Files that wait under other names, by room. */
const OTHERS: ReadonlySet<string> = new Set([
	"backup/create-archive",
	"certificates/folder-store",
	"certificates/labels",
	"certificates/qr",
	"certificates/s3-store",
	"certificates/sample-pdf",
	"console/live-streams",
	"demand/draw-units",
	"demand/resolve-exception",
	"demand/ship-demand",
	"keys/shared-budget",
	"keys/standing",
	"ledger/digest-history",
	"ledger/verify",
	"operators/verify-audit",
	"orders/ship-tracked",
	"people/provider",
	"people/sign-in",
	"people/sign-in-by-passkey",
	"people/sign-in-by-provider",
	"sandbox/advance-due-boxes",
	"sandbox/advance-order",
	"sandbox/first-start",
	"shipping/pick-list-of",
	"shipping/push-order",
	"shipping/sheet",
	"shipping/slip-of-box",
	"stock/promised",
	"webhooks/dispatcher",
	"webhooks/create-endpoint",
	"webhooks/guarded-connect",
	"webhooks/mail-notice",
	"webhooks/notice",
]);

const WAITING_NAME = new RegExp(
	`^(${VERBS.join("|")})(-|$)|^(${VERBS_WITH_NOUN.join("|")})-|(^|-)(${NOUNS.join("|")})$`,
);

/** Whether this file of a room waits. */
export const waits = ({ room, name }: { readonly room: string; readonly name: string }): boolean =>
	WAITING_NAME.test(name) || OTHERS.has(`${room}/${name}`);
