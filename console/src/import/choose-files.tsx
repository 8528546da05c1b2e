import { type DragEvent, type ReactNode, useId, useRef, useState } from "react";
import { words } from "../words/words.ts";
import { asSection, type ChosenFile, CSV_SECTIONS, keep } from "./chosen.ts";

interface ChooseFilesProps {
	readonly chosen: readonly ChosenFile[];
	/** Called with how to change the choice. */
	readonly onChange: (change: (chosen: readonly ChosenFile[]) => readonly ChosenFile[]) => void;
}

/** Chooses files, in the browser's dialog or by dropping them, and says what each contains. */
export function ChooseFiles({ chosen, onChange }: ChooseFilesProps): ReactNode {
	const id = useId();
	const last = useRef(0);
	const [unreadable, setUnreadable] = useState<string | null>(null);
	const add = async (files: readonly File[]): Promise<void> => {
		setUnreadable(null);
		const kept: ChosenFile[] = [];
		for (const file of files) {
			try {
				last.current += 1;
				kept.push(await keep(file, last.current));
			} catch {
				setUnreadable(file.name); // it is a folder, or is gone
			}
		}
		// a file of the same name takes the place of the one that was chosen before
		const names = new Set(kept.map(({ file }) => file.name));
		onChange((before) => [...before.filter(({ file }) => !names.has(file.name)), ...kept]);
	};
	const drop = (event: DragEvent): void => {
		event.preventDefault();
		void add([...event.dataTransfer.files]);
	};
	return (
		<div className="card" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
			<div className="field">
				<label htmlFor={id}>{words.imports.choose}</label>
				<input
					id={id}
					type="file"
					multiple
					accept=".csv,.json"
					onChange={({ target }) => {
						void add([...(target.files ?? [])]);
						target.value = ""; // so that a corrected file may be chosen again
					}}
				/>
				<p className="hint">{words.imports.drop}</p>
			</div>
			{unreadable === null ? null : (
				<p className="wrong" role="alert">
					{words.imports.unreadable(unreadable)}
				</p>
			)}
			<ul className="plain">
				{chosen.map((one) => (
					<li key={one.id}>
						<One
							chosen={one}
							onChange={(to) => onChange((all) => all.map((other) => (other.id === to.id ? to : other)))}
							onRemove={() => onChange((all) => all.filter((other) => other.id !== one.id))}
						/>
					</li>
				))}
			</ul>
		</div>
	);
}

interface OneProps {
	readonly chosen: ChosenFile;
	readonly onChange: (to: ChosenFile) => void;
	readonly onRemove: () => void;
}

/** One file: its name, and what it contains. */
function One({ chosen, onChange, onRemove }: OneProps): ReactNode {
	const { file, section } = chosen;
	return (
		<div className="actions">
			<span className="strong">{file.name}</span>
			{section === "json" ? (
				<span className="quiet">{words.imports.json}</span>
			) : (
				<label>
					{words.imports.contains(file.name)}{" "}
					<select
						value={section ?? ""}
						required
						onChange={({ target }) => onChange({ ...chosen, section: asSection(target.value) })}
					>
						<option value="">{words.imports.chooseSection}</option>
						{CSV_SECTIONS.map((one) => (
							<option key={one} value={one}>
								{words.imports.sections[one]}
							</option>
						))}
					</select>
				</label>
			)}
			<button type="button" onClick={onRemove}>
				{words.imports.remove(file.name)}
			</button>
		</div>
	);
}
