import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { Settings } from '../../config/settings.js';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import type { PlatformRequest } from '../platform-request.js';
import { REQUIREMENT, type Requirement } from '../requires.decorator.js';
import { CallerWindows } from './caller-windows.js';
import { LIMITED } from './limited.decorator.js';
import { CALLER_LIMITS, type CallerLimit, SOURCE_LIMITS, type SourceLimit, WINDOW_MS } from './limits.js';
import { SourceAttempts, sourceOf } from './source-attempts.service.js';
import { TooManyRequests } from './too-many-requests.js';
import { type Quota, quota, setUsageHeaders } from './usage-headers.js';

/** A limit and where its requests are counted; without `windows`, in PostgreSQL. */
interface Rule extends Quota {
  readonly windows?: CallerWindows;
}

/**
 * Counts requests and refuses those over a limit (collections contract, "Rate limits"). The guard of
 * @nestjs/throttler makes a dozen look-ups and waits five times per request, which every read would pay for: here a
 * route's rule is looked up once, and callers are counted without waiting.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly rules: ReadonlyMap<string, Rule>;
  private readonly isOn: boolean;
  private readonly ruleOfRoute = new Map<unknown, Rule | null>();

  constructor(
    settings: Settings,
    private readonly clock: Clock,
    private readonly reflector: Reflector,
    private readonly attempts: SourceAttempts,
  ) {
    this.rules = rulesOf(settings);
    this.isOn = settings.RATE_LIMITS === 'on';
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = this.ruleOf(context.getHandler());
    if (rule === null) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<PlatformRequest>();
    return rule.windows === undefined
      ? this.admitSource(rule, request, http.getResponse())
      : this.admitCaller(rule, rule.windows, request, http.getResponse());
  }

  /**
   * Counts one more use of a limit, for what is asked for inside a request that another limit counts. Throws 429, and
   * sets no headers: they tell of the request.
   */
  spend(limit: CallerLimit, principal: Principal): void {
    const rule = this.rules.get(limit);
    if (!this.isOn || rule?.windows === undefined) return;
    const now = this.clock.now().getTime();
    const { used, startedAt } = rule.windows.count(principal.id, now);
    if (used > rule.limit) throw new TooManyRequests(secondsLeft(startedAt, now));
  }

  /** Callers are principals: whoever has many sessions or keys of their own still is one. */
  private admitCaller(
    rule: Rule,
    windows: CallerWindows,
    { principal }: PlatformRequest,
    response: Response,
  ): boolean {
    if (principal === undefined) throw new Error('a limit per caller needs a caller');
    const now = this.clock.now().getTime();
    const { used, startedAt } = windows.count(principal.id, now);
    return admit(rule, response, used, secondsLeft(startedAt, now));
  }

  private async admitSource(rule: Rule, { ip }: PlatformRequest, response: Response): Promise<boolean> {
    const { name, limit } = rule;
    const source = sourceOf(ip);
    const counted = await this.attempts.increment(source, WINDOW_MS, limit, WINDOW_MS, name);
    return admit(rule, response, counted.totalHits, counted.timeToExpire);
  }

  private ruleOf(handler: ReturnType<ExecutionContext['getHandler']>): Rule | null {
    let rule = this.ruleOfRoute.get(handler);
    if (rule === undefined) {
      const name = this.reflector.get<CallerLimit | SourceLimit | undefined>(LIMITED, handler);
      const requirement = this.reflector.get<Requirement>(REQUIREMENT, handler);
      const ofCollections = 'collection' in requirement || 'product' in requirement;
      rule = this.rules.get(name ?? (ofCollections ? 'default' : '')) ?? null;
      this.ruleOfRoute.set(handler, rule);
    }
    return rule;
  }
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

function admit(rule: Rule, response: Response, used: number, secondsLeft: number): true {
  setUsageHeaders(response, rule, used, secondsLeft);
  if (used > rule.limit) throw new TooManyRequests(secondsLeft);
  return true;
}
