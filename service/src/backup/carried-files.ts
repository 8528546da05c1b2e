import type { Readable } from "node:stream";
import type { Query } from "../pg/connect.ts";

/** A file that rows of the database name, by what is in it. */
export interface CarriedFile {
	/** SHA-256 of its content, lower case hex: its name in the archive. */
	readonly digest: string;
	/** Bytes. */
	readonly size: number;
}

/** Files that belong to the database and lie outside of it, such as papers. A room that keeps some gives one of these to backup and restore. */
export interface FileKeeper {
	/** Every file that the rows of this snapshot name. */
	list(snapshot: Query): Promise<readonly CarriedFile[]>;
	/** The content of one of them. */
	open(digest: string): Promise<Readable>;
	/** Keeps a file under its digest. It may be there already; then nothing changes. */
	put(file: CarriedFile, content: AsyncIterable<Buffer>): Promise<void>;
}

/** There are no such files yet. */
export const NO_FILES: FileKeeper = {
	list: () => Promise.resolve([]),
	open: (digest) => Promise.reject(new Error(`bug: no file ${digest} was listed`)),
	put: ({ digest }) => Promise.reject(new Error(`bug: nobody keeps the file ${digest}`)),
};
