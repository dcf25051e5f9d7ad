import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { AdmissionQueue } from '../../base/kernel/bounds/admission/admission-queue.js';
import { VERSION } from '../../base/kernel/version.js';
import { CredentialCache } from '../../features/auth/credential-cache.js';
import { ChangeStreams } from '../../features/changes/change-streams.service.js';
import { CollectionDirectory } from '../../features/collections/collection-directory.js';
import { Settings } from '../../platform/config/settings.js';
import { Admission } from '../../platform/database/admission/admission.js';
import { PreparedNames } from '../../platform/database/connections/prepared-names.js';
import { ReadPipeline } from '../../platform/database/connections/read-pipeline.js';
import { Replicas } from '../../platform/database/connections/replicas.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Statements } from '../../platform/database/statements.js';
import { RequestPlaces } from '../../platform/http/access/request-places.js';
import type { Answered } from '../../platform/http/request-log.js';
import { JobRunner } from '../jobs/job-runner.js';
import { DatabaseState, RequestDurations } from './measurements.js';
import { areMetricsKept } from './metrics-access.js';

const LABELS = [
  'queue',
  'state',
  'lane',
  'cache',
  'result',
  'job',
  'outcome',
  'server',
  'status',
  'version',
  'node',
  'roles',
  'collection',
];

/** Labels and value of one sample of a metric. */
type Sample = readonly [labels: Record<string, string>, value: number];

/**
 * Metrics in the text format of Prometheus. Durations are recorded with each request; all other values are read when
 * the metrics are requested. Labels never contain values of clients, so the number of series is bounded.
 */
@Injectable()
export class Metrics {
  private readonly durations: RequestDurations | undefined;
  private readonly registry = new Registry();
  private readonly state: DatabaseState;
  private watchesProcess = false;

  constructor(
    private readonly modules: ModuleRef,
    settings: Settings,
    statements: Statements,
  ) {
    this.state = new DatabaseState(statements);
    if (!areMetricsKept(settings)) return;
    this.durations = new RequestDurations();
    this.watchInstance(settings, statements);
    this.watchWork();
    this.watchAdmission();
    this.watchDatabase();
  }

  /** Records an answered request; undefined when no caller may read the metrics. */
  get answered(): Answered | undefined {
    return this.durations?.note;
  }

  /** The current metrics. When the database is down, its metrics keep their last values. */
  async text(): Promise<string> {
    if (!this.watchesProcess) {
      // Starts with the first request, because watching garbage collection and the event loop has a constant cost.
      this.watchesProcess = true;
      collectDefaultMetrics({ register: this.registry });
    }
    await this.state.refresh();
    return `${this.durations?.text() ?? ''}${await this.registry.metrics()}`;
  }

  private watchInstance(settings: Settings, statements: Statements): void {
    this.gauge('platform_build_info', 'The running build; always 1', () => [
      [{ version: VERSION, node: process.versions.node, roles: settings.PLATFORM_ROLES.join(',') }, 1],
    ]);
    this.gauge('database_pool_connections', 'Connections of the pool, by state', () => {
      const { totalCount, idleCount } = statements.pool;
      return [
        [{ state: 'open' }, totalCount],
        [{ state: 'idle' }, idleCount],
      ];
    });
    this.gauge('database_pool_size', 'Maximum number of connections in the pool', () => [
      [{}, settings.DATABASE_POOL_SIZE],
    ]);
    this.gauge('database_pool_waiting', 'Requests that wait for a connection', () => [
      [{}, statements.pool.waitingCount],
    ]);
    this.gauge('database_pipeline_statements', 'Statements running on a pipelined connection', () =>
      this.find(ReadPipeline).underWay.map((count, lane): Sample => [{ lane: String(lane) }, count]),
    );
    this.counter(
      'replica_reads_total',
      'Reads that a replica could answer, by the server that answered them',
      () => {
        const { replica, primary } = this.find(Replicas).counts;
        return [
          [{ server: 'replica' }, replica],
          [{ server: 'primary' }, primary],
        ];
      },
    );
    this.gauge('replicas_usable', 'Replicas that are connected and not too far behind', () => [
      [{}, this.find(Replicas).usable],
    ]);
    this.gauge(
      'database_listening',
      '1 while this instance receives notifications of changes made by other instances',
      () => [[{}, Number(this.find(Notifications).isListening)]],
    );
  }

  private watchWork(): void {
    const caches = () => ({
      credentials: this.find(CredentialCache).counts,
      collections: this.find(CollectionDirectory).counts,
      statements: this.find(PreparedNames).counts,
    });
    this.counter('cache_lookups_total', 'Look-ups in a cache, by hit or miss', () =>
      Object.entries(caches()).flatMap(([cache, { hits, misses }]): Sample[] => [
        [{ cache, result: 'hit' }, hits],
        [{ cache, result: 'miss' }, misses],
      ]),
    );
    this.counter('cache_evictions_total', 'Entries evicted from a cache to make room for others', () =>
      Object.entries(caches()).map(([cache, { evictions }]): Sample => [{ cache }, evictions]),
    );
    this.counter(
      'cache_invalidations_total',
      'Cached credentials dropped because their rights changed',
      () => [[{ cache: 'credentials' }, this.find(CredentialCache).counts.invalidations]],
    );
    this.gauge('change_streams_open', 'Open change streams of this instance', () => [
      [{}, this.find(ChangeStreams).count],
    ]);
    this.counter('job_runs_total', 'Runs of a job on this instance', () =>
      [...this.find(JobRunner).outcomes].flatMap(([job, { done, failed }]): Sample[] => [
        [{ job, outcome: 'done' }, done],
        [{ job, outcome: 'failed' }, failed],
      ]),
    );
  }

  private watchAdmission(): void {
    const ofEach = (value: (queue: AdmissionQueue) => number) => () =>
      Object.entries({ requests: this.find(RequestPlaces), ...this.find(Admission).queues }).map(
        ([queue, of]): Sample => [{ queue }, value(of)],
      );
    this.gauge(
      'admission_places',
      'Maximum number of tasks that a queue admits at the same time',
      ofEach(({ limits }) => limits.maxRunning),
    );
    this.gauge(
      'admission_running',
      'Tasks that are admitted now',
      ofEach(({ running }) => running),
    );
    this.gauge(
      'admission_waiting',
      'Tasks that wait to be admitted',
      ofEach(({ waiting }) => waiting),
    );
    this.gauge(
      'admission_closed_keys',
      'Collections whose table is locked: one statement at a time probes them',
      ofEach(({ closed }) => closed),
    );
    this.counter(
      'admission_waits_total',
      'Tasks that were admitted after waiting',
      ofEach(({ counts }) => counts.waited),
    );
    this.counter(
      'admission_wait_seconds_total',
      'Time that these tasks waited',
      ofEach(({ counts }) => counts.waitedMs / 1_000),
    );
    this.counter(
      'admission_refused_total',
      'Tasks that were refused, because too many waited or they waited too long',
      ofEach(({ counts }) => counts.refused),
    );
  }

  private watchDatabase(): void {
    const { state } = this;
    this.gauge('database_up', '1 if the database answered this scrape', () => [[{}, Number(state.isUp)]]);
    this.gauge('job_last_success_timestamp_seconds', 'When a job last succeeded, on any instance', () =>
      [...state.lastSuccess].map(([job, at]): Sample => [{ job }, at]),
    );
    this.gauge('webhook_messages', 'Messages in the outbox, over all instances', () => [
      [{ status: 'pending' }, state.outbox.pending],
      [{ status: 'dead' }, state.outbox.dead],
    ]);
    this.gauge('webhook_lag_seconds', 'Age of the oldest overdue message', () => [
      [{}, state.outbox.lagSeconds],
    ]);
    this.gauge('history_bytes', 'Space of the histories of all collections', () => [
      [{}, state.histories.total],
    ]);
    this.gauge(
      'history_bytes_largest',
      'Space of the history of each of the 20 collections with the largest',
      () =>
        Object.entries(state.histories.largest).map(([collection, bytes]): Sample => [{ collection }, bytes]),
    );
  }

  private gauge(name: string, help: string, samples: () => readonly Sample[]): void {
    new Gauge(this.looked(name, help, samples));
  }

  private counter(name: string, help: string, samples: () => readonly Sample[]): void {
    new Counter(this.looked(name, help, samples));
  }

  /** A metric whose samples are read when the metrics are requested. */
  private looked(name: string, help: string, samples: () => readonly Sample[]) {
    return {
      name,
      help,
      labelNames: LABELS,
      registers: [this.registry],
      collect(this: Pick<Gauge, 'reset' | 'inc'>): void {
        this.reset();
        for (const [labels, value] of samples()) this.inc(labels, value);
      },
    };
  }

  private find<T>(service: abstract new (...given: never[]) => T): T {
    return this.modules.get(service as never, { strict: false });
  }
}
