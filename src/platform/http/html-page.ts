import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Language } from './request-language.js';

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

export interface Page {
  readonly title: string;
  readonly main: Html;
  /** Addresses outside this platform to which the form may redirect: browsers check every redirect after a form. */
  readonly formTargets?: readonly string[];
  /** The path of a page of this platform that the browser opens at once. Programs see the status of this page. */
  readonly continueAt?: string;
  /** A script of this page, which may call this platform. Pages have none by default. */
  readonly script?: string;
  /** English by default. */
  readonly language?: Language;
}

type Fragment = string | Html | readonly Html[];

/** Builds HTML from a template. Strings are escaped; `Html` values are inserted unchanged. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(parts.reduce((text, part, index) => text + shown(values[index - 1] ?? '') + part));
}

function shown(value: Fragment): string {
  if (typeof value === 'string') return escaped(value);
  return value instanceof Html ? value.text : value.map(each => (each as Html).text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] as string);
}

/** System colours for light and dark mode, with a visible focus. */
const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 34rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
ul { padding-left: 1.25rem; }
a.choice, button { display: block; box-sizing: border-box; width: 100%; margin: .75rem 0; padding: .75rem 1rem;
  border: 1px solid; border-radius: .5rem; font: inherit; text-align: center; text-decoration: none; color: inherit;
  background: transparent; cursor: pointer; }
button.main { font-weight: 600; border-width: 2px; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
const STYLE_HASH = hashOf(STYLE);

/** The whole document of a page. */
export function documentOf({ title, main, script, language = 'en' }: Page): string {
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>${script === undefined ? '' : new Html(`\n<script>${script}</script>`)}
</body>
</html>
`.text;
}

/**
 * A Content Security Policy: no scripts but that of the page, no loaded resources, no embedding in frames, forms only to the given targets.
 */
export function policyOf({ formTargets = [], script }: Page): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(script === undefined ? [] : [`script-src 'sha256-${hashOf(script)}'`, "connect-src 'self'"]),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Sends a page as a response. */
export function sendPage(response: Response, page: Page, status = 200): void {
  response.setHeader('Content-Security-Policy', policyOf(page));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Frame-Options', 'DENY');
  if (page.continueAt !== undefined) response.setHeader('Refresh', `0; url=${page.continueAt}`);
  response.status(status).type('html').end(documentOf(page));
}

/** True for a browser that opens an address. False for programs, which accept anything or ask for JSON. */
export function prefersPage(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}
