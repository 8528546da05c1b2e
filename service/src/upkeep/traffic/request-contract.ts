import Type, { type Static, type TObject, type TProperties } from "typebox";
import { Instant, OrNull } from "../../partners/http/text.ts";

export const Maybe = (description: string) => OrNull(Type.String({ description }));
const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** What the log keeps of a request, as partners and operators read it. */
export const REQUEST_FIELDS = {
	at: Instant("When it arrived."),
	request_id: Type.String({ description: "Its id, as the header X-Request-Id of the reply has it." }),
	operation: Type.String({ description: "The id of the operation; `none`: no operation has this path and method." }),
	method: Type.String({ description: "The HTTP method." }),
	url: Type.String({ description: "Path and query, without secrets." }),
	status: Type.Integer({ description: "The HTTP status of the reply." }),
	code: Maybe("The error code of the reply; null: it was not refused."),
	message: Maybe("The message of the error."),
	ms: Type.Number({ description: "Milliseconds from its headers to its reply." }),
	bytes_in: Count("Bytes of its body."),
	bytes_out: Count("Bytes of the reply's body."),
	date_sent: Maybe("The API date in its header X-Partner-Version; null: it had none."),
	date_used: Type.String({ description: "The API date that was used." }),
	user_agent: Maybe("Its header User-Agent."),
	about: Type.Array(Type.String(), { description: "The tokens and references that it was about." }),
	idempotency_key: Maybe("Its header Idempotency-Key; null: it had none."),
} satisfies TProperties;

export type RequestFields = Static<TObject<typeof REQUEST_FIELDS>>;

/** The bodies of a request of a sandbox key. */
export const BODY_FIELDS = {
	body: Maybe(
		"Its body as it was sent, up to 16 KiB, without secrets. Null: it had none, or it was made with a live key.",
	),
	reply: Maybe("The body of the reply, likewise."),
} satisfies TProperties;

export const REQUEST_EXAMPLE = {
	at: "2026-09-06T12:00:00.123Z",
	request_id: "req_68bc2ac05ca7ce31dbcadef0",
	operation: "reserve",
	method: "POST",
	url: "/api/v1/reserve",
	status: 409,
	code: "no_inventory",
	message:
		'/items/0: not enough stock of "SBX-LOW": 5 units needed, 3 available to promise. Nothing is held: do not charge.',
	ms: 4.2,
	bytes_in: 61,
	bytes_out: 180,
	date_sent: "2026-09-06",
	date_used: "2026-09-06",
	user_agent: "storefront/1.0",
	about: ["cart-1001"],
	idempotency_key: null,
};
