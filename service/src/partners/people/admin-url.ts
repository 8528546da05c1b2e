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

/** The address of the operator's API: the configured one, or the one that the service binds. */
export function adminUrlOf(address: AdminAddress): string {
	const host = address.adminHost ?? address.host;
	const bound = `http://${host.includes(":") ? `[${host}]` : host}:${address.adminPort ?? address.port}`;
	return configuredAdminUrl(address) ?? bound;
}

/** Host names of this machine alone. */
export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Is the operator's API reached over loopback alone? */
export const isLoopback = (address: AdminAddress): boolean => LOOPBACK.test(new URL(adminUrlOf(address)).hostname);

/** Do passwords and cookies cross a network without encryption? */
export const isReadable = (address: AdminAddress): boolean =>
	address.admin && !isLoopback(address) && !adminUrlOf(address).startsWith("https:");

/** What is wrong then, and how to correct it. */
export const READABLE = "passwords and sessions of operators cross the network unencrypted";
export const READABLE_ADVICE =
	"Set HOLDFAST_ADMIN_URL to the https address of the proxy in front of it, or HOLDFAST_ADMIN=off.";
