import type { BrowserContext, Page } from "playwright-core";

/** Pages of a service, and what they do that they must not. */
export interface Watch {
	/** Requests of pages to other hosts. */
	readonly strangers: string[];
	/** Errors that they logged. */
	readonly complaints: string[];
	newPage(context: BrowserContext, at: string): Promise<Page>;
}

/** `address`: of the service that the pages belong to. */
export function watchPages(address: () => string): Watch {
	const strangers: string[] = [];
	const complaints: string[] = [];
	return {
		strangers,
		complaints,
		async newPage(context, at) {
			const page = await context.newPage();
			page.on("request", (request) => {
				if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(address()))
					strangers.push(request.url());
			});
			page.on("console", (message) => {
				if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
			});
			page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
			await page.goto(address() + at);
			return page;
		},
	};
}
