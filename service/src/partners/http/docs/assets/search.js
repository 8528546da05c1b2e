// Searches the pages in the browser; the index is loaded from this service once, at the first search.
import MiniSearch from "./minisearch.js";
import { createIndex, rank } from "./rank.js";

const docs = document.body.dataset.docs;
const form = document.querySelector('[role="search"]');
const input = form.querySelector("input");
const panel = form.querySelector(".found");
const status = form.querySelector('[role="status"]');
const list = form.querySelector("ul");
let index = null;

const load = async () => {
	const answer = await fetch(`${docs}/search.json`);
	return createIndex(MiniSearch, await answer.json());
};

const close = () => {
	panel.hidden = true;
};

const show = async () => {
	const asked = input.value.trim();
	if (asked === "") return close();
	index ??= load();
	const search = await index;
	if (input.value.trim() !== asked) return;
	const found = rank(search, asked);
	status.textContent =
		found.length === 0 ? "Nothing found." : `${found.length} ${found.length === 1 ? "result" : "results"}`;
	list.replaceChildren(
		...found.map(({ to, heading, page }) => {
			const link = document.createElement("a");
			link.href = `${docs}${to}`;
			link.append(heading);
			if (page !== heading) {
				const where = document.createElement("span");
				where.append(page);
				link.append(where);
			}
			const entry = document.createElement("li");
			entry.append(link);
			return entry;
		}),
	);
	panel.hidden = false;
};

/** Moves between the field and the results. */
const step = (by) => {
	const stops = [input, ...list.querySelectorAll("a")];
	const at = stops.indexOf(document.activeElement);
	stops[(at + by + stops.length) % stops.length]?.focus();
};

form.hidden = false;
form.addEventListener("submit", (event) => {
	event.preventDefault();
	list.querySelector("a")?.click();
});
for (const event of ["input", "focus"]) input.addEventListener(event, () => void show());
form.addEventListener("keydown", (event) => {
	if (event.key === "ArrowDown" || event.key === "ArrowUp") {
		event.preventDefault();
		step(event.key === "ArrowDown" ? 1 : -1);
	} else if (event.key === "Escape") {
		close();
		input.focus();
	}
});
form.addEventListener("focusout", (event) => {
	if (!form.contains(event.relatedTarget)) close();
});
list.addEventListener("click", close);
document.addEventListener("keydown", (event) => {
	const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
	if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
	event.preventDefault();
	input.focus();
});
