import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { originRights } from '../http/cors.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { PlatformError } from '../kernel/errors.js';
import { doorRefusal, type McpDoors } from './transport.js';

/** Admits requests to a host name of this service, from no page or one that may call (MCP, Transports, Security). */
@Injectable()
export class DoorsGuard implements CanActivate {
  private readonly doors: McpDoors;

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
    const refusal = doorRefusal(context.switchToHttp().getRequest<PlatformRequest>().headers, this.doors);
    if (refusal !== undefined) throw new PlatformError('Forbidden', refusal);
    return true;
  }
}
