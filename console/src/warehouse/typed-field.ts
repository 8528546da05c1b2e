const NO_TEXT = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

export type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Whether keys that are pressed here are text. */
export const isTextField = (target: EventTarget | null): target is TextField =>
	target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !NO_TEXT.has(target.type));

/** A field with its content; empty if there is none. */
export const textOfField = (field: TextField | null): Map<TextField, string> =>
	new Map(field === null ? [] : [[field, field.value]]);

/** Writes a text into a field as if it had been typed: listeners to its changes are called. */
export function setFieldText(field: TextField, text: string): void {
	const owner = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
	// not by React's own setter: React would then not report the change
	Object.getOwnPropertyDescriptor(owner.prototype, "value")?.set?.call(field, text);
	field.dispatchEvent(new Event("input", { bubbles: true }));
}
