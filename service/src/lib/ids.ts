import { randomBytes, randomUUIDv7 } from "node:crypto";

/** A new row's id: uuid version 7, so that indexes grow at one end. */
export const newId = (): string => randomUUIDv7();

// A request id must be unique and cheap, not unguessable: a random prefix of this process and a counter.
const processPart = randomBytes(6).toString("hex");
let count = 0;

/** The id of one request, `req_…`: in the reply's `X-Request-Id`, in the log line and in the ledger. */
export const newRequestId = (): string => `req_${processPart}${(++count).toString(36).padStart(6, "0")}`;
