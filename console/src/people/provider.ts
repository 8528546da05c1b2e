import { call } from "../api/call.ts";

/** Whether people may sign in at a provider: the page says so. */
export const hasProvider = (): boolean => document.documentElement.dataset.provider === "yes";

/** Where a browser keeps the secret of a sign-in while it is at the provider. */
const SECRET = "holdfast-sign-in";
/** The channel on which a window that came back from the provider notifies the page that waits. */
const CHANNEL = "holdfast-sign-in";

/** Leaves for the provider in this tab, which comes back to `/admin/sign-in`. @throws CallError */
export async function leaveForProvider(): Promise<void> {
	const { url, secret } = await call("begin_provider_sign_in");
	sessionStorage.setItem(SECRET, secret);
	location.assign(url);
}

/**
 * Signs in at the provider in a new window, so that this page stays as it is. Must be called by a click, or the
 * browser opens no window. False: the person closed it, or the browser opened none. @throws CallError
 */
export async function signInBeside(): Promise<boolean> {
	const beside = window.open("about:blank", "_blank", "popup,width=520,height=720");
	if (beside === null) return false;
	const { url, secret } = await call("begin_provider_sign_in");
	const channel = new BroadcastChannel(CHANNEL);
	try {
		const query = await new Promise<string | null>((resolve) => {
			channel.addEventListener("message", ({ data }: MessageEvent<unknown>) =>
				resolve(typeof data === "string" ? data : null),
			);
			beside.location.href = url;
			// by then the window has another origin, which hides everything but whether it is closed
			const timer = setInterval(() => {
				if (!beside.closed) return;
				clearInterval(timer);
				setTimeout(() => resolve(null), GRACE_MS);
			}, GRACE_MS);
		});
		if (query === null) return false;
		await call("sign_in_by_provider", { body: { secret, query } });
		return true;
	} finally {
		channel.close();
	}
}

/** Milliseconds between two checks of the window, and until its message must have arrived once it is closed. */
const GRACE_MS = 500;

/**
 * What to do in a window that came back from the provider: sign in, if it is the tab that left, or hand over what it
 * came back with to the page that waits. @throws CallError
 */
export async function comeBack(query: string): Promise<"signed in" | "handed over"> {
	const secret = sessionStorage.getItem(SECRET);
	sessionStorage.removeItem(SECRET);
	if (secret === null) {
		const channel = new BroadcastChannel(CHANNEL);
		// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
		channel.postMessage(query);
		channel.close();
		return "handed over";
	}
	await call("sign_in_by_provider", { body: { secret, query } });
	return "signed in";
}
