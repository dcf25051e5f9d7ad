import { IncomingMessage } from 'node:http';
import { FORM_MEDIA_TYPE } from '../../http/form-body.js';
import type { PlatformRequest } from '../../http/platform-request.js';

/** The body that a guard has read: the fields of a form, or of JSON. */
export type ReadBody = Readonly<Record<string, unknown>>;

/**
 * A request below /oidc as oidc-provider wants to see it: its path without the prefix, its body still to be read, and
 * sent to PUBLIC_URL whatever its own headers claim, since links and cookies are made from them.
 */
export function mountedRequest(
  request: PlatformRequest,
  publicUrl: string,
  body: ReadBody = {},
): IncomingMessage {
  // A request line may hold an absolute address, of any host.
  const { pathname, search } = new URL(request.originalUrl, publicUrl);
  const { method, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, correlationId, ip } = request;
  const mounted = new IncomingMessage(request.socket);
  const type = request.headers['content-type'];
  const json = type?.includes('json') ?? false;
  const bytes = Buffer.from(json ? JSON.stringify(body) : formOf(body));
  Object.assign(mounted, {
    ...{ method, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, correlationId, ip },
    url: `${pathname.slice('/oidc'.length)}${search}`,
    originalUrl: `${pathname}${search}`,
    headers: {
      ...headersAt(publicUrl, request),
      ...(type !== undefined && { 'content-type': json ? 'application/json' : FORM_MEDIA_TYPE }),
      ...(bytes.length > 0 && { 'content-length': String(bytes.length) }),
    },
    complete: true,
  });
  if (bytes.length > 0) mounted.push(bytes);
  mounted.push(null);
  return mounted;
}

function headersAt(publicUrl: string, { headers }: PlatformRequest): IncomingMessage['headers'] {
  const { host, protocol } = new URL(publicUrl);
  const kept = Object.entries(headers).filter(([name]) => !REPLACED.has(name));
  return { ...Object.fromEntries(kept), host, 'x-forwarded-proto': protocol.slice(0, -1) };
}

/** What says where the request was sent, and how its body was. */
const REPLACED = new Set([
  'host',
  'x-forwarded-host',
  'x-forwarded-for',
  'x-forwarded-proto',
  'content-length',
  'content-encoding',
  'transfer-encoding',
]);

/** The text of a form; a field that was sent twice is in it twice again. */
export function formOf(body: ReadBody): string {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  return new URLSearchParams(fields).toString();
}
