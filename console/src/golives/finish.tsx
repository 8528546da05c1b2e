import { type ReactNode, useState } from "react";
import { useRead } from "../api/use.ts";
import { Token } from "../keys/token.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field, problemAt, textOf } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

const PRESETS = ["self_ship", "fulfilment", "read_only"] as const;

/** Issues the production key, whose token is shown once. */
export function Finish({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
	const { data: brands } = useRead("list_brands", { query: { limit: 500 } });
	const [token, setToken] = useState<string | null>(null);
	if (token !== null) {
		return (
			<Dialog title={words.golive.finishTitle} onClose={() => undefined}>
				<Token token={token} environment="live" onKept={onClose} />
			</Dialog>
		);
	}
	const own = brands?.items.filter(({ code }) => code !== "SANDBOX") ?? [];
	return (
		<WriteDialog
			id="finish_golive"
			title={words.golive.finishTitle}
			send={words.golive.finish}
			fields={["name", "brand_code"]}
			asked={(form) => ({
				params: { id },
				body: {
					name: textOf(form, "name") ?? "",
					brand_code: textOf(form, "brand_code") ?? "",
					preset: (textOf(form, "preset") ?? "self_ship") as (typeof PRESETS)[number],
					shared_pool: form.get("shared_pool") === "on",
				},
			})}
			onDone={(done) => setToken(done.token)}
			onClose={onClose}
		>
			{(error) => (
				<>
					<p>{words.golive.finishHint}</p>
					<Field
						label={words.keys.name}
						hint={words.keys.nameHint}
						name="name"
						problem={problemAt(error, "name")}
						required
						autoComplete="off"
					/>
					<Choice
						label={words.keys.brand}
						name="brand_code"
						problem={problemAt(error, "brand_code")}
						options={own.map(({ code, name }) => [code, `${name} (${code})`] as const)}
					/>
					<Choice
						label={words.keys.preset}
						name="preset"
						options={PRESETS.map((preset) => [preset, words.keys.presets[preset]] as const)}
					/>
					<label className="check">
						<input type="checkbox" name="shared_pool" /> {words.keys.sharedPool}
					</label>
				</>
			)}
		</WriteDialog>
	);
}
