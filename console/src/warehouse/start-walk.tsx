import { type FormEvent, type ReactNode } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { Field, textOf } from "../parts/form.tsx";
import { words } from "../words/words.ts";

/** Number of boxes of a walk, unless another one is chosen. */
const BOXES = 50;
/** Maximum number of boxes in one pick list. */
const MOST_BOXES = 10_000;

interface SelectedWalkProps {
	/** Ids of the selected orders. */
	readonly selected: readonly string[];
	readonly most: number;
	readonly onClear: () => void;
}

/** Starts a walk for the selected orders. It stays in sight, however long the list is. */
export function SelectedWalk({ selected, most, onClear }: SelectedWalkProps): ReactNode {
	const walk = `/warehouse/walk?${new URLSearchParams(selected.map((id) => ["order", id])).toString()}`;
	return (
		<div className="buttons bar">
			{selected.length > most ? (
				<p className="wrong" role="alert">
					{words.queue.tooMany(most)}
				</p>
			) : (
				<Link className="button main" to={walk}>
					{words.queue.walkSelected(selected.length)}
				</Link>
			)}
			<button type="button" onClick={onClear}>
				{words.queue.clear}
			</button>
		</div>
	);
}

/** Starts a walk for the first boxes of the queue. */
export function FirstBoxes(): ReactNode {
	const navigate = useNavigate();
	const [search] = useSearchParams();
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const boxes = textOf(new FormData(event.currentTarget), "boxes") ?? String(BOXES);
		const brand = search.get("brand_code");
		const asked = new URLSearchParams({ boxes, ...(brand ? { brand_code: brand } : {}) });
		void navigate(`/warehouse/walk?${asked.toString()}`);
	};
	return (
		<form className="line" onSubmit={submit}>
			<Field
				label={words.queue.first}
				hint={words.queue.firstHint}
				name="boxes"
				type="number"
				min={1}
				max={MOST_BOXES}
				defaultValue={BOXES}
				required
				data-scan=""
			/>
			<button type="submit" className="main">
				{words.queue.walkFirst}
			</button>
		</form>
	);
}
