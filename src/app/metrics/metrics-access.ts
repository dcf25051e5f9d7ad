import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import type { Settings } from '../../platform/config/settings.js';

/** Headers that proxies add. The address of the peer is then not the address of the client. */
const SIGNS_OF_A_PROXY = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

type MetricsSettings = Pick<Settings, 'METRICS_TOKEN' | 'NODE_ENV'>;

/** False when no caller may read the metrics, so that none are collected. */
export function areMetricsKept({ METRICS_TOKEN, NODE_ENV }: MetricsSettings): boolean {
  return METRICS_TOKEN !== undefined || NODE_ENV !== 'production';
}

/**
 * True for a request with METRICS_TOKEN. Without the setting: for direct requests from this machine outside production.
 */
export function mayReadMetrics(
  request: Pick<Request, 'headers' | 'socket'>,
  { METRICS_TOKEN, NODE_ENV }: MetricsSettings,
): boolean {
  if (METRICS_TOKEN === undefined) {
    return (
      areMetricsKept({ METRICS_TOKEN, NODE_ENV }) &&
      LOOPBACK.test(request.socket.remoteAddress ?? '') &&
      SIGNS_OF_A_PROXY.every(name => request.headers[name] === undefined)
    );
  }
  const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(METRICS_TOKEN));
}

/** Gives both texts the same length, which timingSafeEqual needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
