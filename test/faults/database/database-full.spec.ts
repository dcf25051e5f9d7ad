import { expect, it } from 'vitest';
import type { Cluster } from '../support/cluster.js';
import { tablesOf } from '../support/target.js';
import { type Trial, underLoad } from '../support/trial.js';

/** Raises the error of PostgreSQL for a file that it cannot extend, once in the given number of rows. */
const DISK_FULL = `
  CREATE FUNCTION public.disk_full() RETURNS trigger LANGUAGE plpgsql AS $f$
  BEGIN
    IF random() < TG_ARGV[0]::float8 THEN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END IF;
    RETURN NULL;
  END $f$`;

/** Closes the service's connections, so that new ones use the settings of its role. */
async function reconnect(cluster: Cluster): Promise<void> {
  await cluster.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'`);
}

/** Resolves when the given number of further requests was refused. */
async function refuse({ load }: Trial, more: number): Promise<void> {
  const enough = load.outcomes.refused + more;
  await expect.poll(() => load.outcomes.refused, { timeout: 30_000 }).toBeGreaterThanOrEqual(enough);
}

it('a full disk rolls back the affected writes, in the middle of a batch and at commit', () =>
  underLoad('Disk full (53100), in a statement and at its commit', async trial => {
    const { cluster, target, load, recovered } = trial;
    const { schema, table } = await tablesOf(cluster, target.id);
    const audit = `${schema}.audit_events`;
    await cluster.sql(DISK_FULL);
    for (const [on, trigger] of [
      [
        table,
        `TRIGGER no_space AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION disk_full(0.03)`,
      ],
      [audit, `TRIGGER no_space AFTER INSERT ON ${audit} FOR EACH ROW EXECUTE FUNCTION disk_full(0.5)`],
      [
        table,
        `CONSTRAINT TRIGGER no_space AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION disk_full(0.03)`,
      ],
    ] as const) {
      await cluster.sql(`CREATE ${trigger}`);
      await refuse(trial, 30);
      await cluster.sql(`DROP TRIGGER no_space ON ${on}`);
      await recovered();
    }
    expect(load.outcomes.dropped).toBe(0);
  }));

it('when temporary files may not grow, only requests that need them are refused', () =>
  underLoad('No room for temporary files (`temp_file_limit`)', async trial => {
    const { cluster, service, target, load, recovered } = trial;
    const records = Array.from({ length: 3_000 }, (_, n) => ({
      mark: `wide-${n}`,
      op: `${n}`.padEnd(300, 'x'),
    }));
    expect(
      (await service.call(service.instances[0], 'POST', `${target.path}/data/bulk`, { body: { records } }))
        .status,
    ).toBe(201);
    await cluster.sql(
      `ALTER ROLE service SET temp_file_limit = '64kB'; ALTER ROLE service SET work_mem = '64kB'`,
    );
    await reconnect(cluster);
    await recovered();
    const sorted = () =>
      service.call(service.instances[1], 'POST', `${target.path}/data/query`, {
        body: { sort: { op: 1 }, limit: 100, page: 25 },
      });
    const { refused, dropped } = load.outcomes;
    const answer = await sorted();
    expect([answer.status, Number(answer.retryAfter) > 0]).toEqual([503, true]);
    await load.acknowledge(100);
    expect(load.outcomes).toMatchObject({ refused, dropped });
    await cluster.sql('ALTER ROLE service RESET temp_file_limit; ALTER ROLE service RESET work_mem');
    await reconnect(cluster);
    await recovered();
    expect((await sorted()).status).toBe(200);
  }));

it('a database that grants too few connections causes refusals, which end when it grants more', () =>
  underLoad('Connection limit reached (53300)', async trial => {
    const { cluster, load, recovered } = trial;
    for (const limit of [8, 0]) {
      await cluster.sql(`ALTER ROLE service CONNECTION LIMIT ${limit}`);
      await reconnect(cluster);
      await refuse(trial, 30);
      if (limit > 0) await load.acknowledge(50);
      await cluster.sql('ALTER ROLE service CONNECTION LIMIT -1');
      await recovered();
    }
    expect(load.outcomes.dropped).toBe(0);
  }));
