import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../../config/settings.js';
import type { Queryable } from '../queryable.js';
import { hasCitus, orgsByPlacement } from './org-placement.js';

/** Stops the start of the service when DATABASE_CITUS does not match the state of the database. */
@Injectable()
export class CitusCheck implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
  ) {}

  async onModuleInit(): Promise<void> {
    const refusal = await refusalOf(this.source, this.settings.DATABASE_CITUS === 'on');
    if (refusal !== undefined) throw new Error(refusal);
  }
}

async function refusalOf(queryable: Queryable, isOn: boolean): Promise<string | undefined> {
  if (isOn) {
    const missing = await citusMissing(queryable);
    if (missing !== undefined) return missing;
  } else if (!(await hasCitus(queryable))) return undefined;
  const { touched, unplaced } = await orgsByPlacement(queryable);
  if (!isOn && touched.length > 0)
    return `Citus has ${touched.length} organizations on its nodes, and DATABASE_CITUS is off. Set it on, or take them back first: npm run cli -- citus:undistribute.`;
  if (isOn && unplaced.length > 0)
    return `DATABASE_CITUS is on, and ${unplaced.length} organizations are not on the nodes of Citus yet, or not with all their tables. Stop all instances, then: npm run cli -- citus:distribute.`;
  return undefined;
}

/** What is missing for Citus, and what to do; undefined when nothing is missing. */
export async function citusMissing(queryable: Queryable): Promise<string | undefined> {
  if (!(await hasCitus(queryable)))
    return 'DATABASE_CITUS=on needs the extension citus in the database of DATABASE_URL: CREATE EXTENSION citus, then citus_set_coordinator_host and citus_add_node as docs/scaling.md says; or set DATABASE_CITUS=off.';
  const [{ coordinator, nodes, prepared }] = await queryable.query(`
    SELECT citus_is_coordinator() AS coordinator,
      (SELECT count(*)::int FROM pg_dist_node WHERE shouldhaveshards AND isactive) AS nodes,
      to_regprocedure('public.keep_org_fence()') IS NOT NULL AS prepared`);
  if (!coordinator)
    return 'With DATABASE_CITUS=on, DATABASE_URL must be the address of the coordinator of Citus.';
  if (nodes === 0) return 'Citus has no node for tables yet: SELECT citus_add_node(host, port).';
  if (!prepared) return 'The database is not prepared for DATABASE_CITUS=on: run npm run migrate.';
  return undefined;
}
