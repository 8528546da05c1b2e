import { type ReactNode, useState } from "react";
import { Field, problemAt } from "../parts/form.tsx";
import { words } from "../words/words.ts";
import { type CodeStyle, proposedCode } from "./code.ts";

interface NamingProps {
	/** The object that is changed; null: a new one, which gets a code. */
	readonly of: { readonly name: string } | null;
	/** The field of the code: its name and label. */
	readonly code: string;
	readonly label: string;
	readonly hint?: string;
	readonly style?: CodeStyle;
	readonly error: Error | null;
}

/** The name of an object; for a new one also its code, proposed from the name until somebody types another. */
export function Naming({ of, code, label, hint, style = "code", error }: NamingProps): ReactNode {
	const [name, setName] = useState(of?.name ?? "");
	/** The code that was typed; null: none was. */
	const [typed, setTyped] = useState<string | null>(null);
	return (
		<>
			<Field
				label={words.catalogue.name}
				name="name"
				maxLength={500}
				value={name}
				onChange={({ target }) => setName(target.value)}
				problem={problemAt(error, "name")}
				required
				autoComplete="off"
			/>
			{of === null ? (
				<Field
					label={label}
					hint={hint ?? words.catalogue.codeHint}
					name={code}
					maxLength={200}
					value={typed ?? proposedCode(name, style)}
					onChange={({ target }) => setTyped(target.value === "" ? null : target.value)}
					problem={problemAt(error, code)}
					required
					autoComplete="off"
				/>
			) : null}
		</>
	);
}
