/* Written by `npm run gen` from docs/errors/. */

/** What the page of each code says, as plain text: a line for each paragraph and each item of a list. */
export const PAGES = {
	bad_request: {
		when: "The request could not be read, so its fields were not checked:\n- 400: the body is not JSON, is not a JSON object, is not UTF-8, is compressed, or came without `Content-Type: application/json`.\n- 400: an object of the body has a member name twice, also if it is spelled differently (`qty` and `q\\u0074y` are one name). Parsers disagree about the meaning of such a body, so it is not executed.\n- 400: the body contains many times more values than any request of this operation can need, or is nested deeper than 32 levels.\n- 400: the message is not HTTP/1.1, or its path is not valid.\n- 400: the request has no `Host` header or two, two `Authorization` headers, or a `Transfer-Encoding` other than `chunked`. The connection is closed.\n- 405: the path does not support the method, or the method is CONNECT. The header `Allow` names the supported methods.\n- 408: the headers did not arrive within 10 seconds, or the whole request not within 30. The connection is closed.\n- 413: the body is larger than 1 MiB.\n- 431: the request line and the headers are together larger than 16 KiB. The connection is closed.",
		todo: "Correct the request. Sent again unchanged it fails again, except for a 408, which a slow connection can cause. Send the body as UTF-8 JSON with `Content-Type: application/json`.",
	},
	brand_mismatch: {
		when: "`brand_code` names a brand this key may not act for:\n- the key is bound to a brand and the request names another one, whether or not that one exists;\n- a live key names `SANDBOX`.\nIt is checked before anything else about the items, and before an idempotent replay.",
		todo: "Leave `brand_code` out: a key bound to a brand acts for that brand by itself. If you do need another brand, ask the operator for a key that is bound to it, or to none.",
	},
	forbidden: {
		when: "The key is valid, but does not have the scope of the operation. A read-only key has `atp.products`, `atp.inventory` and `atp.check`, and is refused everywhere else. The scopes of a key never change after it is minted.\nA live key is also refused by `GET /api/v1/sandbox/requests`, `GET /api/v1/sandbox/golive`, `POST /api/v1/sandbox/golive/drill` and `POST /api/v1/sandbox/shown`, which are for sandbox keys.",
		todo: "Ask the operator for a key with the scope that the message names. On a read, stop showing stock and alert a person: a 403 is never a count of zero.",
	},
	gone: {
		when: "The hold has ended and cannot be released: it expired, was consumed, was consumed and reversed, or became an order. A hold that was already released answers 200 instead.\nAt the COA address: the certificate was withdrawn, or has another PDF now.",
		todo: "The hold has nothing left to release, so nothing needs to be done. To give back units that you consumed, use `POST /api/v1/consume/reverse` with the `external_ref` of the consume.\nAt the COA address: take the PDF down, and read the lot again from the feed.",
	},
	hold_race: {
		when: "Another transaction changed or locked the hold, or the lots it draws from, while the order was being placed, and the service's own retries, of at most five seconds, did not succeed. Nothing was done. The reply has `Retry-After: 1`.",
		todo: "Send the same request again, with the same `Idempotency-Key`.",
	},
	idempotency_mismatch: {
		when: "The `Idempotency-Key` was already used to place an order from another hold.",
		todo: "Use a new `Idempotency-Key` for each order; repeat one only to repeat the same order.",
	},
	idempotency_required: {
		when: "The header `Idempotency-Key` is missing or empty.",
		todo: "Send an `Idempotency-Key` of 1 to 200 visible ASCII characters, the same on every repeat of one order.",
	},
	internal_error: {
		when: "Something failed on our side. The outcome of the request is unknown: it was either carried out completely or not at all, never in part.",
		todo: "Send the same request again after a second, then after growing pauses. That is safe for a release, and for requests with your own reference: a repeated reserve with an `external_ref`, consume, reverse or order (same `Idempotency-Key`) gets the answer of the first. A reserve without `external_ref` may leave a hold for which you have no token; it ends by itself at its `expires_at`.\nIf it keeps happening, tell the operator the `X-Request-Id` of the reply.",
	},
	invalid_customer: {
		when: "Something at or below `customer` is missing or malformed: for instance `country` is not an ISO 3166 alpha-2 code, or `state` is missing for US, CA or AU. The message names the field.",
		todo: "Correct the field the message names, then send the request again with the same `Idempotency-Key`.",
	},
	invalid_input: {
		when: "The request was read, but the operation does not accept a part of it:\n- a field is missing, of the wrong type, too long, too short or out of range;\n- a field or query parameter that does not exist was sent, or a parameter that takes one value was given twice;\n- `X-Partner-Version` is not a date of the form `YYYY-MM-DD`, or is a day that does not exist;\n- a cursor was not made by this service, or for another key, or with other filters;\n- on consume, the `external_ref` was already used by this key to consume another hold;\n- a reserve asks for more units in all than the key may ever hold, or than one hold can have (2,147,483,647); the message says how many;\n- a webhook endpoint: its URL is not `https` or its host has no public internet address, there are already ten, or an inactive one was to be tested, recovered or sent a delivery again; or the event of that delivery is no longer kept;\n- orders to be combined differ in brand, address or service level, or there are fewer than two;\n- a key that is bound to no brand must name one: for a list of one brand, or because the key has no access to the shared stock.\nThe message names each field by JSON pointer (`/items/0/qty`), or the query parameter the same way, and says what was expected.",
		todo: "Correct the field that the message names; sent again unchanged the request fails again. Texts must be well-formed Unicode without NUL; they are never trimmed, and their length is counted in code points.",
	},
	invalid_item: {
		when: "A line of the reserve cannot be held, whatever the stock:\n- there is no such SKU, or it belongs to the other environment (`SBX-*` to the sandbox, all others to live);\n- the SKU is not physical (a fee or a discount), so there is nothing to hold;\n- an unbound key names a brand that does not exist;\n- a formula of the SKU is archived or a draft, or a kit has no recipe.\nNo line of the request is held.\nOn `POST /api/v1/reserve-cache`: an item names a SKU or a formula that does not exist for this key, a kit (name its formulas by `formula_id`), or a SKU without a formula. The mirror stays as it was.",
		todo: "The message names the line and the reason. Take the line out of the cart, or correct your mapping of products to SKUs against `GET /api/v1/products`. Leave out non-physical lines: they need no hold.",
	},
	kit_incomplete: {
		when: "The hold is impaired: some of its kits lost units to a recall or an expiry date that could not be replaced; other kits are still whole.",
		todo: "Release the hold, and reserve again what is still available.",
	},
	no_inventory: {
		when: "There is not enough stock for every line of the reserve, so nothing is held. Demand is added up over all lines before it is compared: two lines of the same SKU, or two kits that share a formula, count together. Units that are promised elsewhere and the operator's safety buffer are not available.",
		todo: "Do not charge the customer. Show the item as sold out, or ask `POST /api/v1/check` how many are available (`atp_qty`) and offer that. Sending the same request again helps only after stock has come in or holds have ended.",
	},
	not_consumed: {
		when: "This `external_ref` is known only from a reserve: nothing was ever consumed under it. A reverse is keyed by the `external_ref` of the consume, which may differ from that of the reserve.",
		todo: "Send the reference you gave to `POST /api/v1/consume`. If nothing was consumed, there is nothing to give back: release the hold, or let it expire.",
	},
	not_found: {
		when: "The request names something that does not exist for this key:\n- no hold with this `reservation_token` (release, consume, advance, reading a hold back);\n- no hold that was reserved under this `external_ref` (reading a hold back);\n- no consume under this `external_ref` (reverse);\n- no such SKU (inventory);\n- no certificate of this batch number, or no such PDF (the COA feed, the lookup);\n- no webhook endpoint with this id, of this partner and environment, or no delivery with this id to it;\n- no go-live run of this key, or none that is running;\n- no such path, or an operation that only sandbox keys may call.\nA hold of another key is answered exactly like one that never existed.",
		todo: "Check that you sent the token or reference you were given, to the right environment, with the key that made it: a hold belongs to the `pk_` half of the key, so the key still finds it after a rotation, and another key does not. If a path or a SKU is spelled almost like an existing one (slashes, capitals, dashes), the message names the one that was probably meant.",
	},
	not_reversible: {
		when: "The hold under this reference became an order that the manufacturer ships, so there is no consume to give back.",
		todo: "Cancel the order instead: `POST /api/v1/orders/{ref}/cancel`.",
	},
	order_forbidden: {
		when: "The `order_id` is that of an order of another key of the same partner. (An `Idempotency-Key` is only known to its own key: another key gets `order_not_found`.)",
		todo: "Use the key that placed the order.",
	},
	order_not_cancellable: {
		when: "The order is picked or shipped, or a part of it was shipped before it was put on hold. It can no longer be cancelled.",
		todo: "Ask the manufacturer for a return authorization.",
	},
	order_not_found: {
		when: "The reference is neither the id of an order of this partner nor an `Idempotency-Key` of this key. In `POST /api/v1/sandbox/advance` an order of another key of the same partner gets this answer too.",
		todo: "Check the reference and the environment of the key.",
	},
	rate_limited: {
		when: "One of these limits was exceeded; the message says which:\n- the key made more requests in 60 seconds than it may (60 unless the operator set another limit). Refused requests do not lengthen the wait;\n- together with the units that the key already holds, this reserve would exceed the cap that the operator set (a reserve that exceeds it by itself is invalid_input);\n- the key asked about more than 10 tokens in 60 seconds (`POST /api/v1/keys/introspect` has this limit in addition to the key's own);\n- more requests are waiting in the service than it accepts, in all or of this key; nothing was done;\n- events of this partner are being recovered at this moment; nothing was done;\n- two names of webhook addresses of this partner are being resolved at this moment; nothing was done;\n- the key has more than 2 MiB of large bodies in progress, or all keys together more than 64 MiB (bodies up to 16 KiB do not count); nothing was done;\n- other requests kept the same lots, hold or order locked until the service gave up; nothing was done. (A reserve answers `retry` instead, placing an order `hold_race`);\n- the service has found no database that takes writes for some seconds; nothing was done;\n- a sandbox restock waited for its turn for some seconds; nothing was done.\nFailed authentication has a limit of its own: 30 a minute for each address. Beyond it, requests from that address with a token that was never valid are answered 429. A token that was valid once and is revoked, suspended, expired or rotated out is still answered 401. Without a key, an address may look up 30 lots a minute, and request 30 PDFs a minute that do not exist.\nA connection on which 60 requests in a row are refused with this code is closed: its last reply has `Connection: close`.",
		todo: "Wait as many seconds as the header `Retry-After` says (never 0), then send the request again. Spread reads over time: `RateLimit` on every reply says how many requests are left and when the window moves on. Over the cap on held units, release or consume holds first.",
	},
	reservation_empty: {
		when: "The hold is active, but none of its kits is whole: their units were lost to a recall or an expiry date.",
		todo: "Release the hold, then reserve again: until it is released, a reserve under the same `external_ref` answers this empty hold. Do not charge before the reserve succeeds.",
	},
	reservation_expired: {
		when: "The hold reached its `expires_at` before the order was placed.",
		todo: "Reserve again, then place the order.",
	},
	reservation_forbidden: {
		when: "The hold belongs to another key of the same partner. (Release and consume answer 404 in this case.)",
		todo: "Place the order with the key that made the hold.",
	},
	reservation_gone: {
		when: "The hold is over: it was released.",
		todo: "Reserve again, then place the order.",
	},
	reservation_not_found: {
		when: "This partner has no such hold.",
		todo: "Check the `reservation_token` and the environment of the key.",
	},
	reservation_used: {
		when: "The hold was consumed (even if the consume was reversed since), or became an order under another `Idempotency-Key`.",
		todo: "Look up the order or the consume; do not place the order twice.",
	},
	retry: {
		when: "Other requests took units of the same lots at the same moment, or another session kept these lots locked, and the service's own retries, of at most five seconds, did not succeed. Nothing is held. This code never means a shortage; that is `no_inventory`.",
		todo: "Send the same request again, with the same `external_ref`, after the second that `Retry-After` says. In the sandbox a reserve of `SBX-RETRY` always answers this code, so that you can test it.",
	},
	shipstation_error: {
		when: "The shipping-label platform has the order and refused the change, or did not answer within 12 seconds. Nothing was changed here.",
		todo: "Try again later; if it goes on, tell the operator the `X-Request-Id` of the reply.",
	},
	unauthorized: {
		when: "The `Authorization` header is missing or is not `Bearer <pk_…>:<sk_…>`, or the key is unknown, its secret is wrong, or it is suspended, revoked or expired. If the form of the header is wrong, the message says how: the header is missing, is not `Bearer`, has only one half of the key, or has the halves in the wrong order. If the form is right, the message deliberately does not say why the key is refused. The reply has `WWW-Authenticate: Bearer`.\nA key is checked when the request begins, when its body is complete, and just before the operation is carried out: if the key ends meanwhile, the answer is 401 and nothing was done.",
		todo: "Check that the whole token is sent, both halves joined by a colon. If it is, ask the operator whether the key is still in force. Until it works again, stop showing stock and alert a person: a 401 is never a count of zero. Do not retry in a loop: after 30 failures in a minute from one address, tokens that were never valid are answered 429.",
	},
	unknown_brand_code: {
		when: "A key that is bound to no brand named a brand that does not exist. (In this case check answers 200 with `known: false`, and reserve answers `invalid_item`.)",
		todo: "Correct the `brand_code`. Codes are case-sensitive.",
	},
	unresolved_stack: {
		when: "A kit in the hold has no recipe any more, or one of its formulas is no longer active.",
		todo: "Release the hold and reserve without the kit. If the kit should still be sold, contact the operator.",
	},
	unsupported_version: {
		when: "`X-Partner-Version` is a well-formed date that this deployment does not support: it is newer than the current date, or older than the oldest accepted one. The reply has the current date in `X-Partner-Version`.",
		todo: "Send a date that the message names, or leave the header out to get the current one. `GET /api/versions` lists the accepted dates and their ends; it needs no key.",
	},
	wrong_state: {
		when: "The hold exists, but cannot be consumed under this reference:\n- it expired or was released;\n- it was already consumed under another `external_ref`, or its consume was reversed;\n- it became an order;\n- it is impaired: a lot it was drawn from was recalled, destroyed or passed its date, and the units could not be picked again elsewhere.\nWhen orders are combined (409): one of them is no longer placed, is already in a box with other orders, or its box has a label.\nIn the sandbox (409): the order or hold cannot move to this state. A picked order is not picked again, a held one is neither picked nor shipped, and a hold that has ended does not expire.\nIn a go-live (409): the drill, the messages or the unkind hour of the run is under way already.",
		todo: "The message says which case it is. If the hold expired or was released, reserve again before charging. If it is impaired, release it and reserve again what is still available. A repeat of your own consume under the same reference never gets this code: it answers 200 with `idempotent: true`.",
	},
} as const;
