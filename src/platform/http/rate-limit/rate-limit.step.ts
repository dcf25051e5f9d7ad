import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../base/kernel/clock.js';
import type { Principal } from '../../../base/kernel/principal.js';
import { Settings } from '../../config/settings.js';
import { AccessStep, type Check, type Route } from '../access/access-step.js';
import { failureOf } from '../failures.js';
import type { PlatformRequest } from '../platform-request.js';
import type { Requirement } from '../requires.decorator.js';
import { announcesBody } from '../server/connections.js';
import {
  CALLER_LIMITS,
  type CallerLimit,
  LIMITED,
  SOURCE_LIMITS,
  type SourceLimit,
  WINDOW_MS,
} from './limited.decorator.js';
import { AuthFailures, SourceAttempts, sourceOf, TooManyRequests } from './source-attempts.service.js';

/** Statuses for a body that cannot be read or that the route does not accept. */
const BODY_REFUSALS: ReadonlySet<number> = new Set([400, 413, 415]);

/** A limit and its counter. Without `windows`, requests are counted in PostgreSQL. */
interface Rule extends Quota {
  readonly windows?: CallerWindows;
}

/**
 * Counts requests and refuses those over a limit (collections contract, "Rate limits"). The guard of @nestjs/throttler
 * does a dozen look-ups and awaits five times per request. Here the rule of a route is looked up once at start, and
 * counting requests of callers is synchronous.
 */
@Injectable()
export class RateLimits extends AccessStep {
  private readonly rules: ReadonlyMap<string, Rule>;
  private readonly isOn: boolean;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
    private readonly attempts: SourceAttempts,
    private readonly failures: AuthFailures,
  ) {
    super();
    this.rules = rulesOf(settings);
    this.isOn = settings.RATE_LIMITS === 'on';
  }

  checkFor(route: Route): Check | undefined {
    const rule = this.ruleOf(route);
    if (rule === undefined || !this.isOn) return undefined;
    const { windows } = rule;
    return windows === undefined
      ? (request, response) => this.admitSource(rule, request, response)
      : (request, response) => this.admitCaller(rule, windows, request, response);
  }

  /** Counts a request without credential whose body was refused. */
  override async afterFailure(failure: unknown, request: PlatformRequest): Promise<unknown> {
    if (request.principal !== undefined || !announcesBody(request)) return failure;
    const error = failureOf(failure, request.correlationId);
    return BODY_REFUSALS.has(error.status)
      ? this.failures.counted(error, request.ip).catch(() => failure)
      : failure;
  }

  /**
   * Counts one more use of a limit during a request that another limit counts. Throws 429. Sets no headers, because
   * they describe the limit of the request.
   */
  spend(limit: CallerLimit, principal: Principal): void {
    const rule = this.rules.get(limit);
    if (!this.isOn || rule?.windows === undefined) return;
    const now = this.clock.now().getTime();
    const { used, startedAt } = rule.windows.count(principal.id, now);
    if (used > rule.limit) throw new TooManyRequests(secondsLeft(startedAt, now));
  }

  /** Counts by principal, so that several sessions or keys of a principal share a limit. */
  private admitCaller(
    rule: Rule,
    windows: CallerWindows,
    { principal }: PlatformRequest,
    response: Response,
  ): undefined {
    if (principal === undefined) throw new Error('a limit per caller needs a caller');
    const now = this.clock.now().getTime();
    const { used, startedAt } = windows.count(principal.id, now);
    admit(rule, response, used, secondsLeft(startedAt, now));
  }

  private async admitSource(rule: Rule, { ip }: PlatformRequest, response: Response): Promise<void> {
    const { name, limit } = rule;
    const source = sourceOf(ip);
    const counted = await this.attempts.increment(source, WINDOW_MS, limit, WINDOW_MS, name);
    admit(rule, response, counted.totalHits, counted.timeToExpire);
  }

  private ruleOf(route: Route): Rule | undefined {
    return this.rules.get(route.metadata<CallerLimit | SourceLimit>(LIMITED) ?? defaultOf(route.requirement));
  }
}

/**
 * The limit of a route that names none. The platform's own routes have a count of their own, so that a caller who reads
 * many records can still sign out. Forwarded requests are counted where they are served.
 */
function defaultOf(requirement: Requirement): CallerLimit | '' {
  if ('public' in requirement || 'forwarded' in requirement) return '';
  return 'collection' in requirement || 'product' in requirement ? 'default' : 'platform';
}

function secondsLeft(startedAt: number, now: number): number {
  return Math.ceil((startedAt + WINDOW_MS - now) / 1000);
}

function rulesOf(settings: Settings): ReadonlyMap<string, Rule> {
  const callers = Object.entries(CALLER_LIMITS).map(([name, setting]): [string, Rule] => [
    name,
    { ...quota(name, settings[setting]), windows: new CallerWindows() },
  ]);
  const sources = Object.entries(SOURCE_LIMITS).map(([name, setting]): [string, Rule] => [
    name,
    quota(name, settings[setting]),
  ]);
  return new Map([...callers, ...sources]);
}

function admit(rule: Rule, response: Response, used: number, secondsLeft: number): void {
  setUsageHeaders(response, rule, used, secondsLeft);
  if (used > rule.limit) throw new TooManyRequests(secondsLeft);
}

/** A limit with the parts of its headers that never change, which are built once. */
interface Quota {
  readonly name: string;
  readonly limit: number;
  readonly limitText: string;
  readonly policy: string;
}

function quota(name: string, limit: number): Quota {
  return { name, limit, limitText: String(limit), policy: `"${name}";q=${limit};w=${WINDOW_MS / 1000}` };
}

/**
 * Sends the state of the limit in both forms that clients use: the three fields of draft-ietf-httpapi-ratelimit-headers
 * up to version 06, and the two structured fields since version 08.
 */
function setUsageHeaders(response: Response, quota: Quota, used: number, secondsLeft: number): void {
  const remaining = Math.max(0, quota.limit - used);
  response.setHeader('RateLimit-Limit', quota.limitText);
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(secondsLeft));
  response.setHeader('RateLimit-Policy', quota.policy);
  response.setHeader('RateLimit', `"${quota.name}";r=${remaining};t=${secondsLeft}`);
}

/** Maximum number of callers per limit. When there are more, the caller with the oldest window is forgotten. */
const MAX_CALLERS = 50_000;

/** The current window of one caller. */
export interface CallerWindow {
  readonly startedAt: number;
  used: number;
}

/**
 * Counts requests per caller in fixed windows, in the memory of this process. There is no timer: opening a window
 * removes expired ones, so that only callers of the last minute are in memory.
 */
export class CallerWindows {
  /** Oldest window first. */
  // biome-ignore lint/plugin/bounded-maps: at most MAX_CALLERS
  private readonly windows = new Map<string, CallerWindow>();

  constructor(private readonly maxCallers = MAX_CALLERS) {}

  /** Counts a request at `now` (milliseconds) and returns the caller's window with it. */
  count(caller: string, now: number): CallerWindow {
    let window = this.windows.get(caller);
    if (window === undefined || isOver(window, now)) window = this.open(caller, now);
    window.used++;
    return window;
  }

  get size(): number {
    return this.windows.size;
  }

  private open(caller: string, now: number): CallerWindow {
    this.windows.delete(caller);
    for (const [oldest, window] of this.windows) {
      if (!isOver(window, now) && this.windows.size < this.maxCallers) break;
      this.windows.delete(oldest);
    }
    const window = { startedAt: now, used: 0 };
    this.windows.set(caller, window);
    return window;
  }
}

/** A window also ends when the clock is set back, so that no caller stays locked out. */
function isOver({ startedAt }: CallerWindow, now: number): boolean {
  return now < startedAt || now >= startedAt + WINDOW_MS;
}
