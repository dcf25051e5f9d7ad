import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../exit.js';
import type { Credential } from '../profiles/profiles.js';
import { type Endpoints, OAuthRefusal, SCOPE, sendForm, tokensFor } from './oauth.js';

/** What a device shows (RFC 8628, 3.2). */
export interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  readonly expires_in: number;
  /** Seconds between two polls. */
  readonly interval?: number;
}

const DEFAULT_INTERVAL = 5;
const SLOW_DOWN = 5;

/** Signs in with a browser on another machine, where the person enters a code (RFC 8628). */
export async function signInWithDevice(
  endpoints: Endpoints,
  { show, signal }: { readonly show: (code: DeviceCode) => void; readonly signal: AbortSignal },
): Promise<Credential> {
  const { device_authorization_endpoint: endpoint, token_endpoint } = endpoints;
  if (endpoint === undefined) throw new CliError('This service does not offer the device flow.');
  const device = await sendForm<DeviceCode>(endpoint, { scope: SCOPE });
  show(device);
  const grant = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.device_code,
  };
  for (let interval = device.interval ?? DEFAULT_INTERVAL; ; ) {
    await sleep(interval * 1000, undefined, { signal });
    try {
      return await tokensFor(token_endpoint, grant);
    } catch (error) {
      const code = error instanceof OAuthRefusal ? error.code : undefined;
      if (code === 'slow_down') interval += SLOW_DOWN;
      else if (code === 'expired_token') throw new CliError('Nobody entered the code within 10 minutes.');
      else if (code !== 'authorization_pending') throw error;
    }
  }
}
