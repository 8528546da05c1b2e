// Decides what the search finds, and in which order. Runs in the browser and in the tests.

/** Words of a query that say nothing about its subject. */
const STOP_WORDS = new Set(
	"a an and are be can did do does for get got how i in is it may me my of on or should the there to what when where which why with you your".split(
		" ",
	),
);
/**
 * A section that answers a question is more useful than an entry of the reference, and anything is more useful than
 * history.
 */
const WEIGHT = { guide: 1.4, error: 1, operation: 0.9, change: 0.2 };
/** The beginning of a page is a better place to start than a section of it. */
const WHOLE_PAGE = 1.2;
/** Number of results. */
const SHOWN = 12;

/** Words as they are compared: codes and field names are found whole and by their parts, plurals by their singular. */
const wordsOf = (text) =>
	text.split(/[^\p{L}\p{N}_-]+/u).flatMap((word) => [word, ...(/[_-]/.test(word) ? word.split(/[_-]+/) : [])]);

const termOf = (word) => {
	const term = word.toLowerCase();
	if (term === "" || STOP_WORDS.has(term)) return null;
	return term.length > 3 && /[^s]s$/.test(term) ? term.slice(0, -1) : term;
};

/** An index of the entries of search.json. */
export function createIndex(MiniSearch, entries) {
	const index = new MiniSearch({
		fields: ["heading", "page", "text", "asked"],
		storeFields: ["to", "heading", "page", "kind"],
		tokenize: wordsOf,
		processTerm: termOf,
	});
	index.addAll(entries.map((entry, id) => ({ id, ...entry })));
	return index;
}

/** The entries that a question finds, the best first. */
export function rank(index, question) {
	const options = {
		prefix: (term) => term.length > 2,
		fuzzy: (term) => (term.length > 4 ? 0.2 : false),
		boost: { heading: 4, asked: 4, page: 1.5 },
		boostDocument: (_id, _term, { kind, to }) => WEIGHT[kind] * (to.includes("#") ? 1 : WHOLE_PAGE),
		weights: { fuzzy: 0.2, prefix: 0.4 },
	};
	const all = index.search(question, { ...options, combineWith: "AND" });
	// a question may have words that its answer lacks
	return (all.length > 0 ? all : index.search(question, options)).slice(0, SHOWN);
}
