// SPDX-License-Identifier: Apache-2.0
// Elements of the page. Texts, names of processes among them, only ever become text and attributes: nothing here or elsewhere
// parses them.

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes))
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? "" : value);
	element.append(...children.filter((child) => child !== null && child !== undefined));
	return element;
}

// Returns a new element NAME of HTML. ATTRIBUTES are texts, booleans, or listeners such as onclick; CHILDREN are elements and texts.
export function html(name, attributes = {}, ...children) {
	return build(document.createElement(name), attributes, children);
}

// As html(), for an element of SVG.
export function svg(name, attributes = {}, ...children) {
	return build(document.createElementNS(SVG, name), attributes, children);
}

// Returns the frame of TABLE, which scrolls if the table is wider than the page. LABEL is its name: the frame takes the
// focus, so that the arrow keys scroll it where nothing in the table takes it.
export function frame(label, table) {
	return html("div", { class: "wide", role: "region", tabindex: "0", "aria-label": label }, table);
}

export function byId(id) {
	return document.getElementById(id);
}

// Makes TEXT the text of ELEMENT if it is another one.
export function setText(element, text) {
	if (element && element.textContent !== text)
		element.textContent = text;
}

// Calls CHANGE, which makes the children of ELEMENT anew. If one of them had the focus, the button with the same text gets it,
// or OTHERWISE, an element, if there is none.
export function keepFocus(element, change, otherwise = null) {
	const text = element.contains(document.activeElement) ? document.activeElement.textContent : null;

	change();
	if (text !== null)
		([...element.querySelectorAll("button")].find((button) => button.textContent === text) ?? otherwise)?.focus();
}

// Returns NAME, which a user chose, in an element that isolates its direction of writing.
export function nameOf(name) {
	return html("bdi", {}, name);
}

// Returns the width in pixels that ELEMENT has for a picture; calls CHANGED whenever it becomes another one.
export function onWidth(element, changed) {
	let width = 0;

	new ResizeObserver((entries) => {
		const now = Math.floor(entries[entries.length - 1].contentRect.width);

		if (now > 0 && now !== width) {
			width = now;
			changed(now);
		}
	}).observe(element);
}
