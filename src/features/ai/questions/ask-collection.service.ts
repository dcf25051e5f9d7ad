import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { AggregateData, DistinctData, Plan, PlanData } from '@typed-collections/plain-questions';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { SYSTEM_FIELDS } from '../../../engine/storage/collection-shape.js';
import { TextField } from '../../../platform/http/field.decorators.js';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import { QueryRecords } from '../../records/query/query-records.service.js';
import {
  type CollectionOutline,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from '../question-planner.js';
import { PlanRuns } from './plan-runs.service.js';

const SAMPLES = 5;
/** Maximum size of the samples, unless a single record is larger. */
const SAMPLE_BYTES = 1024 * 1024;
/** Maximum number of names of other fields. */
const MAX_FLEXIBLE = 500;

/** Reads the information about a collection that planners get, with the caller's rights. */
@Injectable()
export class CollectionOutlines {
  constructor(
    private readonly records: QueryRecords,
    private readonly analytics: Analytics,
  ) {}

  async of(access: Access): Promise<CollectionOutline> {
    const [{ count }, page] = await Promise.all([
      this.analytics.count(access, {}),
      this.records.queryWithin(access, { limit: SAMPLES }, SAMPLE_BYTES),
    ]);
    const samples = page.records.map(text => JSON.parse(text) as Record<string, unknown>);
    const { name, description, columns } = access.collection;
    const declared = new Set([...Object.keys(columns), ...SYSTEM_FIELDS]);
    return {
      name,
      description,
      columns: Object.entries(columns).map(([column, { type, nullable }]) => ({
        name: column,
        type,
        nullable,
      })),
      flexibleFields: [...new Set(samples.flatMap(Object.keys))]
        .filter(field => !declared.has(field))
        .slice(0, MAX_FLEXIBLE),
      samples,
      rowCount: count,
    };
  }
}

export class AskCollectionBody {
  @TextField({
    max: 2000,
    description: 'A question about the records, in English or French.',
    example: 'How many people live in London?',
  })
  question: string;
}

export class AnswerView {
  @ApiProperty({
    description:
      'The answer as a sentence; all its figures come from `data`. If the question cannot be answered, the reason.',
    example: '1 record matches.',
  })
  answer: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The read that produced the answer. Its `operation` is `query`, `count`, `distinct` or `aggregate`, and you can send the plan to that operation unchanged. With `several`, you can send each `plan` of its `reads`. Null: there is no answer.',
    example: { operation: 'count', filter: { city: 'London' } },
  })
  plan: Plan | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Result of the read: `records`, `count`, `values` or `results`. Empty if there is no plan.',
    example: { count: 1 },
  })
  data: PlanData | Record<string, never>;
}

/** Time limit for reading values during planning. A question that needs values not read by then is refused. */
const LOOKING_MS = 10_000;
/** Longer values are ignored: they are prose, and questions do not quote them. */
const MAX_VALUE_BYTES = 1_000;

/** Answers questions with reads in our own query language and the caller's rights. */
@Injectable()
export class AskCollection {
  constructor(
    private readonly planner: QuestionPlanner,
    private readonly outlines: CollectionOutlines,
    private readonly runs: PlanRuns,
    private readonly analytics: Analytics,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 400 `QueryTimeout`, 429 when the organization's budget is spent, 503 when a language model is unavailable.
   */
  async ask(access: Access, question: string): Promise<AnswerView> {
    const outline = await this.outlines.of(access);
    const tools = this.toolsFor(access);
    const first = await this.planner.plan(question, outline, tools);
    const answer = await this.answer(access, outline, first);
    if (!(answer instanceof PlatformError)) return answer;
    if ('refusal' in first || this.planner.repair === undefined) return refused(because(answer));
    const failed = { plan: first.plan, reason: answer.message };
    const second = await this.planner.repair(question, outline, tools, failed);
    const repaired = await this.answer(access, outline, second);
    return repaired instanceof PlatformError ? refused(because(repaired)) : repaired;
  }

  /** The answer, or the error that the plan caused. */
  private async answer(
    access: Access,
    outline: CollectionOutline,
    planned: Planned,
  ): Promise<AnswerView | PlatformError> {
    if ('refusal' in planned) return refused(planned.refusal);
    try {
      const { plan, data } = await this.runs.run(access, outline, planned.plan);
      return { answer: planned.say(data), plan, data };
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'InvalidArguments') return error;
      throw error;
    }
  }

  private toolsFor(access: Access): PlanningTools {
    const read = new Map<string, Promise<readonly unknown[] | undefined>>();
    const ends = performance.now() + LOOKING_MS;
    return {
      today: this.clock.now(),
      orgId: access.collection.orgId,
      caller: access.caller,
      knownValues: async (field, limit) => {
        const inTime = performance.now() < ends;
        const values =
          read.get(field) ?? (inTime ? this.valuesOf(access, field) : Promise.resolve(undefined));
        read.set(field, values);
        return (await values)?.slice(0, limit);
      },
      datesOf: field => this.datesOf(access, field),
    };
  }

  private async datesOf(access: Access, field: string) {
    const steps = (['min', 'max'] as const).map(type => ({
      type,
      input_field: field,
      output_field: type,
    }));
    const { text } = await this.analytics.aggregate(access, { steps });
    const [row] = (JSON.parse(text) as AggregateData).results;
    const { min, max } = row as { min: string | null; max: string | null };
    return min === null || max === null ? undefined : { first: min.slice(0, 10), last: max.slice(0, 10) };
  }

  private async valuesOf(access: Access, field: string): Promise<readonly unknown[] | undefined> {
    try {
      const { text } = await this.analytics.distinct(access, { field }, MAX_VALUE_BYTES);
      return (JSON.parse(text) as DistinctData).values;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'QueryTimeout') return undefined;
      throw error;
    }
  }
}

function refused(why: string): AnswerView {
  return { answer: why, plan: null, data: {} };
}

function because({ message }: PlatformError): string {
  return `This question led to a query that cannot be run: ${message}`;
}
