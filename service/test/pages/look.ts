import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * The findings of axe-core on the present page, as text. The debugger injects its script, which a page's policy cannot
 * forbid.
 */
export async function violations(page: Page): Promise<string[]> {
	await page.evaluate(axe.source);
	const found = await page.evaluate(async () => {
		const { axe } = globalThis as unknown as {
			axe: {
				run(
					on: string,
					options: object,
				): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
			};
		};
		return (await axe.run("html", { resultTypes: ["violations"] })).violations.map(
			({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary ?? ""} (${nodes.length})`,
		);
	});
	return found.map((one) => `${page.url()}: ${one}`);
}

/** Does the page scroll sideways as a whole? */
export const isWiderThanItsWindow = (page: Page): Promise<boolean> =>
	page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
