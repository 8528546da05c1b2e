import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

interface LotDialogProps {
	readonly lot: DataOf<"get_lot">;
	readonly onClose: () => void;
}
interface TellingProps extends LotDialogProps {
	/** Called with what the person must know if the units went into quarantine. */
	readonly onTold: (text: string) => void;
}

const FIELDS = ["units", "reason"];

/** Receives more units of a lot. */
export const MoreUnitsDialog = ({ lot, onClose, onTold }: TellingProps): ReactNode => (
	<WriteDialog
		id="receive_units"
		title={words.lot.receive}
		fields={FIELDS}
		asked={(form) => {
			const reason = textOf(form, "reason");
			const units = Number(textOf(form, "units"));
			return { params: { fg_id: lot.fg_id }, body: reason === undefined ? { units } : { units, reason } };
		}}
		onClose={onClose}
		onDone={({ quarantined }) => {
			onClose();
			if (quarantined) onTold(words.lot[lot.recalled_at === null ? "wentToQuarantine" : "wentToRecalled"]);
		}}
	>
		{(error) => (
			<>
				<p>{words.lot.receiveHint}</p>
				<Field
					label={words.stock.units}
					name="units"
					type="number"
					min={1}
					step={1}
					problem={problemAt(error, "units")}
					required
				/>
				<Field
					label={words.reason}
					hint={words.receive.reasonHint}
					name="reason"
					maxLength={500}
					problem={problemAt(error, "reason")}
				/>
			</>
		)}
	</WriteDialog>
);

/** Records where in the warehouse a lot is. */
export const LocateDialog = ({ lot, onClose }: LotDialogProps): ReactNode => (
	<WriteDialog
		id="locate_lot"
		title={words.lot.locate}
		send={words.save}
		fields={["location"]}
		asked={(form) => ({ params: { fg_id: lot.fg_id }, body: { location: textOf(form, "location") ?? null } })}
		onClose={onClose}
	>
		{(error) => (
			<Field
				label={words.stock.location}
				hint={words.lot.locationHint}
				name="location"
				defaultValue={lot.location ?? ""}
				problem={problemAt(error, "location")}
				autoComplete="off"
			/>
		)}
	</WriteDialog>
);

/** Adds free units to a lot or takes them off, after a recount. */
export const CorrectDialog = ({ lot, onClose, onTold }: TellingProps): ReactNode => (
	<WriteDialog
		id="correct_lot"
		title={words.stock.correct}
		fields={FIELDS}
		asked={(form) => ({
			params: { fg_id: lot.fg_id },
			body: { units: Number(textOf(form, "units")), reason: textOf(form, "reason") ?? "" },
		})}
		onClose={onClose}
		onDone={({ quarantined }) => {
			onClose();
			if (quarantined) onTold(words.lot[lot.recalled_at === null ? "wentToQuarantine" : "wentToRecalled"]);
		}}
	>
		{(error) => (
			<>
				<p>{words.lot.correctHint}</p>
				<Field
					label={words.stock.counted}
					name="units"
					type="number"
					step={1}
					problem={problemAt(error, "units")}
					required
				/>
				<Field label={words.reason} name="reason" maxLength={500} problem={problemAt(error, "reason")} required />
			</>
		)}
	</WriteDialog>
);
