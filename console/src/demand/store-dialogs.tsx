import { type FormEvent, type ReactNode, useState } from "react";
import type { DataOf, OperationId } from "../api/call.ts";
import { type LongWriting, useLongWrite } from "../api/run.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Field, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { words } from "../words/words.ts";
import { PoolChoice, poolOf } from "./pool.tsx";

/** A store of the label platform, and whose stock it sells. */
export type Store = DataOf<"list_stores">["items"][number];

interface StoreProps {
	readonly of: Store;
	readonly onClose: () => void;
}

/** Sets whose stock a store sells. A store without a name is a new one. */
export function SetStore({ of: one, onClose }: StoreProps): ReactNode {
	const writing = useLongWrite("put_store");
	const [brand, setBrand] = useState(one.brand_code ?? "");
	const submit = (form: FormData): void => {
		const id = one.store === "" ? (textOf(form, "store")?.trim() ?? "") : one.store;
		const body = { brand_code: poolOf(brand), shared: form.get("shared") === "on" };
		void writing.run({ params: { id }, body });
	};
	const title = one.store === "" ? words.stores.set : words.stores.setOne(one.store);
	return (
		<StoreDialog title={title} send={words.save} writing={writing} onSubmit={submit} onClose={onClose}>
			{one.store === "" ? (
				<Field
					label={words.stores.store}
					hint={words.stores.storeHint}
					name="store"
					maxLength={200}
					autoComplete="off"
					required
				/>
			) : null}
			<PoolChoice label={words.stores.brand} value={brand} onChange={setBrand} />
			{brand === "" ? null : (
				<label className="check">
					<input type="checkbox" name="shared" defaultChecked={one.shared} /> {words.stores.alsoShared}
				</label>
			)}
			<p className="hint">{words.stores.setHint}</p>
		</StoreDialog>
	);
}

/** Removes a store: promises for its open orders become exceptions. */
export function RemoveStore({ of: { store }, onClose }: StoreProps): ReactNode {
	const writing = useLongWrite("remove_store");
	return (
		<StoreDialog
			title={words.stores.removeTitle(store)}
			send={words.stores.remove}
			writing={writing}
			onSubmit={() => void writing.run({ params: { id: store } })}
			onClose={onClose}
		>
			<p>{words.stores.removeHint}</p>
		</StoreDialog>
	);
}

interface StoreDialogProps {
	readonly title: string;
	readonly send: string;
	readonly writing: Pick<LongWriting<OperationId>, "isBusy" | "progress" | "error"> & {
		readonly done: { readonly orders: number } | null;
	};
	readonly onSubmit: (form: FormData) => void;
	readonly onClose: () => void;
	readonly children: ReactNode;
}

/** A dialog whose write works through the open orders of a store, which may take long. */
function StoreDialog({ title, send, writing, onSubmit, onClose, children }: StoreDialogProps): ReactNode {
	const { isBusy, progress, error, done } = writing;
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		onSubmit(new FormData(event.currentTarget));
	};
	return (
		<Dialog title={title} onClose={onClose}>
			{done === null ? (
				<form onSubmit={submit}>
					<Problem error={error} />
					{children}
					<Progress run={progress} isBusy={isBusy} />
					<Buttons send={send} isBusy={isBusy} leave={isBusy ? words.close : words.cancel} onLeave={onClose} />
				</form>
			) : (
				<>
					<p role="status">{words.stores.done(done.orders)}</p>
					<button type="button" onClick={onClose}>
						{words.close}
					</button>
				</>
			)}
		</Dialog>
	);
}
