import type { ReactNode } from "react";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

const { overlap_hours: HOURS } = FIELDS.rotate_endpoint_secret;
/** Default number of hours of overlap, the same as the service's. */
const USUAL_HOURS = 24;

interface RotateProps {
	readonly id: string;
	readonly onClose: () => void;
	readonly onDone: (secret: string) => void;
}

/** Gives an endpoint a new secret. */
export const RotateDialog = ({ id, onClose, onDone }: RotateProps): ReactNode => (
	<WriteDialog
		id="rotate_endpoint_secret"
		title={words.endpoint.rotate}
		fields={["overlap_hours"]}
		asked={(form) => ({
			params: { id },
			body: { overlap_hours: Number(textOf(form, "overlap_hours")), ...reasonIn(form) },
		})}
		onClose={onClose}
		onDone={({ secret }) => onDone(secret)}
	>
		{(error) => (
			<>
				<p>{words.endpoint.rotateHint}</p>
				<Field
					label={words.endpoint.overlap}
					hint={words.endpoint.overlapHint}
					name="overlap_hours"
					type="number"
					min={HOURS.least}
					max={HOURS.most}
					step={1}
					defaultValue={USUAL_HOURS}
					problem={problemAt(error, "overlap_hours")}
					required
				/>
				<ReasonField />
			</>
		)}
	</WriteDialog>
);
