import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { JobRunner } from '../../../src/app/jobs/job-runner.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { parsePromQL } from './promql.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const { groups } = load(readFileSync('deploy/monitoring/alerts.yaml', 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap(group => group.rules);
const dashboard: Dashboard = JSON.parse(readFileSync('deploy/monitoring/dashboard.json', 'utf8'));
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(target => ({ title, ...target, expr: target.expr.replaceAll('$__rate_interval', '5m') })),
);

/** Prometheus gives these to each sample, and renames labels of the service that have one of these names. */
const OF_TARGET = ['job', 'instance'];
const asStored = (label: string) => (OF_TARGET.includes(label) ? `exported_${label}` : label);
/** Of Prometheus itself. */
const OF_PROMETHEUS = ['up'];

/** The labels of each metric that the service reports, as Prometheus stores them, and their values. */
let exported: Map<string, Map<string, Set<string>>>;

beforeAll(async () => {
  exported = samplesOf(await metricsAfterUse());
});

/** The metrics of an instance that has answered, refused and failed requests, kept a history and run jobs. */
async function metricsAfterUse(): Promise<string> {
  const app = await startOwnApp({ database: 'own' });
  try {
    const collection = await newCollection(app, await newHome(app));
    const [id] = await insert(app, collection, { title: 'Emma' });
    await app.request('PATCH', `${collection.data}/${id}`, { ...collection.owner, body: { $set: { n: 1 } } });
    await app.nest.get(VersionPruning, { strict: false }).removeOld(new AbortController().signal);
    const jobs = app.nest.get(JobRunner, { strict: false });
    await jobs.run('rotate-signing-keys', async () => ({}));
    await jobs.run('fails', () => Promise.reject(new Error('as the test wants it')));
    await app.sql('ALTER TABLE collections RENAME TO renamed');
    expect((await app.request('GET', '/v1/collections', collection.owner)).status).toBe(500);
    await app.sql('ALTER TABLE renamed RENAME TO collections');
    return await metricsWithFailure(app);
  } finally {
    await app.close();
  }
}

/** The metrics have a request shortly after its answer. */
async function metricsWithFailure(app: TestApp): Promise<string> {
  for (;;) {
    const { text } = await app.request('GET', '/metrics');
    if (text.includes('status="5xx"')) return text;
    await delay(20);
  }
}

function samplesOf(text: string): Map<string, Map<string, Set<string>>> {
  const all = new Map<string, Map<string, Set<string>>>();
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const ofMetric = all.get(name as string) ?? new Map<string, Set<string>>();
    all.set(name as string, ofMetric);
    for (const [, label, value] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      const stored = asStored(label as string);
      ofMetric.set(stored, (ofMetric.get(stored) ?? new Set()).add(value as string));
    }
  }
  return all;
}

/** Fails unless the service reports what the expression reads. Returns the labels that its result may have. */
function expectExported(text: string): Set<string> {
  const { selectors, grouping } = parsePromQL(text);
  const labels = new Set(OF_TARGET);
  for (const { metric, matchers } of selectors) {
    if (OF_PROMETHEUS.includes(metric)) continue;
    const ofMetric = exported.get(metric);
    expect(ofMetric, `${metric} is reported`).toBeDefined();
    for (const label of ofMetric?.keys() ?? []) labels.add(label);
    for (const { label, operator, value } of matchers) {
      if (OF_TARGET.includes(label)) continue;
      expect([...(ofMetric?.keys() ?? [])], `labels of ${metric}`).toContain(label);
      if (operator === '=') expect([...(ofMetric?.get(label) ?? [])], `${metric} ${label}`).toContain(value);
    }
  }
  for (const label of grouping) expect([...labels], text).toContain(label);
  return grouping.length > 0 ? new Set(grouping) : labels;
}

describe('the alert rules', () => {
  it.each(rules)('$alert reads what the service reports', ({ expr, annotations }) => {
    const labels = expectExported(expr);
    const named = Object.values(annotations).flatMap(text => [...text.matchAll(/\$labels\.(\w+)/g)]);
    for (const [, label] of named) expect([...labels]).toContain(label);
  });
});

it('the page for operators lists the alerts that the file has', () => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const listed = [...page.slice(page.indexOf('| Alert |')).matchAll(/^\| `(\w+)` \|.*\| (\w+) \|$/gm)];
  const alerts = rules.map(({ alert, labels }) => [alert, labels.severity]);
  expect(listed.map(([, alert, severity]) => [alert, severity]).sort()).toEqual(alerts.sort());
});

describe('the dashboard', () => {
  it.each(queries)('$title, $legendFormat, reads what the service reports', ({ expr, legendFormat }) => {
    const labels = expectExported(expr);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect([...labels]).toContain(label);
  });

  it('reads the choices of its variables from a metric that the service reports', () => {
    const texts = dashboard.templating.list.flatMap(({ query }) =>
      typeof query === 'object' ? (query as { query: string }).query : [],
    );
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      const [, selector, label] = text.match(/^label_values\((.*), (\w+)\)$/) ?? [];
      expect(OF_TARGET).toContain(label);
      expectExported(selector as string);
    }
  });

  it('shows each metric of the service, in panels that do not overlap', () => {
    const shown = queries.flatMap(({ expr }) => parsePromQL(expr).selectors.map(({ metric }) => metric));
    const families = [...exported.keys()].filter(name => !/^(process|nodejs)_/.test(name));
    const missing = families.filter(name => !shown.includes(name) && !name.endsWith('_sum'));
    expect(missing).toEqual([]);
    const taken = new Set<string>();
    for (const { gridPos, title } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken, title).not.toContain(`${x} ${y}`);
          expect(x).toBeLessThan(24);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});

describe('the parser of the expressions', () => {
  it.each([
    'sum(rate(requests_total[5m])',
    'rate(requests_total{status=5xx}[5m])',
    'requests_total >',
    '1 + 1',
  ])('refuses %s', text => {
    expect(() => parsePromQL(text)).toThrow(text);
  });
});
