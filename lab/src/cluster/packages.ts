/** The programs of the cluster, from Debian 12. */
import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";

/** The package that has each program. */
const PROGRAMS = {
	"/usr/bin/etcd": "etcd-server",
	"/usr/bin/patroni": "patroni",
	"/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
	"/usr/sbin/haproxy": "haproxy",
	"/usr/sbin/nft": "nftables",
	"/usr/bin/setpriv": "util-linux",
	"/usr/sbin/ip": "iproute2",
} as const;

const hasProgram = (file: string): boolean => {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
};

/** Installs what is absent. The packages start nothing: services of this machine are not the trial's. */
export function installPrograms(say: (line: string) => void): void {
	if (process.platform !== "linux" || process.getuid?.() !== 0)
		throw new Error("the trial of a cluster needs Linux and root: it makes networks of its own");
	const absent = Object.entries(PROGRAMS).filter(([file]) => !hasProgram(file));
	if (absent.length === 0) return;
	const packages = absent.map(([, name]) => name);
	say(`installing ${packages.join(", ")}`);
	const run = (command: string, args: readonly string[]): void => {
		execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], env: QUIET });
	};
	run("apt-get", ["update", "-qq"]);
	// in a mount namespace, where the packages' scripts are told to start nothing and to make no cluster of PostgreSQL
	run("unshare", ["--mount", "sh", "-ec", INSTALL, "install", ...packages]);
}

const QUIET = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
const INSTALL = `
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/holdfast-lab.conf
made=/etc/postgresql-common/createcluster.d/holdfast-lab.conf
[ -e /usr/sbin/policy-rc.d ] || { touch /usr/sbin/policy-rc.d; made="$made /usr/sbin/policy-rc.d"; }
policy=$(mktemp); printf '#!/bin/sh\\nexit 101\\n' >$policy; chmod 755 $policy
mount --bind $policy /usr/sbin/policy-rc.d
trap 'umount /usr/sbin/policy-rc.d; rm -f $made $policy' EXIT
apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold "$@"
`;
