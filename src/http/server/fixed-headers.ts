import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';
import { VERSION } from '../../kernel/version.js';

/**
 * The headers that every response has, unless it sets its own of the same name. Their text is built once: setting a
 * dozen headers one by one costs more than Express needs to find the route.
 */
export class FixedHeaders {
  private readonly lines: readonly (readonly [name: string, line: string])[];
  private readonly allLines: string;

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.lines = Object.entries(headers).map(([name, value]) => [name, `${name}: ${value}\r\n`]);
    this.allLines = this.lines.map(([, line]) => line).join('');
  }

  /** The lines that are missing in a response whose other headers are known. */
  missingIn(response: ServerResponse): string {
    for (const [name] of this.lines) {
      if (response.hasHeader(name)) return this.linesWithout(response);
    }
    return this.allLines;
  }

  private linesWithout(response: ServerResponse): string {
    return this.lines.map(([name, line]) => (response.hasHeader(name) ? '' : line)).join('');
  }
}

/** The version of the service and helmet's headers. */
export function platformHeaders(options: HelmetOptions): Record<string, string> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet(options)(response.req, response, () => undefined);
  const ofHelmet = response.getHeaderNames().map(name => [name, String(response.getHeader(name))]);
  return { 'x-service-version': VERSION, ...Object.fromEntries(ofHelmet) };
}
