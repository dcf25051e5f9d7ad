import { errorOf } from './error-of.js';
import type { TcError } from './tc-error.js';

/** Longest text of a response without an error code, for example a page of a proxy, that becomes a message. */
const MAX_TEXT = 300;

/** The error that a response other than 2xx reports. */
export async function errorFrom(response: Response): Promise<TcError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const body = parsed(text);
  const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const message = isRedirect
    ? `The address redirects${to(headers.get('location'))}. Use the address of the service itself.`
    : (body.message ?? body.error_description ?? `${status} ${text.slice(0, MAX_TEXT)}`);
  return errorOf(String(message), {
    code: typeof body.error === 'string' ? body.error : `Http${status}`,
    status,
    details: body.details,
    requestId: headers.get('x-correlation-id') ?? undefined,
    retryAfterMs: waitIn(headers.get('retry-after')),
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The milliseconds of a `Retry-After` header (RFC 9110, 10.2.3): seconds or a date. */
function waitIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function to(location: string | null): string {
  return location === null ? '' : ` to ${location}`;
}
