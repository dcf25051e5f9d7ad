import type { Settings } from '../config/settings.js';

/** Where requests below a prefix are forwarded to. */
export interface ForwardTarget {
  readonly prefix: string;
  /** Where it is called, and the audience of the identities it is sent. */
  readonly origin: string;
  /** The runtime is another part of the platform, and is addressed as the platform; a service by its own name. */
  readonly kind: 'runtime' | 'service';
}

/** What this process forwards, longest prefixes first; nothing at all without the role, or with no service behind it. */
export function forwardTargets({
  PLATFORM_ROLES,
  RUNTIME_URL,
  GATEWAY_UPSTREAMS,
}: Pick<Settings, 'PLATFORM_ROLES' | 'RUNTIME_URL' | 'GATEWAY_UPSTREAMS'>): ForwardTarget[] {
  const services = GATEWAY_UPSTREAMS.map(upstream => ({ ...upstream, kind: 'service' as const }));
  if (PLATFORM_ROLES.includes('runtime') || RUNTIME_URL === undefined) return services;
  return [{ prefix: '/v1', origin: RUNTIME_URL, kind: 'runtime' }, ...services];
}
