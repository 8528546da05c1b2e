import type { ReactNode } from "react";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

interface RecoverProps {
	readonly id: string;
	readonly onClose: () => void;
	readonly onDone: (events: number) => void;
}

/** Sends again everything that an endpoint missed since a moment in the reader's time zone. */
export const RecoverDialog = ({ id, onClose, onDone }: RecoverProps): ReactNode => (
	<WriteDialog
		id="recover_endpoint"
		title={words.endpoint.recover}
		fields={["since"]}
		asked={(form) => ({ params: { id }, body: { since: new Date(textOf(form, "since") ?? "").toISOString() } })}
		onClose={onClose}
		onDone={({ events }) => onDone(events)}
	>
		{(error) => (
			<>
				<p>{words.endpoint.recoverHint}</p>
				<Field
					label={words.endpoint.since}
					name="since"
					type="datetime-local"
					problem={problemAt(error, "since")}
					required
				/>
			</>
		)}
	</WriteDialog>
);
