import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { PlatformError } from '../kernel/errors.js';
import { doorRefusal, type McpDoors } from './transport.js';

/** Admits requests to a host name of this service, from no page or one of ours (MCP, Transports, Security). */
@Injectable()
export class DoorsGuard implements CanActivate {
  private readonly doors: McpDoors;

  constructor({ PUBLIC_URL, HOST, MCP_ALLOWED_HOSTS, PLATFORM_ORIGINS }: Settings) {
    const { hostname, origin } = new URL(PUBLIC_URL);
    this.doors = {
      hosts: [hostname, HOST, 'localhost', '127.0.0.1', '[::1]', ...MCP_ALLOWED_HOSTS],
      origins: [origin, ...PLATFORM_ORIGINS],
    };
  }

  canActivate(context: ExecutionContext): boolean {
    const refusal = doorRefusal(context.switchToHttp().getRequest<PlatformRequest>().headers, this.doors);
    if (refusal !== undefined) throw new PlatformError('Forbidden', refusal);
    return true;
  }
}
