import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpOf } from "../../src/partners/people/totp.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { PASSWORD } from "../person.ts";
import { hasBrowser } from "./browser.ts";
import { DESK, type OpenConsole, openConsole, visit } from "./console-look.ts";

/** Milliseconds for which a code of an authenticator app is shown (RFC 6238). */
const CODE_MS = 30_000;

let open: OpenConsole;

beforeAll(async () => {
	if (hasBrowser) open = await openConsole({ HOLDFAST_ADMIN_SECOND_FACTOR: "required" });
}, 60_000);
afterAll(() => open?.close());

describe.skipIf(!hasBrowser)("The console where a second factor is required", () => {
	it("shows the recovery codes, and goes on only when the person has kept them", async () => {
		const context = await open.browser.newContext({ viewport: DESK });
		const page = await open.newPage(context, await open.linkFor("rita", "operator"));
		await page.getByLabel("Password").fill(PASSWORD);
		await page.getByRole("button", { name: "Go on" }).click();
		await page.getByRole("button", { name: "Add an authenticator app" }).click();
		const secret = (await page.locator(".copy pre").first().textContent()) ?? "";
		keepSecretsOf(JSON.stringify({ secret }));
		const now = performance.timeOrigin + performance.now();
		await page.getByLabel("Code that the app shows").fill(totpOf(secret, Math.floor(now / CODE_MS)));
		// what is read again once the factor is there must not take the codes away
		const again = page.waitForResponse((reply) => new URL(reply.url()).pathname.endsWith("/api/v1/me"));
		await page.getByRole("button", { name: "Confirm" }).click();
		await again;
		await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
		const codes = ((await page.locator(".copy pre").textContent()) ?? "").split("\n");
		for (const code of codes) keepSecretsOf(JSON.stringify({ secret: code }));
		expect(codes).toHaveLength(10);
		await page.getByRole("button", { name: "I have kept them" }).click();
		await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
		await visit(page, "Your account");
		await page.getByText("10 recovery codes left").waitFor();
		await context.close();
	}, 60_000);
});
