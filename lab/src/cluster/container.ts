/** A node in a container: the image of docs/operator/deploying.md, run by podman in the namespaces of its host. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/** The account of the image's processes. */
export const IMAGE_ACCOUNT = 1_000;
/** Where podman keeps the images of this machine. */
const IMAGES = "/var/lib/containers/storage";
/** Limits that every machine allows: podman's own are higher than some do. */
const MAX_FILES = 4_096;
const MAX_PROCESSES = 4_096;
const PODMAN = "/usr/bin/podman";

/** Throws if podman has no image of this name. */
export function needImage(image: string): void {
	try {
		execFileSync(PODMAN, ["image", "exists", image]);
	} catch {
		throw new Error(`there is no image "${image}": build it with deploy/image/build.sh ${image}`);
	}
}

/**
 * The command that runs an image until it ends, with its layers on the host's disk. `shared`: a folder of all hosts, at
 * the same place in the container. `names`: the variables that it takes from the command's environment.
 */
export function containerCommand(image: string, disk: string, shared: string, names: readonly string[]): string[] {
	// crun, the default, needs version 2 of cgroups
	const runtime = existsSync("/sys/fs/cgroup/cgroup.controllers") ? [] : ["--runtime=runc"];
	return [
		PODMAN,
		`--root=${path.join(disk, "containers")}`,
		"--runroot=/run/containers",
		"--tmpdir=/run/libpod",
		"--storage-driver=overlay",
		`--storage-opt=overlay.imagestore=${IMAGES}`,
		"--cgroup-manager=cgroupfs",
		...runtime,
		"run",
		"--rm",
		"--pull=never",
		"--network=host",
		"--pid=host",
		`--ulimit=nofile=${MAX_FILES}:${MAX_FILES}`,
		`--ulimit=nproc=${MAX_PROCESSES}:${MAX_PROCESSES}`,
		"--log-driver=none",
		"--no-healthcheck",
		"--read-only",
		"--tmpfs=/tmp",
		"--cap-drop=all",
		"--security-opt=no-new-privileges",
		`--volume=${shared}:${shared}`,
		...names.map((name) => `--env=${name}`),
		image,
	];
}
