/** Whether an address leads to the machine of whoever opens it: nobody else can use it. */
export const isLocal = (url: string | URL): boolean =>
	/^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(new URL(url).hostname);
