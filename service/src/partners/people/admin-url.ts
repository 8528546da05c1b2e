/** The settings from which the address of the operator's API follows. */
export interface AdminAddress {
	readonly admin: boolean;
	readonly adminUrl: string | null;
	readonly adminHost: string | null;
	readonly adminPort: number | null;
	readonly url: string | null;
	readonly host: string;
	readonly port: number;
}

/** The configured public address of the operator's API, without a slash at the end; null: there is none. */
export const configuredAdminUrl = ({ adminUrl, adminPort, url }: AdminAddress): string | null =>
	adminUrl ?? (adminPort === null ? url : null);

/** The address at which the service listens for operators: HOLDFAST_ADMIN_HOST counts only with a separate port. */
function boundUrlOf({ adminHost, adminPort, host: partnerHost, port }: AdminAddress): string {
	const host = adminPort === null ? partnerHost : (adminHost ?? partnerHost);
	return `http://${host.includes(":") ? `[${host}]` : host}:${adminPort ?? port}`;
}

/** The address of the operator's API: the configured one, or the one that the service binds. */
export const adminUrlOf = (address: AdminAddress): string => configuredAdminUrl(address) ?? boundUrlOf(address);

/** Host names of this machine alone. */
export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/** Whether the public address of the operator's API is a loopback address. */
export const isLoopback = (address: AdminAddress): boolean => isLoopbackUrl(adminUrlOf(address));

/**
 * Whether passwords and cookies cross a network without encryption. A public address that is a loopback address does
 * not keep others from the address that is bound.
 */
export const isReadable = (address: AdminAddress): boolean =>
	address.admin &&
	!adminUrlOf(address).startsWith("https:") &&
	!(isLoopback(address) && isLoopbackUrl(boundUrlOf(address)));

/** What is wrong if they do, and how to correct it. */
export const READABLE = "passwords and sessions of operators cross the network unencrypted";
export const READABLE_ADVICE =
	"Set HOLDFAST_ADMIN_URL to the https address of the proxy in front of it, or HOLDFAST_ADMIN=off; or set HOLDFAST_ADMIN_PORT, and HOLDFAST_ADMIN_HOST=127.0.0.1.";
