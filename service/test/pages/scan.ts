import type { Page } from "playwright-core";

/** What a scanner does: all keys at once, and Enter. */
export async function scan(page: Page, code: string): Promise<void> {
	const scanner = await page.context().newCDPSession(page);
	const keys = [...code].map((key) => ({ key, text: key, windowsVirtualKeyCode: 0 }));
	const sent = [...keys, { key: "Enter", text: "\r", windowsVirtualKeyCode: 13 }].flatMap((key) => [
		scanner.send("Input.dispatchKeyEvent", { type: "keyDown", ...key }),
		scanner.send("Input.dispatchKeyEvent", { type: "keyUp", ...key, text: "" }),
	]);
	await Promise.all(sent);
	await scanner.detach();
}
