import type { IncomingHttpHeaders } from 'node:http';
import { validateHostHeader } from '@modelcontextprotocol/server';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { originRights } from '../../../platform/http/server/cors.js';

/**
 * A Host header without user or path, which the SDK would accept because it parses the header as a URL (RFC 9110, 7.2).
 */
const HOST = /^[^@/?#\\]+$/;

/** `hosts` are the allowed host names without ports. */
export interface AllowedCallers {
  readonly hosts: readonly string[];
  /** True when pages of this origin may call. */
  readonly admits: (origin: string) => boolean;
}
/** Refuses requests with a foreign Host header, and from pages of other origins (MCP, Transports, Security Warning). */
@Injectable()
export class DnsRebindingGuard implements CanActivate {
  private readonly doors: AllowedCallers;

  constructor(settings: Settings) {
    const { PUBLIC_URL, HOST, MCP_ALLOWED_HOSTS } = settings;
    const { hostname, origin } = new URL(PUBLIC_URL);
    const rightOf = originRights(settings);
    this.doors = {
      hosts: [hostname, HOST, 'localhost', '127.0.0.1', '[::1]', ...MCP_ALLOWED_HOSTS],
      admits: from => from === origin || rightOf(from) !== 'none',
    };
  }

  canActivate(context: ExecutionContext): boolean {
    const refusal = refusalOf(context.switchToHttp().getRequest<PlatformRequest>().headers, this.doors);
    if (refusal !== undefined) throw new PlatformError('Forbidden', refusal);
    return true;
  }
}

/** Why a request is refused; undefined when it is allowed. Only browsers send an Origin header. */
export function refusalOf(
  { host, origin }: IncomingHttpHeaders,
  { hosts, admits }: AllowedCallers,
): string | undefined {
  if (!HOST.test(host ?? '') || !validateHostHeader(host, [...hosts]).ok)
    return 'Host: is not an allowed host name of this service. The operator can add it to MCP_ALLOWED_HOSTS.';
  return origin === undefined || admits(origin)
    ? undefined
    : 'Origin: pages of this origin are not allowed to call this service.';
}
