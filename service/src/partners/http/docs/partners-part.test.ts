import { expect, it } from "vitest";
import { partnersPartOf } from "./partners-part.ts";

it.each([
	{
		of: "one release",
		text: "# C\n## A\n## For partners\n- p\n## For operators\n### X\n- o\n",
		part: "# C\n## A\n## For partners\n- p\n",
	},
	{
		of: "two releases",
		text: "# C\n## B\n## For partners\n- q\n## For operators\n- o\n## A\n## For partners\n- p\n## For operators\n- o",
		part: "# C\n## B\n## For partners\n- q\n## A\n## For partners\n- p\n",
	},
	{ of: "nothing for operators", text: "# C\n## A\n- p\n", part: "# C\n## A\n- p\n" },
])("partners see their part of a changelog with $of", ({ text, part }) => {
	expect(partnersPartOf(text)).toBe(part);
});
