import type { Transporter } from "nodemailer";
import type { Query } from "../../ground/pg/connect.ts";
import { type NoticeKind, noticeMail } from "./notice.ts";
import { selectNoticed } from "./send-sql.ts";

/** Milliseconds for each step of an SMTP session. */
const MAIL_WITHIN_MS = 10_000;

export interface MailSettings {
	/** `smtp://` or `smtps://`, with user and password. */
	readonly smtpUrl: string;
	readonly from: string;
	readonly to: string;
}

export type SendMail = (mail: { readonly subject: string; readonly text: string }) => Promise<unknown>;

/** Uses the operator's mail server; null if none is configured. */
export function createMailer(settings: MailSettings | null): SendMail | null {
	if (settings === null) return null;
	const { from, to } = settings;
	let transport: Promise<Transporter> | null = null;
	return async (mail) => {
		transport ??= openTransport(settings);
		return await (await transport).sendMail({ ...mail, from, to });
	};
}

/** Loads the library at the first mail: most processes never send one. */
async function openTransport({ smtpUrl, from, to }: MailSettings): Promise<Transporter> {
	const { createTransport } = await import("nodemailer");
	const transport: Transporter = createTransport(smtpUrl, { from, to });
	Object.assign(transport.options, {
		connectionTimeout: MAIL_WITHIN_MS,
		greetingTimeout: MAIL_WITHIN_MS,
		socketTimeout: MAIL_WITHIN_MS,
	});
	return transport;
}

export interface MailDeps {
	readonly db: Query;
	/** Null: no mails are sent. */
	readonly mail: SendMail | null;
}

/** Notifies the operator of one endpoint by mail. */
export async function mailNotice({ db, mail }: MailDeps, endpointId: string, what: NoticeKind): Promise<undefined> {
	const noticed = mail === null ? null : await selectNoticed(db, endpointId);
	if (noticed !== null) await mail?.(noticeMail(what, noticed));
	return undefined;
}
