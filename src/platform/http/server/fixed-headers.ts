import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';
import { VERSION } from '../../../base/kernel/version.js';

/**
 * The headers of a response as Node passes them on to build its head: those of `setHeader`, by their names in lower case,
 * or, if there are none, those of `writeHead`.
 */
export type OwnHeaders = OutgoingHttpHeaders | readonly OutgoingHttpHeader[] | undefined;

/** A header whose value differs between responses, and how it is found. The value must be safe in a head. */
export interface ValueHeader {
  readonly name: string;
  valueFor(request: IncomingMessage): string | undefined;
}

/**
 * The headers that every response has, unless it sets its own of the same name. They are added to the head as text:
 * setting a dozen headers one by one costs more than Express needs to find the route, and a response that has set none
 * passes those of `writeHead` without looking at them one by one.
 */
export class FixedHeaders {
  /** By the name in lower case. */
  private readonly lines: ReadonlyMap<string, string>;
  private readonly allLines: string;
  private readonly valueName: string;

  constructor(
    headers: Readonly<Record<string, string>> = {},
    private readonly value: ValueHeader = { name: '', valueFor: () => undefined },
  ) {
    const entries = Object.entries(headers);
    this.lines = new Map(entries.map(([name, text]) => [name.toLowerCase(), `${name}: ${text}\r\n`]));
    this.allLines = [...this.lines.values()].join('');
    this.valueName = value.name.toLowerCase();
  }

  /** The lines that the head of a response lacks. */
  missingIn(request: IncomingMessage, own: OwnHeaders): string {
    const value = this.value.valueFor(request);
    const line = value === undefined ? '' : `${this.value.name}: ${value}\r\n`;
    const replaced = this.replacedBy(own);
    if (replaced === undefined) return this.allLines + line;
    const others = [...this.lines].map(([name, text]) => (replaced.has(name) ? '' : text));
    return others.join('') + (replaced.has(this.valueName) ? '' : line);
  }

  /** The names of fixed headers that a response sets itself; undefined for none. */
  private replacedBy(own: OwnHeaders): ReadonlySet<string> | undefined {
    let names: Set<string> | undefined;
    for (const each of Array.isArray(own) ? namesIn(own) : Object.keys(own ?? {})) {
      const name = each.toLowerCase();
      if (!this.lines.has(name) && name !== this.valueName) continue;
      // Its list may have several lines (RFC 9110, 5.3), so an own one that lacks the origin adds to the fixed one.
      if (name === 'vary' && !/\borigin\b/i.test(String((own as OutgoingHttpHeaders)[each]))) continue;
      names ??= new Set();
      names.add(name);
    }
    return names;
  }
}

/** Names and values in turn, or in pairs. */
function namesIn(list: readonly unknown[]): string[] {
  return list.flatMap((each, index) =>
    Array.isArray(each) ? String(each[0]) : index % 2 === 0 ? String(each) : [],
  );
}

/** The version of the service, helmet's headers, and what a response may depend on besides its URL. */
export function platformHeaders(options: HelmetOptions): Record<string, string> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet(options)(response.req, response, () => undefined);
  const ofHelmet = response.getHeaderNames().map(name => [name, String(response.getHeader(name))]);
  // A cache must not reuse a response for another origin, see `cors`.
  return { 'x-service-version': VERSION, ...Object.fromEntries(ofHelmet), Vary: 'Origin' };
}
