import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import type { Me } from "../app/roles.ts";
import { Choice, problemAt, textOf } from "../parts/form.tsx";
import { State } from "../parts/page.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { refuseCode } from "./code.ts";
import { Naming } from "./naming.tsx";
import { CataloguePage, type SavedProps } from "./tabs.tsx";

type Formula = DataOf<"put_formula">;
const STATUSES = ["draft", "active", "archived"] as const;

/** The formulas: what is made and counted. */
export default function Formulas({ me }: { me: Me }): ReactNode {
	return (
		<CataloguePage
			id="list_formulas"
			part="formulas"
			me={me}
			make={words.catalogue.newFormula}
			filters={[
				{ name: "q", label: words.catalogue.q },
				{ name: "status", label: words.catalogue.status, options: STATUSES },
			]}
			codeOf={({ code }) => code}
			empty={{ title: words.catalogue.emptyFormulas, hint: words.catalogue.emptyFormulasHint }}
			columns={[
				{
					head: words.catalogue.code,
					cell: ({ code }) => <Link to={`/stock?formula=${encodeURIComponent(code)}`}>{code}</Link>,
				},
				{ head: words.catalogue.name, cell: ({ name }) => name },
				{
					head: words.catalogue.status,
					cell: ({ status }) => <State word={status} tone={status === "active" ? "good" : "plain"} />,
				},
				{
					head: words.catalogue.parts.skus,
					cell: ({ code, skus }) => <Link to={`/catalogue?formula=${encodeURIComponent(code)}`}>{skus}</Link>,
					isNumber: true,
				},
			]}
			dialog={(formula, ends) => <FormulaDialog formula={formula} {...ends} />}
		/>
	);
}

/** Creates a formula, or changes its name and whether it is sold. */
const FormulaDialog = ({ formula, onClose, onSaved }: { formula: Formula | null } & SavedProps): ReactNode => (
	<WriteDialog
		id="put_formula"
		title={formula === null ? words.catalogue.newFormula : words.catalogue.changeOne(formula.code)}
		send={words.save}
		fields={["code", "name", "status"]}
		replaces={formula === null ? null : { read: "get_formula", params: { code: formula.code }, shown: formula }}
		check={async (form) =>
			formula === null ? await refuseCode("get_formula", "code", textOf(form, "code") ?? "") : null
		}
		asked={(form) => ({
			params: { code: formula?.code ?? textOf(form, "code") ?? "" },
			body: {
				name: textOf(form, "name") ?? "",
				status: STATUSES.find((status) => status === textOf(form, "status")) ?? "draft",
			},
		})}
		onClose={onClose}
		onDone={({ code }) => {
			onSaved(code);
			onClose();
		}}
	>
		{(error) => (
			<>
				<Naming of={formula} code="code" label={words.catalogue.code} error={error} />
				<Choice
					label={words.catalogue.status}
					name="status"
					defaultValue={formula?.status ?? "active"}
					options={STATUSES.map((status) => [status, words.catalogue.statuses[status]] as const)}
					problem={problemAt(error, "status")}
				/>
			</>
		)}
	</WriteDialog>
);
