import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { unavailable } from '../../base/kernel/sql-state.js';
import { rulesDigest } from '../../engine/storage/restricted/rules-digest.js';
import { Settings } from '../../platform/config/settings.js';
import { AuthenticationStep } from '../../platform/http/access/access-step.js';
import { leavePlace } from '../../platform/http/access/place.step.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { TooManyRequests } from '../../platform/http/rate-limit/source-attempts.service.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { type ChangeBatch, ChangePositions, positioned, positionReset } from './change-positions.js';
import { type ChangeQuestion, ChangeReader } from './change-reader.service.js';
import { ChangeStream } from './change-stream.js';
import { ChangeWatch } from './change-watch.service.js';

/** Maximum time between two checks of the caller's rights during a stream. */
const CHECK_EVERY_MS = 2_000;
/** Pause between attempts while the database is unavailable. The streams stay open. */
const AWAY_PAUSE_MS = 1_000;
const BUSY_RETRY_SECONDS = 10;

/** A caller who follows a collection. */
interface Follower {
  readonly request: PlatformRequest;
  readonly stream: Pick<ChangeStream, 'gone' | 'breathe'>;
  access: Access;
}

/** An open stream of changes. */
interface Following extends Follower {
  readonly stream: ChangeStream;
  readonly question: ChangeQuestion;
}

/** Why signals ended: the caller's grants have changed, or anything else. */
type SignalsEnd = 'reset' | 'ended';

/**
 * Calls `tell` when records or metadata change after the signals were created. Resolves after `gone`, or when the rights
 * of the caller have changed.
 */
export type ChangeSignals = (
  gone: AbortSignal,
  tell: (what: 'records' | 'metadata') => void,
) => Promise<SignalsEnd>;

/** Signals report only that something has changed, not what. */
const SIGNAL: Omit<ChangeQuestion, 'since'> = { filter: undefined, limit: 1_000 };

/** Streams of changes. Each change is sent once and in order, for as long as the caller may see the collection. */
@Injectable()
export class ChangeStreams implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ChangeStreams.name);
  // biome-ignore lint/plugin/bounded-maps: open streams, which a setting limits
  private readonly perCaller = new Map<string, number>();
  private readonly lines = new WeakMap<ChangeBatch, ReturnType<typeof positioned>>();
  private open = 0;
  private stopped = false;

  constructor(
    private readonly accesses: CollectionAccess,
    private readonly reader: ChangeReader,
    private readonly positions: ChangePositions,
    private readonly watch: ChangeWatch,
    private readonly authentication: AuthenticationStep,
    private readonly adapterHost: HttpAdapterHost,
    private readonly settings: Settings,
    private readonly budget: ByteBudget,
  ) {}

  /** Streams that are open on this instance. */
  get count(): number {
    return this.open;
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
  }

  /** Resolves when the stream has ended. Refusals come before anything is sent. */
  async follow(
    access: Access,
    question: ChangeQuestion,
    request: PlatformRequest,
    response: Response,
  ): Promise<void> {
    const caller = access.principal.id;
    this.enter(caller);
    // Streams have limits of their own.
    leavePlace(request);
    try {
      const first = await this.reader.read(access, question);
      const { orgId } = access.collection;
      const keep = (bytes: number) => {
        this.budget.force(orgId, bytes);
        return () => this.budget.give(orgId, bytes);
      };
      const stream = new ChangeStream(response, this.settings.CHANGES_STALL_SECONDS * 1_000, keep);
      await stream.begin(this.positions.sign(access.collection.id, first.from));
      await this.run({ request, stream, question, access }, first);
    } finally {
      this.leave(caller);
    }
  }

  /**
   * Counts as one of the caller's streams until the signals have ended, so the caller must start the returned function.
   * Throws the errors that refuse a stream.
   */
  async signals(access: Access, request: PlatformRequest): Promise<ChangeSignals> {
    const caller = access.principal.id;
    this.enter(caller);
    leavePlace(request);
    try {
      const first = await this.reader.read(access, { ...SIGNAL, since: 'now' });
      return async (gone, tell) => {
        const stream = { gone, breathe: async () => undefined };
        return this.signal({ request, stream, access }, first, tell).finally(() => this.leave(caller));
      };
    } catch (error) {
      this.leave(caller);
      throw error;
    }
  }

  private async signal(
    following: Follower,
    first: ChangeBatch,
    tell: (what: 'records' | 'metadata') => void,
  ): Promise<SignalsEnd> {
    let { version } = following.access.collection;
    try {
      for (let batch = first; ; ) {
        if (batch.more) await this.check(following, batch);
        else await this.quiet(following, batch);
        if (following.stream.gone.aborted || this.isStopping) return 'ended';
        const { next: since } = batch;
        batch = await this.whileUnavailable(following, () =>
          this.reader.readTogether(following.access, { ...SIGNAL, since }),
        );
        if (batch.changes.length > 0) tell('records');
        if (following.access.collection.version !== version) tell('metadata');
        version = following.access.collection.version;
      }
    } catch (error) {
      // The caller has lost its rights. It gets the reason with its next request for the collection.
      if (!(error instanceof PlatformError) && !this.isStopping) this.logger.error(error);
      return (error as PlatformError).code === 'PositionReset' ? 'reset' : 'ended';
    }
  }

  private async run(following: Following, first: ChangeBatch): Promise<void> {
    const { stream, question } = following;
    try {
      for (let batch = first; ; ) {
        await this.tell(following, batch);
        if (batch.more) await this.check(following, batch);
        else await this.quiet(following, batch);
        if (stream.gone.aborted || this.isStopping) return stream.end();
        const { next: since } = batch;
        batch = await this.whileUnavailable(following, () =>
          this.reader.readTogether(following.access, { ...question, since }),
        );
      }
    } catch (error) {
      if (error instanceof PlatformError) return stream.end({ error: error.code, message: error.message });
      if (!this.isStopping) this.logger.error(error);
      stream.cut();
    }
  }

  private tell({ stream, access }: Following, batch: ChangeBatch): Promise<void> {
    const { id } = access.collection;
    // Streams that share a batch share its text.
    const lines = this.lines.get(batch) ?? positioned(this.positions, id, batch.next, batch.changes);
    this.lines.set(batch, lines);
    return stream.send(lines, this.positions.sign(id, batch.next));
  }

  /** Resolves when there may be changes to read. Throws when the caller has lost its rights. */
  private async quiet(following: Follower, batch: ChangeBatch): Promise<void> {
    const { stream } = following;
    const { next } = batch;
    for (let news = false; !news && !stream.gone.aborted && !this.isStopping; ) {
      news = await this.watch.changed(following.access.collection, next, CHECK_EVERY_MS, stream.gone);
      await stream.breathe();
      await this.check(following, batch);
    }
  }

  /**
   * Throws when the caller has lost its rights, or when its rules are others than those of the last batch. Cached metadata
   * suffices, because the reads that follow have a version check.
   */
  private async check(following: Follower, { next }: ChangeBatch): Promise<void> {
    const { request, access } = following;
    following.access = await this.whileUnavailable(following, async () => {
      const principal = await this.authentication.again(request);
      return this.accesses.known(principal, access.collection.id, access.right);
    });
    if (rulesDigest(following.access.collection) !== next.rules) throw positionReset();
  }

  /** Repeats `work` while the database is unavailable and the client is connected. */
  private async whileUnavailable<T>({ stream }: Follower, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const away = unavailable(error) !== undefined || (error as PlatformError).code === 'Unavailable';
        if (!away || stream.gone.aborted || this.isStopping) throw error;
      }
      await pause(AWAY_PAUSE_MS);
      await stream.breathe();
    }
  }

  /** True when the service is shutting down. Streams then end, and clients reconnect to another instance. */
  private get isStopping(): boolean {
    return this.stopped || !this.adapterHost.httpAdapter.getHttpServer().listening;
  }

  private enter(caller: string): void {
    const { CHANGES_MAX_STREAMS: most, CHANGES_MAX_STREAMS_PER_CALLER: ofCaller } = this.settings;
    const mine = this.perCaller.get(caller) ?? 0;
    if (mine >= ofCaller) throw new TooManyRequests(BUSY_RETRY_SECONDS);
    if (this.open >= most)
      throw new PlatformError('Unavailable', 'Too many change streams are open. Close one, or retry later.');
    this.perCaller.set(caller, mine + 1);
    this.open += 1;
  }

  private leave(caller: string): void {
    const mine = (this.perCaller.get(caller) as number) - 1;
    if (mine === 0) this.perCaller.delete(caller);
    else this.perCaller.set(caller, mine);
    this.open -= 1;
  }
}
