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

export function byId(id) {
	return document.getElementById(id);
}

// Makes TEXT the text of ELEMENT if it is another one.
export function setText(element, text) {
	if (element && element.textContent !== text)
		element.textContent = text;
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
