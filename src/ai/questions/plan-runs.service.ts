import { Injectable } from '@nestjs/common';
import {
  AggregateRecordsBody,
  CountRecordsQuery,
  DistinctValuesQuery,
} from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import type { FieldPath } from '../../filter/index.js';
import { validated } from '../../http/validation.pipe.js';
import { invalid } from '../../kernel/errors.js';
import type { JsonText } from '../../kernel/json.js';
import { DEFAULT_LIMIT } from '../../kernel/page.js';
import { RecordReader } from '../../records/record-reader.service.js';
import { SearchRecordsBody } from '../../records/records.dto.js';
import { SYSTEM_FIELDS } from '../../storage/collection-shape.js';
import type { CollectionSight, Plan, PlanData } from '../question-planner.js';
import { fieldsRead, requireResultFields } from './plan-fields.js';

/** Results of an aggregate that an answer holds. */
const MAX_GROUPS = 1_000;
/** Each name that the samples do not show costs a look at the records. */
const MAX_LOOKED_UP = 10;

const BODIES = {
  query: SearchRecordsBody,
  count: CountRecordsQuery,
  distinct: DistinctValuesQuery,
  aggregate: AggregateRecordsBody,
} as const;

/** Runs plans, whoever made them, through the services behind REST: same checks, same rights, same bounds. */
@Injectable()
export class PlanRuns {
  constructor(
    private readonly records: RecordReader,
    private readonly analytics: Analytics,
  ) {}

  /** The plan as it was run, and its data. Throws 400 saying what is wrong with a plan that REST would refuse. */
  async run(access: Access, sight: CollectionSight, made: Plan): Promise<{ plan: Plan; data: PlanData }> {
    const plan = bounded(this.checked(made));
    if (plan.operation === 'aggregate') requireResultFields(plan);
    await this.requireFields(access, sight, fieldsRead(plan));
    return { plan, data: await this.dataOf(access, plan) };
  }

  private checked(plan: Plan): Plan {
    if (!Object.hasOwn(BODIES, plan.operation)) {
      throw invalid(`operation: expects one of: ${Object.keys(BODIES).join(', ')}`);
    }
    validated<object>(BODIES[plan.operation], plan);
    return plan;
  }

  private async dataOf(access: Access, plan: Plan): Promise<PlanData> {
    switch (plan.operation) {
      case 'query':
        return parsed(await this.records.query(access, plan));
      case 'count':
        return this.analytics.count(access, plan);
      case 'distinct':
        return parsed(await this.analytics.distinct(access, plan));
      case 'aggregate':
        return parsed(await this.analytics.aggregate(access, { ...plan, steps: [...plan.steps] }));
    }
  }

  /** The schema is flexible, so a name is unknown only when neither a column nor any record has it. */
  private async requireFields(
    access: Access,
    sight: CollectionSight,
    paths: readonly FieldPath[],
  ): Promise<void> {
    const doubtful = paths.filter(path => !isKnown(path, sight));
    for (const path of doubtful.slice(0, MAX_LOOKED_UP)) {
      const name = path.join('.');
      const { count } = parsed(
        await this.records.query(access, {
          filter: { [name]: { $exists: true } },
          fields: ['_id'],
          limit: 1,
        }),
      ) as { count: number };
      if (count === 0) throw invalid(`there is no field ${JSON.stringify(name)} in this collection`);
    }
    if (doubtful.length > MAX_LOOKED_UP) throw invalid('too many fields that no sample shows');
  }
}

function isKnown([name, ...below]: FieldPath, { columns, flexibleFields }: CollectionSight): boolean {
  if (below.length > 0) return false;
  const named = name as string;
  return (
    (SYSTEM_FIELDS as readonly string[]).includes(named) ||
    columns.some(column => column.name === named) ||
    flexibleFields.includes(named)
  );
}

/** Limits are in the plan, so that whoever sends it again gets the same. */
function bounded(plan: Plan): Plan {
  if (plan.operation === 'query') return { ...plan, limit: plan.limit ?? DEFAULT_LIMIT };
  if (plan.operation !== 'aggregate' || plan.group_by === undefined) return plan;
  return { ...plan, limit: Math.min(plan.limit ?? MAX_GROUPS, MAX_GROUPS) };
}

function parsed(text: JsonText): PlanData {
  return JSON.parse(text.text);
}
