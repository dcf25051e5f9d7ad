import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage } from 'node:http';
import { type Call, callOfPlatform, callOfUser } from '../../../base/kernel/call.js';
import { newId } from '../../../base/kernel/id.js';
import type { Principal } from '../../../base/kernel/principal.js';
import { FORM_MEDIA_TYPE } from '../../../platform/http/body/form-body.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';

/** The parsed body of a request: the fields of a form, or of a JSON object. */
export type ReadBody = Readonly<Record<string, unknown>>;

/** The headers that say where a request was sent and how its body was encoded. */
const REPLACED = new Set([
  'host',
  'x-forwarded-host',
  'x-forwarded-for',
  'x-forwarded-proto',
  'content-length',
  'content-encoding',
  'transfer-encoding',
]);

/**
 * Makes the request that oidc-provider gets for a request below /oidc: without the prefix in its path, with a body that
 * can still be read, and sent to PUBLIC_URL whatever its own headers say. oidc-provider makes links and cookies from
 * these headers.
 */
export function mountedRequest(
  request: PlatformRequest,
  publicUrl: string,
  body: ReadBody = {},
): IncomingMessage {
  const { pathname, search } = new URL(request.originalUrl, publicUrl);
  const { method, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, correlationId, ip } = request;
  const mounted = new IncomingMessage(request.socket);
  const type = request.headers['content-type'];
  // Its other endpoints take forms alone, here also JSON with the same fields.
  const json = pathname === '/oidc/reg';
  const bytes = Buffer.from(json ? JSON.stringify(body) : formOf(body));
  Object.assign(mounted, {
    method,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    rawHeaders,
    correlationId,
    ip,
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

/** Encodes a body as a form. A field that was sent twice appears twice. */
export function formOf(body: ReadBody): string {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  return new URLSearchParams(fields).toString();
}

/** The request that is being answered. oidc-provider does not pass it to its storage adapters. */
export const answering = new AsyncLocalStorage<IncomingMessage>();

/** The call of a person who is signed in in a browser, for audit events. */
export function callBy(principal: Principal, request: IncomingMessage): Call {
  return { principal, ...originOf(request) };
}

/** The call of the request that is being answered, for audit events: made by this user, or else by the platform. */
export function currentCall(userId?: string): Call {
  const origin = originOf(answering.getStore());
  return userId === undefined ? callOfPlatform(origin) : callOfUser({ id: userId }, origin);
}

function originOf(request: IncomingMessage | undefined): Omit<Call, 'principal'> {
  const { correlationId = newId(), ip } = (request ?? {}) as Partial<PlatformRequest>;
  return { via: 'rest', correlationId, ip };
}

const HANDLE_PREFIX = 'jwt~';

/**
 * Encodes an access token as a handle. oidc-provider refuses to introspect or revoke a token that has the form of a JWT,
 * but it looks up any other text in its storage.
 */
export function tokenHandle(token: string): string {
  return `${HANDLE_PREFIX}${Buffer.from(token).toString('base64url')}`;
}

/** The token of a handle; undefined for other texts. */
export function tokenOfHandle(handle: string): string | undefined {
  if (!handle.startsWith(HANDLE_PREFIX)) return undefined;
  return Buffer.from(handle.slice(HANDLE_PREFIX.length), 'base64url').toString();
}
