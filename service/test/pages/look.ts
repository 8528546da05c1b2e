import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

/** The script of axe-core, in the form that is quickest to send and read: `axe.source` is more than twice as long. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * The findings of axe-core on the present page, as text. The debugger injects its script, which a page's policy cannot
 * forbid; once into each document.
 */
export async function violations(page: Page): Promise<string[]> {
	if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
	const found = await page.evaluate(async () => {
		const { axe } = globalThis as unknown as {
			axe: {
				run(
					on: string,
					options: object,
				): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
			};
		};
		return (await axe.run("html", { resultTypes: ["violations"], selectors: false })).violations.map(
			({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary ?? ""} (${nodes.length})`,
		);
	});
	return found.map((one) => `${page.url()}: ${one}`);
}

/** Does the page scroll sideways as a whole? */
export const isWiderThanItsWindow = (page: Page): Promise<boolean> =>
	page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
