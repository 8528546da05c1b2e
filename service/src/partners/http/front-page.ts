import type { IncomingMessage } from "node:http";

/** Browsers name HTML in Accept; programs that accept anything do not. */
export const wantsPage = ({ headers }: IncomingMessage): boolean => headers.accept?.includes("text/html") ?? false;

/** Whether a browser requests the bare address, without a path. */
export const asksForFront = (request: IncomingMessage, path: string): boolean =>
	path === "/" && request.method === "GET" && wantsPage(request);

/** Path of the page on which buyers look up a lot, at the COA address. */
export const LOOK_UP_PATH = "/coa/lookup";

/** The console's front page, and its API, whose replies are JSON for everybody. */
const CONSOLE = "/admin";

const pageOf = (main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
${main}</main>
</body>
</html>
`;

/** Whether a browser requests a page of the console. */
export const asksForConsole = (request: IncomingMessage, path: string): boolean =>
	path.startsWith(`${CONSOLE}/`) && !path.startsWith(`${CONSOLE}/api/`) && wantsPage(request);

/** The page for an address of the console at which there is none. `path`: that address. */
export const nothingPage = (path: string): string =>
	pageOf(`<h1>There is no such page</h1>
<p>The address may be old or mistyped. <a href="${"../".repeat(path.split("/").length - 2)}admin">Open the console</a></p>
`);

/**
 * The page at the bare address, for browsers. Links are relative: a proxy may add its own path. `lookUp`: where
 * buyers look up a lot, if that is at another address; null: nowhere.
 */
export const frontPage = (lookUp: string | null): string =>
	pageOf(`<h1>Holdfast</h1>
<ul>
<li><a href="docs">Documentation</a></li>
<li><a href="readyz">Health</a></li>
${lookUp === null ? "" : `<li><a href="${lookUp}">Look up a lot</a></li>\n`}</ul>
`);
