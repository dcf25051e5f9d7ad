import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import type { Settings } from '../config/settings.js';

/** What a proxy leaves on a request: then the peer's address says nothing about who asks. */
const SIGNS_OF_A_PROXY = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

type MetricsSettings = Pick<Settings, 'METRICS_TOKEN' | 'NODE_ENV'>;

/** False where nobody may read the metrics: then none are kept. */
export function areMetricsKept({ METRICS_TOKEN, NODE_ENV }: MetricsSettings): boolean {
  return METRICS_TOKEN !== undefined || NODE_ENV !== 'production';
}

/** With a token: who sends it. Without one: outside production, who asks from this machine and not through a proxy. */
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

/** Of one length whatever was sent, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
