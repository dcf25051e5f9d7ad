import type { Response } from 'express';
import { WINDOW_MS } from './limits.js';

/** A limit as responses name it: texts that never change are made once. */
export interface Quota {
  readonly name: string;
  readonly limit: number;
  readonly limitText: string;
  readonly policy: string;
}

export function quota(name: string, limit: number): Quota {
  return { name, limit, limitText: String(limit), policy: `"${name}";q=${limit};w=${WINDOW_MS / 1000}` };
}

/**
 * Tells the client what is left of its limit, in both forms that clients read: the three fields of
 * draft-ietf-httpapi-ratelimit-headers up to 06, and the two structured ones since 08.
 */
export function setUsageHeaders(response: Response, quota: Quota, used: number, secondsLeft: number): void {
  const remaining = Math.max(0, quota.limit - used);
  response.setHeader('RateLimit-Limit', quota.limitText);
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(secondsLeft));
  response.setHeader('RateLimit-Policy', quota.policy);
  response.setHeader('RateLimit', `"${quota.name}";r=${remaining};t=${secondsLeft}`);
}
