import { type ReactNode, useState } from "react";
import { words } from "../words/words.ts";

/** A text to copy whole: a token, a link, a command. */
export function CopyText({ label, text }: { label: string; text: string }): ReactNode {
	const [isCopied, setCopied] = useState(false);
	const copy = (): void => {
		void navigator.clipboard?.writeText(text).then(() => setCopied(true));
	};
	return (
		<div className="copy">
			<p className="strong">{label}</p>
			<pre tabIndex={0}>{text}</pre>
			<button type="button" onClick={copy}>
				{isCopied ? words.copied : words.copy}
			</button>
		</div>
	);
}
