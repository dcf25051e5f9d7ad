import { Injectable } from '@nestjs/common';
import type { Plan, PlanData, Read, SeveralPlan } from '@typed-collections/plain-questions';
import { type ReadData, tableOf } from '@typed-collections/plain-questions';
import { invalid } from '../../../base/kernel/errors.js';
import type { JsonText } from '../../../base/kernel/json.js';
import { DEFAULT_LIMIT } from '../../../base/kernel/limits.js';
import { shortened } from '../../../base/kernel/text.js';
import type { FieldPath } from '../../../engine/filter/index.js';
import { SYSTEM_FIELDS } from '../../../engine/storage/collection-shape.js';
import { resultTooLarge } from '../../../engine/storage/query-refusal.js';
import { Settings } from '../../../platform/config/settings.js';
import { validated } from '../../../platform/http/validation.pipe.js';
import { AggregatedRecords, CountedRecords, DistinctOfRecords } from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import { RecordQueryBody } from '../../records/query/query-records.dto.js';
import { QueryRecords } from '../../records/query/query-records.service.js';
import type { CollectionOutline } from '../question-planner.js';
import { fieldsRead, requireResultFields } from './plan-fields.js';

/** Maximum number of groups in an answer. */
const MAX_GROUPS = 1_000;
/** Maximum number of field names that are looked up in the records because the samples do not contain them. */
const MAX_LOOKED_UP = 10;
/** Maximum number of reads in one plan: the weeks that a year touches. No read starts after READING_MS. */
const MAX_READS = 54;
const READING_MS = 10_000;

const BODIES = {
  query: RecordQueryBody,
  count: CountedRecords,
  distinct: DistinctOfRecords,
  aggregate: AggregatedRecords,
} as const;

/** Runs plans of any planner through the services behind REST, with the same checks, rights and limits. */
@Injectable()
export class PlanRuns {
  constructor(
    private readonly records: QueryRecords,
    private readonly analytics: Analytics,
    private readonly settings: Settings,
  ) {}

  /** The plan as it was run, and its data. Throws 400 with the reason for a plan that REST would refuse. */
  async run(access: Access, outline: CollectionOutline, made: Plan): Promise<{ plan: Plan; data: PlanData }> {
    return made.operation === 'several'
      ? this.several(access, outline, made)
      : this.one(access, outline, made);
  }

  /** Runs the reads one after the other, so that a question uses one connection at a time. */
  private async several(access: Access, outline: CollectionOutline, made: SeveralPlan) {
    if (made.reads.length > MAX_READS) throw invalid(`at most ${MAX_READS} reads answer one question`);
    const ends = performance.now() + READING_MS;
    const reads: SeveralPlan['reads'][number][] = [];
    const found: ReadData[] = [];
    let length = 0;
    for (const { name, plan } of made.reads) {
      access.caller?.signal.throwIfAborted();
      if (performance.now() > ends) throw invalid('the reads of this question together take too long');
      const ran = await this.one(access, outline, plan);
      reads.push({ name, plan: ran.plan as typeof plan });
      found.push(ran.data as ReadData);
      length += ran.length;
      if (length > this.settings.RESPONSE_LIMIT_BYTES) throw resultTooLarge('ask about fewer things at once');
    }
    const plan = { ...made, reads };
    return { plan, data: tableOf(plan, found) };
  }

  private async one(access: Access, outline: CollectionOutline, made: Read) {
    const plan = bounded(this.checked(made));
    if (plan.operation === 'aggregate') requireResultFields(plan);
    await this.requireFields(access, outline, fieldsRead(plan));
    const text = await this.textOf(access, plan);
    return { plan, data: JSON.parse(text) as PlanData, length: text.length };
  }

  private checked(plan: Read): Read {
    if (!Object.hasOwn(BODIES, plan.operation)) {
      throw invalid(`operation: expects one of: ${Object.keys(BODIES).join(', ')}`);
    }
    validated<object>(BODIES[plan.operation], plan);
    return plan;
  }

  private async textOf(access: Access, plan: Read): Promise<string> {
    switch (plan.operation) {
      case 'query':
        return (await this.records.query(access, plan)).text;
      case 'count':
        return JSON.stringify(await this.analytics.count(access, plan));
      case 'distinct':
        return (await this.analytics.distinct(access, plan)).text;
      case 'aggregate':
        return (await this.analytics.aggregate(access, { ...plan, steps: [...plan.steps] })).text;
    }
  }

  /** The schema is flexible, so a name is unknown only when neither a column nor any record has it. */
  private async requireFields(
    access: Access,
    outline: CollectionOutline,
    paths: readonly FieldPath[],
  ): Promise<void> {
    const doubtful = paths.filter(path => !isKnown(path, outline));
    for (const path of doubtful.slice(0, MAX_LOOKED_UP)) {
      const name = path.join('.');
      const { count } = parsed(
        await this.records.query(access, {
          filter: { [name]: { $exists: true } },
          fields: ['_id'],
          limit: 1,
        }),
      ) as { count: number };
      if (count === 0)
        throw invalid(`there is no field ${JSON.stringify(shortened(name))} in this collection`);
    }
    if (doubtful.length > MAX_LOOKED_UP)
      throw invalid('the question uses too many fields that are not in the sampled records');
  }
}

function isKnown([name, ...below]: FieldPath, { columns, flexibleFields }: CollectionOutline): boolean {
  if (below.length > 0) return false;
  const named = name as string;
  return (
    (SYSTEM_FIELDS as readonly string[]).includes(named) ||
    columns.some(column => column.name === named) ||
    flexibleFields.includes(named)
  );
}

/** Adds the limits to the plan, so that a client who sends it again gets the same result. */
function bounded(plan: Read): Read {
  if (plan.operation === 'query') return { ...plan, limit: plan.limit ?? DEFAULT_LIMIT };
  if (plan.operation !== 'aggregate' || plan.group_by === undefined) return plan;
  return { ...plan, limit: Math.min(plan.limit ?? MAX_GROUPS, MAX_GROUPS) };
}

function parsed(text: JsonText): PlanData {
  return JSON.parse(text.text);
}
