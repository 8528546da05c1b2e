import { defineConfig } from "vite";

/** The service replaces this by a new nonce in every page that it sends (service/src/upkeep/console/routes.ts). */
const NONCE = "CSP-NONCE";

export default defineConfig({
	root: import.meta.dirname,
	base: "/admin/",
	html: { cspNonce: NONCE },
	build: {
		outDir: "dist",
		emptyOutDir: true,
		target: "es2023",
		sourcemap: false,
		// styles are files: the policy of the pages allows none inside them
		cssCodeSplit: false,
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		// libraries name the side that they run on, which nothing asks for here
		rolldownOptions: { onLog: (level, log, handle) => log.code !== "MODULE_LEVEL_DIRECTIVE" && handle(level, log) },
	},
	logLevel: "warn",
});
