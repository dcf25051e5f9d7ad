import { expect } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.js';
import type { Instance } from '../support/instance.js';
import { type Service, startService } from '../support/service.js';
import { type Tables, tablesOf } from '../support/target.js';

/** Records of one request. */
const BULK = 5_000;

/** Two instances and a collection. The test kills the first instance. */
interface Scene extends Tables {
  readonly cluster: Cluster;
  readonly service: Service;
  readonly victim: Instance;
  readonly survivor: Instance;
  readonly id: string;
  /** `/v1/collections/{id}` */
  readonly path: string;
  /** Inserts this many records. `record` makes the record with a number. */
  readonly fill: (count: number, record: (n: number) => object) => Promise<void>;
}

/** Starts two instances on an empty database, and creates a collection with the given settings and columns. */
export async function startVictim(wanted: object): Promise<Scene> {
  const cluster = await startCluster();
  const service = await startService(cluster);
  const [victim, survivor] = service.instances;
  const body = { name: 'large', ...wanted };
  const id: string = (await service.call(survivor, 'POST', '/v1/collections', { body })).body.collection_id;
  const path = `/v1/collections/${id}`;
  const fill = async (count: number, record: (n: number) => object) => {
    for (let from = 0; from < count; from += BULK) {
      const records = Array.from({ length: Math.min(BULK, count - from) }, (_, at) => record(from + at));
      const inserted = await service.call(survivor, 'POST', `${path}/data/bulk`, { body: { records } });
      expect(inserted.status).toBe(201);
    }
  };
  return { cluster, service, victim, survivor, id, path, fill, ...(await tablesOf(cluster, id)) };
}
