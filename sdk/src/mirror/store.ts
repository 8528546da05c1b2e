/**
 * Where a mirror keeps its copy, so that a restart begins with it. A store has one text: `save` replaces it; `load`
 * returns it, or null if there is none. Each mirror needs its own store.
 *
 * A store that fails, or takes longer than 5 seconds, does not stop the mirror. Until `load` or the service has
 * answered, `load` is called before each refresh, and nothing is saved.
 */
export interface MirrorStore {
	load(): Promise<string | null>;
	save(text: string): Promise<void>;
}

/** Keeps the copy in this process only. */
export function memoryStore(): MirrorStore {
	let kept: string | null = null;
	return {
		load: () => Promise.resolve(kept),
		save(text) {
			kept = text;
			return Promise.resolve();
		},
	};
}

/**
 * Keeps the copy in one file, which is first written beside it as a whole (`path.new`) and then renamed. Its folder is
 * made if it does not exist. For Node, Deno and Bun.
 */
export function fileStore(path: string): MirrorStore {
	return {
		async load() {
			const { readFile } = await import("node:fs/promises");
			return await readFile(path, "utf8").catch((error: { readonly code?: unknown }) => {
				if (error.code === "ENOENT") return null;
				throw error;
			});
		},
		async save(text) {
			const { mkdir, open, rename } = await import("node:fs/promises");
			const { dirname } = await import("node:path");
			await mkdir(dirname(path), { recursive: true });
			const file = await open(`${path}.new`, "w");
			try {
				await file.writeFile(text);
				await file.sync(); // otherwise a loss of power after the renaming could leave an empty file
			} finally {
				await file.close();
			}
			await rename(`${path}.new`, path);
		},
	};
}
