/** What the language server writes: the names of files, and texts in Markdown that became HTML. */
import DOMPurify from "dompurify";

/** The scheme of files of the flow: `flow:asn1/msc.asn1`. */
const SCHEME = "flow:";

export const uriOf = (file: string) => SCHEME + file.split("/").map(encodeURIComponent).join("/");

export const fileOf = (uri: string) => decodeURIComponent(uri.slice(SCHEME.length));

/**
 * Returns HTML without anything but text and links to files of the flow. Comments of scripts and modules are in it, which
 * other users write.
 */
export const sanitized = (html: string): string =>
  DOMPurify.sanitize(html, {
    ALLOWED_TAGS: ["p", "pre", "code", "span", "br", "a", "em", "strong", "ul", "ol", "li"],
    ALLOWED_ATTR: ["class", "href"],
    ALLOWED_URI_REGEXP: /^flow:/,
  });
