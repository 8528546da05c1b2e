import { describe, expect, it } from "vitest";
import { newSecretHalf } from "../../partners/keys/token.ts";
import { withoutSecrets } from "./mask-secrets.ts";

const live = newSecretHalf("sk_hf_live_");

describe("A text of a request is kept without", () => {
	it.each([
		["the secret half of a key", `{"a":"pk_hf_live_x:${live}"}`, '{"a":"pk_hf_live_x:sk_hf_live_***"}'],
		["a secret half outside of JSON", `?key=${live}&b=1`, "?key=sk_hf_live_***&b=1"],
		["a whole key in a path, encoded", `/pk_hf_live_x%3A${live}`, "/pk_hf_live_x%3Ask_hf_live_***"],
		["an operator's secret", newSecretHalf("os_hf_"), "os_hf_***"],
		["the secret of an endpoint", '{"note":"whsec_MfKQ9r8G+/sYqw=="}', '{"note":"whsec_***"}'],
		["the value of a secret member", '{"secret" : "a\\"b", "b": 1}', '{"secret" : "***", "b": 1}'],
		["a secret member that was cut off", '{"b":1,"password":"abc', '{"b":1,"password":"***"'],
		["a password in an address", "https://anna:hunter2@host/x", "https://anna:***@host/x"],
	])("%s", (_what, text, kept) => expect(withoutSecrets(text)).toBe(kept));

	it("and with everything else", () => {
		const text = '{"reservation_token":"0199f0a0-1111-7000-8000-000000000001","note":"https://host:443/a@b"}';
		expect(withoutSecrets(text)).toBe(text);
	});
});
