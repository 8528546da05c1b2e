import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { isSignedWith } from "./signature.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const OTHER = "whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY=";
const AT = new Date("2026-09-06T12:00:00Z");
const TEXT = '{"type":"order.held"}';

const signed = (secrets: readonly string[], text = TEXT) => ({
	id: "evt_1",
	timestamp: String(AT.getTime() / 1_000),
	signature: secrets.map((secret) => new Webhook(secret).sign("evt_1", AT, TEXT)).join(" "),
	body: Buffer.from(text),
});

it.each([
	["its secret", signed([SECRET]), true],
	["its secret among others, as after a rotation", signed([OTHER, SECRET]), true],
	["another secret", signed([OTHER]), false],
	["its secret, over another body", signed([SECRET], `${TEXT} `), false],
	["its secret, of another event", { ...signed([SECRET]), id: "evt_2" }, false],
	["its secret, of another time", { ...signed([SECRET]), timestamp: "1" }, false],
	["nothing", { ...signed([]), signature: "" }, false],
])("agrees with an independent library on a post signed with %s", (_, post, right) => {
	expect(isSignedWith(SECRET, post)).toBe(right);
});
